package sgf

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/game/goban"
	"tengen/internal/testkit"
)

// TestWarnings reads odd files. The stones are those at the end, row by row.
func TestWarnings(t *testing.T) {
	for _, c := range []struct{ text, stones, warnings string }{
		{"(;SZ[2];B[aa];W[ba])", "XO..", ""},
		// Who moves first.
		{"(;SZ[2]PL[White])", "....", ""},
		{"(;SZ[2]PL[BLACK])", "....", ""},
		{"(;SZ[2]PL[2])", "....", "10 PL[2] is taken for White"},
		{"(;SZ[2]PL[])", "....", "10 PL is empty"},
		// The board and the kind of game.
		{"(;GM[]SZ[2x2];B[ab])", "..X.", "5 GM[] is taken for GM[1]"},
		{"(;SZ[2路];B[ab])", "..X.", ""},
		{"(;C[x];SZ[2];B[ab])", "..X.", "10 SZ stands after the root"},
		{"(;SZ[2];KM[7];B[ab])", "..X.", "11 KM stands after the root"},
		{"(;SZ[2]KM[7]KM[8];B[ab])", "..X.", "15 KM[8] after KM[7]: the first counts"},
		{"(;SZ[2]HA[2];W[ab])", "..O.", "10 HA[2], and no stones"},
		{"(;SZ[2]HA[2];B[ab];B[ba];W[aa])", ".XX.", "illegal"},
		// Points.
		{"(;SZ[2];B[AB];W[cc];B[Pass];W[bB])", "..XO", `10 the point "AB" is taken for "ab" (and once more); 16 W[cc] is taken for a pass (and once more)`},
		{"(;SZ[2]AB[];B[ab])", "..X.", ""},
		{`(;SZ[2];B[\ab])`, "..X.", ""},
		// What is set up after moves, or beside one.
		{"(;SZ[2];B[aa];AW[bb])", "X..O", "17 stones are set up after move 1"},
		{"(;SZ[2];B[aa];AE[bb]PL[W])", "X...", "17 stones are set up after move 1"},
		{"(;SZ[2];B[aa];PL[B];B[ba])", "XX..", ""},
		{"(;SZ[2];B[aa]AW[bb])", "X..O", "16 a node has a move and stones"},
		{"(;SZ[2];B[aa]W[bb]PL[B])", "X..O", "15 a node has two moves"},
		{"(;SZ[2];B[aa];AB[ba];AE[aa][ab];AW[bb])", ".X.O", "17 stones are set up after move 1"},
		{"(;SZ[2];B[aa];AB[ba][ab][bb])", "", "no liberty"},
		// Brackets.
		{"(;SZ[2];B[aa]", "X...", `13 the file ends within the game: 1 ")" missing`},
		{"(;SZ[2](;B[aa](;W[bb])", "X..O", `22 the file ends within the game: 2 ")" missing`},
		{"(;SZ[2];B[aa]);W[bb])", "X...", `14 the game has ended before this ";"`},
		{"(;SZ[2];B[aa])(;SZ[9])", "X...", "14 another game follows"},
		{"(;SZ[2];B[aa]() (W[bb]))", "X..O",
			`13 a variation is empty: "()"; 16 "(" stands without ";"`},
		{"((;SZ[2];B[aa]))", "X...", ""},
		{"see (me; or (not (;) \n(;SZ[2];B[aa])", "X...", `0 the text before "(;" is passed over`},
		{"see (me; or (not) (1)\n(;SZ[2];B[aa])", "X...", `0 the text before "(;" is passed over`},
		{"(;SZ[2];B[aa]C[good;W[bb])", "X...",
			`15 the text of C, which begins here, ends with "W[bb", as if its own "]" were missing`},
		{"(;SZ[2];B[aa]C[see ;W[bb\\] there])", "X...", ""},
		{"(;SZ[2]\x00;B[aa])\x1a", "X...", ""},
		// The encoding.
		{"(;SZ[2]CA[foo]PB[é];B[aa])", "X...",
			"10 CA[foo] is no encoding that is known: the text is read as UTF-8"},
		{"(;SZ[2]CA[foo]PB[e];B[aa])", "X...", ""},
		{"(;SZ[2]CA[UTF-8]PB[\xe9];B[aa])", "X...",
			"10 CA[UTF-8] is not the encoding of the text: it is read as Latin-1"},
		{"(;SZ[2]CA[UTF-8]PB[日本\xe9本因坊];B[aa])", "X...", "25 a byte is no UTF-8"},
		{"(;SZ[2]CA[ISO-8859-1]PB[\xc0\xc9\xce];B[aa])", "X...", ""},
		{"(;SZ[2]CA[ISO-8859-1]PB[J\xfcrgen]PW[\xc0\xc9];B[aa])", "X...", ""},
		{"(;SZ[2]CA[ISO-8859-1]C[\x83\x5c];B[aa]C[\x83\x5d\x83\x45];W[bb])", "X..O",
			"10 CA[ISO-8859-1] is not the encoding of the text: it is read as Shift-JIS"},
		{"(;SZ[2]CA[KOI8-R]PB[\xf7\xc1\xce\xd1];B[aa])", "X...", ""},
		{"(;SZ[2]PB[\x1b$B;30f\x1b(B];B[aa])", "X...",
			"10 the encoding of the text is not named (CA): it is read as ISO-2022-JP"},
	} {
		r, err := Parse([]byte(c.text))
		if err == nil {
			g, _ := r.Game(nil)
			s, played := r.Play(g, len(r.Moves))
			if err = played; err == nil {
				var b strings.Builder
				for _, c := range goban.Stones(s, nil) {
					b.WriteByte(".XO"[c+1])
				}
				if b.String() != c.stones {
					t.Errorf("%q: the stones are %s, want %s", c.text, b.String(), c.stones)
				}
			}
		}
		if err != nil {
			if c.warnings == "" && c.stones == "" {
				continue
			}
			if !strings.Contains(err.Error(), c.warnings) {
				t.Errorf("%q: %v, want %s", c.text, err, c.warnings)
			}
			continue
		}
		var got []string
		for _, w := range r.Warnings {
			got = append(got, fmt.Sprintf("%d %s", w.Offset, w.Problem))
		}
		want := strings.Split(c.warnings, "; ")
		if c.warnings == "" {
			want = nil
		}
		ok := len(got) == len(want)
		for i := range min(len(got), len(want)) {
			head, tail, _ := strings.Cut(want[i], " (and")
			ok = ok && strings.HasPrefix(got[i], head) && strings.HasSuffix(got[i], tail)
		}
		if !ok {
			t.Errorf("%q: warnings (-want +got)\n%s", c.text, cmp.Diff(want, got))
		}
	}
	if e := (&Error{3, "KM[\x1b[2J]"}); strings.Contains(e.Error(), "\x1b") {
		t.Errorf("%q reaches a terminal", e)
	}
}

// TestParseAtEveryByte truncates a record at every byte, which Parse must refuse with the offset,
// or warn of, and flips bits, which must not panic in Parse or Play.
func TestParseAtEveryByte(t *testing.T) {
	whole := []byte("(;FF[4]GM[1]CA[UTF-8]SZ[5]KM[0.5]PB[a\\]b]PW[Weiß]RE[B+3]AB[aa:bb]AW[ee];B[cc];W[];B[tt]C[\\\\](;W[da])(;W[db]C[x]))")
	if _, err := Parse(whole); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if n > 0 {
			var e *Error
			if r, err := Parse(whole[:n]); err == nil && len(r.Warnings) == 0 ||
				err != nil && (!errors.As(err, &e) || e.Offset > n) {
				t.Fatalf("cut to %q: %v", whole[:n], err)
			}
		}
		for bit := range 8 {
			flipped := append([]byte(nil), whole...)
			flipped[n] ^= 1 << bit
			r, err := Parse(flipped)
			var e *Error
			if err != nil && !errors.As(err, &e) {
				t.Fatalf("%q: %v", flipped, err)
			}
			if err != nil {
				continue
			}
			if g, err := r.Game(nil); err == nil {
				_, _ = r.Play(g, len(r.Moves))
			}
		}
	}
}

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
