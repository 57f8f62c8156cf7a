package syntax

import (
	"slices"
	"strings"
)

// Keyword reports whether a language keeps a word for itself, so that no variable or function can be called so; of a type,
// and no type. Words that mean something in some places only, and may name things in others, are none. A member is what
// stands behind a dot or in a class: there JavaScript takes every word.
func Keyword(lang *Language, word string, member, isType bool) bool {
	k, ok := keywords[lang.ID]
	if !ok {
		return false
	}
	if hasPrivate(lang.ID) && member {
		return word == "constructor"
	}
	if lang.ID == "php" {
		word = strings.ToLower(word)
	}
	return slices.Contains(k.all, word) || isType && slices.Contains(k.types, word)
}

// words are those that a language keeps: for everything, and for types besides.
type words struct{ all, types []string }

func kept(all, types string) words { return words{strings.Fields(all), strings.Fields(types)} }

var (
	cWords = `auto break case char const continue default do double else enum extern float for goto if inline int long register return short
		signed sizeof static struct switch typedef union unsigned void volatile while`
	scriptWords = `arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for
		function if implements import in instanceof interface let new null package private protected public return static super switch this
		throw true try typeof undefined var void while with yield`
)

var keywords = map[string]words{
	"go": kept(`_ break case chan const continue default defer else fallthrough for func go goto if import interface map package range return
		select struct switch type var`, ""),
	"python": kept(`False None True __debug__ and as assert async await break class continue def del elif else except finally for from global if
		import in is lambda nonlocal not or pass raise return try while with yield`, ""),
	"javascript":      kept(scriptWords, ""),
	"typescript":      kept(scriptWords, "any bigint boolean never number object string symbol unknown"),
	"typescriptreact": kept(scriptWords, "any bigint boolean never number object string symbol unknown"),
	"rust": kept(`Self _ abstract as async await become box break const continue crate do dyn else enum extern false final fn for if impl in let
		loop macro match mod move mut override priv pub ref return self static struct super trait true try type typeof unsafe unsized use
		virtual where while yield`, ""),
	"java": kept(`_ abstract assert boolean break byte case catch char class const continue default do double else enum extends false final
		finally float for goto if implements import instanceof int interface long native new null package private protected public return
		short static strictfp super switch synchronized this throw throws transient true try void volatile while`, "permits record sealed var yield"),
	"c": kept(cWords+" _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local restrict", ""),
	"cpp": kept(cWords+` alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t char8_t class co_await co_return co_yield compl
		concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export false friend mutable namespace new
		noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires static_assert static_cast template
		this thread_local throw true try typeid typename using virtual wchar_t xor xor_eq`, ""),
	"csharp": kept(`abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else enum
		event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock long namespace new
		null object operator out override params private protected public readonly ref return sbyte sealed short sizeof stackalloc static
		string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using virtual void volatile while`, "file record required scoped var"),
	"ruby": kept(`BEGIN END __ENCODING__ __FILE__ __LINE__ alias and begin break case class def do else elsif end ensure false for if in module
		next nil not or redo rescue retry return self super then true undef unless until when while yield`, ""),
	"php": kept(`$this abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty
		enddeclare endfor endforeach endif endswitch endwhile eval exit extends false final finally fn for foreach function global goto if
		implements include include_once instanceof insteadof interface isset list match namespace new null or print private protected public
		readonly require require_once return static switch throw trait true try unset use var while xor yield`, "bool float int iterable mixed never object string void"),
	"kotlin":      kept("_ as break class continue do else false for fun if in interface is null object package return super this throw true try typealias typeof val var when while", ""),
	"lua":         kept("and break do else elseif end false for function goto if in local nil not or repeat return then true until while", ""),
	"shellscript": kept("case do done elif else esac fi for function if then until while", ""),
}
