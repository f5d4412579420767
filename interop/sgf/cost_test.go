package sgf

import (
	"strings"
	"testing"

	"tengen/internal/testkit"
)

// TestCost: what a file of n bytes costs, whatever it holds.
func TestCost(t *testing.T) {
	const n = 1 << 20
	for name, text := range map[string]string{
		"identifier": "(;" + strings.Repeat("A", n) + "[]",
		"lower case": "(;" + strings.Repeat("a", n) + "[]", "variations": strings.Repeat("(;", n/2),
		"nodes":      "(" + strings.Repeat(";", n),
		"properties": "(;" + strings.Repeat("A[]", n/3),
		"values":     "(;A" + strings.Repeat("[]", n/2), "value": "(;C[" + strings.Repeat("x", n),
		"escapes": "(;C[" + strings.Repeat(`\`, n),
		"moves":   "(;GM[1]SZ[19]" + strings.Repeat(";B[aa]", n/6) + ")",
		"size":    "(;GM[1]SZ[" + strings.Repeat("9", n) + "])", "blanks": strings.Repeat(" ", n),
		"stones":                    "(;GM[1]SZ[19]AB" + strings.Repeat("[aa:ss]", n/7) + ")",
		"names":                     "(;PB[" + strings.Repeat("\xff", n) + "])",
		"a name in Shift-JIS":       "(;CA[SJIS]PB[" + strings.Repeat("\x83\x5d", n/2) + "])",
		"a name in narrow katakana": "(;CA[SJIS]PB[" + strings.Repeat("\xb1", n) + "])",
		"Chinese":                   "(;PB[" + strings.Repeat("\xb0\xa1", n/2) + "])",
		"four bytes":                "(;CA[GB18030]PB[" + strings.Repeat("\x810\x810", n/4) + "])",
		"cut characters":            "(;CA[GBK]" + strings.Repeat("C[\x95]", n/4) + ")",
		"cut, and blanks": "(;CA[GBK]C[" +
			strings.Repeat("\x95]"+strings.Repeat(")", 1000), n/1000),
		"escaped": "(;PB[" + strings.Repeat("\x1b$B", n/3),
		"escape":  "(;CA[ISO-2022-JP]PB[\x1b$B" + strings.Repeat("!", n),
		"encodings": "(;C[" + strings.Repeat("CA[GBK]CA[Big5]CA[x]CA[UTF-8]CA[SJIS]CA[EUC-KR]",
			n/45), "UTF-16": utf16("(;PB[" + strings.Repeat("x", n/2) + "])"),
		"UTF-16 of moves":        utf16("(" + strings.Repeat(";B[]", n/8) + ")"),
		"open brackets":          strings.Repeat("(", n),
		"brackets and blanks":    strings.Repeat("(  ", n/3),
		"names in brackets":      strings.Repeat("(A", n/2),
		"long names in brackets": strings.Repeat("(;"+strings.Repeat("A", 70), n/72),
		"capital points":         "(;GM[1]SZ[19]" + strings.Repeat(";B[AA]", n/6) + ")",
		"set-ups":                "(;SZ[19];B[aa]" + strings.Repeat(";AW[bb];B[]", n/11) + ")",
		"turns":                  "(;SZ[19];B[aa]" + strings.Repeat(";PL[B];B[]", n/10) + ")",
		"lost moves":             "(;" + strings.Repeat("C[;W[cc]", n/8) + ")",
		"empty variations":       "(;" + strings.Repeat("()", n/2) + ")",
		"komi":                   "(;KM[" + strings.Repeat("9", n) + "])",
		"words of komi":          "(;KM[" + strings.Repeat("x", n) + "])",
		"games":                  strings.Repeat("(;)", n/3),
		"facts":                  "(;" + strings.Repeat("KM[1]KM[2]", n/10) + ")",
		"passes":                 "(" + strings.Repeat(";B[]", n/4) + ")",
	} {
		testkit.CheckCost(t, name, len(text), func() { Parse([]byte(text)) })
	}
}
