package sgf

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/game"
	"tengen/game/goban"
)

// TestFound reads files as programs write them. testdata/found.txt tells of each what it holds: its
// size, its komi, the names, who is to move at the end, the stones on the board then, and the
// warnings with their bytes. The files of other programs' styles were made for this test, with
// moves of a program that counts liberties by itself, which wrote the table too.
func TestFound(t *testing.T) {
	table, err := os.ReadFile("testdata/found.txt")
	if err != nil {
		t.Fatal(err)
	}
	var name string
	want := map[string][]string{}
	for line := range strings.Lines(string(table)) {
		if line = strings.TrimRight(line, "\n"); line[0] != '\t' {
			name = line
			continue
		}
		want[name] = append(want[name], line[1:])
	}
	list, err := filepath.Glob("testdata/found/*.sgf")
	if err != nil || len(list) != len(want) || len(list) < 17+40 {
		t.Fatalf("%d files, %d in the table, %v", len(list), len(want), err)
	}
	for _, path := range list {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			lines, warnings := described(t, r), 0
			for _, w := range want[name] {
				offset, isWarning := strings.CutPrefix(w, "warning ")
				if !isWarning {
					continue
				}
				warnings++
				offset, problem, _ := strings.Cut(offset, " ")
				if !slices.ContainsFunc(r.Warnings, func(e *Error) bool {
					return fmt.Sprint(e.Offset) == offset && strings.Contains(e.Problem, problem)
				}) {
					t.Errorf("there is no %s among %v", w, r.Warnings)
				}
			}
			if warnings != len(r.Warnings) {
				t.Errorf("%d warnings: %v", len(r.Warnings), r.Warnings)
			}
			if diff := cmp.Diff(want[name][:len(want[name])-warnings], lines); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if !Is(text) {
				t.Error("it is not taken for a game")
			}
			again(t, r)
		})
	}
}

// described returns the lines of the table for a record.
func described(t *testing.T, r *Record) []string {
	t.Helper()
	size := fmt.Sprint(r.Columns)
	if r.Rows != r.Columns {
		size += fmt.Sprint(":", r.Rows)
	}
	lines := []string{"size " + size, "komi -"}
	if r.Komi != nil {
		lines[1] = fmt.Sprint("komi ", *r.Komi)
	}
	for c, name := range r.Names {
		if name != "" {
			lines = append(lines, []string{"black", "white"}[c]+" is "+name)
		}
	}
	s := end(t, r)
	lines = append(lines,
		"to move "+map[game.Player]string{
			0: "Black", 1: "White", game.Nobody: "nobody",
		}[s.CurrentPlayer()])
	words := []string{"black", "white"}
	for p, c := range goban.Stones(s, nil) {
		if c != game.Nobody {
			words[c] += " " + r.letters(p)
		}
	}
	return append(lines, words...)
}

// end returns the position at the end of a record.
func end(t *testing.T, r *Record) game.State {
	t.Helper()
	g, err := r.Game(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Play(g, len(r.Moves))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// again writes a record and reads it: it is the same game, without anything to warn of.
func again(t *testing.T, r *Record) {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	read, err := Parse(b.Bytes())
	if err != nil {
		t.Fatalf("%v: it is written as %q", err, b.String())
	}
	for _, w := range read.Warnings {
		if !strings.Contains(w.Problem, "set up after") {
			t.Fatalf("%v: it is written as %q", w, b.String())
		}
	}
	same := *r
	same.Warnings, read.Warnings = nil, nil
	if diff := cmp.Diff(&same, read); diff != "" {
		t.Fatalf("it is written as %q:\n%s", b.String(), diff)
	}
	g, err := r.Game(nil)
	if err != nil {
		return
	}
	for n := 0; n <= len(r.Moves); n += max(1, len(r.Moves)/8) {
		x, err1 := r.Play(g, n)
		y, err2 := read.Play(g, n)
		if (err1 == nil) != (err2 == nil) ||
			err1 == nil && (x.Hash() != y.Hash() || x.CurrentPlayer() != y.CurrentPlayer()) {
			t.Fatalf("after %d moves: %v and %v, %v, %v", n, x, y, err1, err2)
		}
		start, moves, err3 := r.Since(g, n)
		if err1 != nil || err3 != nil {
			continue
		}
		rest := Record{
			Rows: r.Rows, Columns: r.Columns, Moves: moves, First: new(start.CurrentPlayer()),
		}
		for p, c := range goban.Stones(start, nil) {
			if c != game.Nobody {
				rest.Setup[c] = append(rest.Setup[c], p)
			}
		}
		if z, err := rest.Play(g, len(moves)); err != nil ||
			!slices.Equal(goban.Stones(x, nil), goban.Stones(z, nil)) {
			t.Fatalf("after %d moves, the last %d from a set-up: %v", n, len(moves), err)
		}
	}
}

// TestCut cuts the files of TestFound at every byte: whatever is read then warns of it, and has no
// moves but those of the whole file.
func TestCut(t *testing.T) {
	list, _ := filepath.Glob("testdata/found/*.sgf")
	for _, path := range list {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		last := bytes.LastIndexAny(text, "\x29")
		for n := range min(last, 1500) {
			r, err := Parse(text[:n])
			var e *Error
			if err != nil {
				if !errors.As(err, &e) || e.Offset > n {
					t.Fatalf("%s cut to %d bytes: %v", path, n, err)
				}
				continue
			}
			if len(r.Moves) > len(whole.Moves) ||
				(r.Rows == whole.Rows && !slices.Equal(r.Moves, whole.Moves[:len(r.Moves)])) {
				t.Fatalf("%s cut to %d bytes has the moves %v", path, n, r.Moves)
			}
			if len(r.Warnings) == 0 && len(r.Moves) < len(whole.Moves) {
				t.Fatalf("%s cut to %d bytes is read without a warning", path, n)
			}
		}
	}
}

func TestKomi(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // the komi and, after a colon, what was guessed
	}{
		{"6.5", "6.5"}, {" -3.5 ", "-3.5"}, {"+7", "7"}, {".5", "0.5"}, {"5.", "5"},
		{"5.500000", "5.5"}, {"1e2", "1: hundredth"}, {"1e999", "none"},
		{"6,5", "6.5"}, {"6.50 pts", "6.5"}, {"7 1/2", "7.5"}, {"7½", "7.5"}, {"-7 1/2", "-7.5"},
		{"3 1/0", "3: first number"},
		{"６．５", "6.5"}, {"6目半", "6.5"}, {"덤 6집반", "6.5: first number"}, {"6目", "6"},
		{"5.5 points", "5.5"}, {"6.5 each", "6.5: first number"},
		{"375", "7.5: stones"}, {"275", "5.5: stones"}, {"325", "6.5: stones"},
		{"650", "6.5: hundredth"}, {"750", "7.5: hundredth"}, {"0", "0"},
		{"3.75", "7.5: stones"}, {"3又3/4子", "7.5: stones"}, {"黑贴3.75子", "7.5: stones"},
		{"2 3/4", "5.5: stones"}, {"361", "361"}, {"5000", "5000"},
		{"", "none"}, {"much", "none"}, {"NaN", "none"}, {"-", "none"}, {"Inf", "none"},
	} {
		x, guess, ok := komi(c.text, false)
		got := fmt.Sprint(x)
		if !ok {
			got = "none"
		}
		number, about, _ := strings.Cut(c.want, ": ")
		if got != number || !strings.Contains(guess, about) || about == "" && guess != "" {
			t.Errorf("%q: %s: %s, want %s", c.text, got, guess, c.want)
		}
	}
	// Tengen means what it writes.
	for _, text := range []string{"375", "3.75", "100", "-0.25"} {
		if x, guess, ok := komi(text, true); !ok || guess != "" || fmt.Sprint(x) != text {
			t.Errorf("%s: %v, %s", text, x, guess)
		}
	}
}
