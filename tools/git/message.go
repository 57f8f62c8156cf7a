package git

import (
	"os"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
)

// asGiven keeps the messages of commits that git takes over or is given as they are, whatever the config says of cleaning
// them up: with "strip" a line that begins with # would be a comment.
var asGiven = []string{"-c", "commit.cleanup=verbatim"}

// commentMarks are the comment characters to choose from; with the last one no line begins.
const commentMarks = "#;@!$%^&|:~\x01"

// keptMessage gives the switches under which git keeps the message of what goes on (after a conflict) as it is. git has
// put a comment below it, and would take every other line that begins with the comment character for one too: so the
// comment is cut off here, and git told of a character with which no line begins.
func (r *repo) keptMessage(s *settings) ([]string, error) {
	mark := "#"
	for _, key := range []string{"core.commentchar", "core.commentstring"} {
		if v := s.get(key); v != "" && v != "auto" {
			mark = v
		}
	}
	configured := s.get("commit.cleanup") != ""
	all := ""
	for _, name := range []string{"MERGE_MSG", "rebase-merge/message"} {
		text, err := r.text(r.gitDir.Join(name), maxMessage+1)
		if sandbox.KindOf(err) == sandbox.NotFound || len(text) > maxMessage {
			continue
		}
		if err != nil {
			return nil, err
		}
		own := withoutHint(text, mark)
		message := own
		for _, c := range commentMarks { // of an earlier stop that went on with another character
			message = withoutHint(message, string(c))
		}
		if !configured && message == own && !strings.Contains("\n"+message, "\n"+mark) {
			continue // git itself cuts off all that is to go
		}
		if message != text {
			if err := r.rewrite(name, message); err != nil {
				return nil, err
			}
		}
		all += "\n" + message
	}
	if configured { // it would hold for the commits that follow, too, whose messages are not looked at
		return []string{"-c", "commit.cleanup=whitespace", "-c", "commit.status=false", "-c", "core.commentChar=" + commentMarks[len(commentMarks)-1:]}, nil
	}
	if all == "" {
		return nil, nil
	}
	for _, c := range commentMarks {
		if !strings.Contains(all, "\n"+string(c)) {
			return []string{"-c", "core.commentChar=" + string(c)}, nil
		}
	}
	return nil, nil
}

// maxMessage bounds the messages that are looked at.
const maxMessage = 1 << 20

// withoutHint cuts off the comment at the end of a message that lists the files in conflict.
func withoutHint(text, mark string) string {
	lines := strings.SplitAfter(text, "\n")
	end := len(lines)
	if end > 0 && lines[end-1] == "" {
		end--
	}
	hint := -1
	for i := end - 1; i >= 0 && strings.HasPrefix(lines[i], mark); i-- {
		switch line := strings.TrimSpace(strings.TrimPrefix(lines[i], mark)); {
		case hint < 0 && line == "Conflicts:":
			hint = i
		case hint >= 0 && strings.Contains(line, ">8"): // commit.cleanup=scissors puts a line before it
			hint = i
		}
	}
	if hint < 0 {
		return text
	}
	return strings.TrimSuffix(strings.Join(lines[:hint], ""), "\n")
}

// rewrite puts text into a file of the git folder, where that is one.
func (r *repo) rewrite(name, text string) error {
	root, rel, err := r.roots.Sub(r.gitDir.Join(name))
	if err != nil {
		return err
	}
	f, err := root.OpenFile(rel, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return firstError(err, f.Close())
}
