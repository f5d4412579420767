package notation

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"Zug 3–4, ☗ \uFFFD":         "Zug 3–4, ☗ \uFFFD",
		"a\x1b[2Jb":                 `a\x1b[2Jb`,
		"a\x1b]0;x\x07":             `a\x1b]0;x\x07`,
		"one\ntwo\tthree\r":         `one\ntwo\tthree\x0d`,
		"\u009b31m \u202eabc":       `\u009b31m \u202eabc`,
		"caf\xe9 \xff":              `caf\xe9 \xff`,
		"\x7f\u2028":                `\u007f\u2028`,
		"a\uFFFDb\xc3(c\u2066d\x00": "a\uFFFD" + `b\xc3(c\u2066d\x00`,
	} {
		if got := Plain(text); got != want || !utf8.ValidString(got) {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestPlainLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		"Zug\t3–4,\n☗ \uFFFD\n": "Zug\t3–4,\n☗ \uFFFD\n",
		"a\x1b[2J\nb\r\n\u009b\tc\xc3\n": `a\x1b[2J` + "\n" + `b\x0d` + "\n" + `\u009b` + "\t" +
			`c\xc3` + "\n",
	} {
		if got := PlainLines(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

// TestJSON: what is written out in a document of JSON leaves its meaning.
func TestJSON(t *testing.T) {
	for r := range rune(0x3000) {
		var text strings.Builder
		if err := json.NewEncoder(&text).Encode(string(r)); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := json.Unmarshal([]byte(PlainLines(text.String())), &got); err != nil ||
			got != string(r) {
			t.Errorf("%q, written out as %s, is read as %q (%v)",
				string(r), PlainLines(text.String()), got, err)
		}
	}
}

// TestShell: a shell reads back what was quoted.
func TestShell(t *testing.T) {
	for word, want := range map[string]string{
		"runs/quick": "runs/quick", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "-rf": "-rf",
		"$(x)": "'$(x)'", "~": "'~'", "=x": "'=x'",
		"a\nb": `$'a\012b'`, "\x1b'\\": `$'\033\'\\'`, "Läufe": "'Läufe'", "\xff": `$'\377'`,
	} {
		if got := Shell(word); got != want {
			t.Errorf("%q gives %s, want %s", word, got, want)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash to ask")
	}
	for _, word := range []string{
		"runs/quick", "a b", "it's", "`id`", "$HOME \"x\"", "a\nb", "\x1b[2J'\\", "\xff\xfe",
		"*?[a]", "!x", "#", "a;b&c|d<e>f",
	} {
		out, err := exec.Command(bash, "-c", "printf %s "+Shell(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q, written %s, is read as %q: %v", word, Shell(word), out, err)
		}
	}
	if strings.Contains(Shell("\x1b]0;"), "\x1b") {
		t.Error("an escape is left")
	}
}
