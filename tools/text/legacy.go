package text

// legacy guesses which of the legacy encodings b is in. All of them are right for some text, so the answer is
// never sure: what counts is that double-byte text looks like whole runs of pairs from the common parts of its
// tables, and that Western text is letters with one accented among them.
func legacy(b []byte) string {
	for i, c := range b {
		if c >= 0x80 {
			b = b[max(0, i-1):]
			break
		}
	}
	b = b[:min(len(b), guessWindow)]
	high, alone := beyond(b)
	gbk, jis := gbkScore(b), jisScore(b)
	switch {
	case jis >= 70 && jis > gbk:
		return ShiftJIS
	case gbk >= 60 && alone*100 <= high*30:
		return GBK
	}
	return Windows1252
}

// beyond counts the bytes beyond ASCII, and those with none beside them.
func beyond(b []byte) (high, alone int) {
	for i, c := range b {
		if c < 0x80 {
			continue
		}
		high++
		if (i == 0 || b[i-1] < 0x80) && (i+1 == len(b) || b[i+1] < 0x80) {
			alone++
		}
	}
	return high, alone
}

// plausible reports whether the guess of a legacy encoding will do to write by. Western text has its accents one by one
// among other letters: what does not may be of another script, of which each word is such bytes. Two bytes a character
// need some to be told.
func plausible(b []byte, enc string) bool {
	high, alone := beyond(b[:min(len(b), guessWindow)])
	if enc == Windows1252 {
		return alone*3 >= high
	}
	return high >= 8
}

// gbkScore gives the share in percent of the pairs of b that are in common use in Chinese (level 1 of GB 2312,
// its punctuation and full-width forms), 0 when b is no GBK or GB 18030.
func gbkScore(b []byte) int {
	pairs, common := 0, 0
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case c < 0x80:
			i++
			continue
		case c == 0x80 || c == 0xff:
			return 0
		case i+1 == len(b):
			i++ // cut off
			continue
		}
		d := b[i+1]
		if d >= 0x30 && d <= 0x39 { // four bytes of GB 18030
			if i+3 < len(b) && (b[i+2] < 0x81 || b[i+3] < 0x30 || b[i+3] > 0x39) {
				return 0
			}
			i += 4
			pairs++
			continue
		}
		if d < 0x40 || d == 0x7f || d == 0xff {
			return 0
		}
		pairs++
		if d >= 0xa1 && (c >= 0xb0 && c <= 0xd7 || c == 0xa1 || c == 0xa3) {
			common++
		}
		i += 2
	}
	return percent(common, pairs)
}

// jisScore gives the share in percent of the characters of b that are in common use in Japanese, 0 when b is no
// Shift_JIS or has no kana or Japanese punctuation at all. Half-width kana count little: Chinese read as Shift_JIS is
// full of them.
func jisScore(b []byte) int {
	all, common, kana := 0, 0, 0
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case c < 0x80:
			i++
			continue
		case c == 0x80, c == 0xa0, c >= 0xfd:
			return 0
		case c >= 0xa1 && c <= 0xdf:
			all++
			i++
			continue
		case i+1 == len(b):
			i++
			continue
		}
		d := b[i+1]
		if d < 0x40 || d == 0x7f || d > 0xfc {
			return 0
		}
		all++
		switch {
		case c == 0x82 && d >= 0x9f && d <= 0xf1, c == 0x83 && d >= 0x40 && d <= 0x96, c == 0x81 && d <= 0x7e:
			kana++
			common++
		case c >= 0x88 && c <= 0x97, c == 0x82:
			common++
		}
		i += 2
	}
	if kana*100 < all*10 {
		return 0
	}
	return percent(common, all)
}

func percent(n, of int) int {
	if of == 0 {
		return 0
	}
	return n * 100 / of
}
