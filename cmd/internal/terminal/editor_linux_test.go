package terminal

import (
	"testing"
)

// TestEditor: lines are edited as in a shell, and those before come back; Ctrl-C and Ctrl-D end the
// input, and the terminal is as it was afterwards.
func TestEditor(t *testing.T) {
	tty, person := pseudo(t, 80, 24)
	t.Setenv("TERM", "xterm")
	seen := new(output)
	go seen.read(person)
	e := NewEditor(tty, tty)
	if e == nil {
		t.Fatal("a terminal has no editor")
	}
	for _, c := range []struct {
		keys, want string
		err        error
	}{
		{"c3\r", "c3", nil},
		{"x3\x01\x1b[C\x7fd\r", "d3", nil}, // to the begin, right, delete, d
		{"\x1b[A\x1b[A\r", "c3", nil},      // the line before the last
		{"\x03", "", ErrInterrupted},
	} {
		lines, err := e.Ask("> ")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := person.WriteString(c.keys); err != nil {
			t.Fatal(err)
		}
		got := <-lines
		e.Close()
		if got.Text != c.want || got.Err != c.err {
			t.Errorf("%q is the line %q (%v), want %q (%v)",
				c.keys, got.Text, got.Err, c.want, c.err)
		}
	}
	if NewEditor(new(keys), tty) != nil {
		t.Error("what is no terminal has an editor")
	}
}
