package vfs_test

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"strings"
	"testing"

	"tengen/vfs"
	"tengen/vfs/vfstest"
)

type head struct {
	Of string `json:"of"`
}

type work struct {
	Number int `json:"number"`
}

// open opens the journal of something, and returns the numbers that it holds.
func open(fsys vfs.FS, of string) (*vfs.Journal, []int, error) {
	var numbers []int
	j, err := vfs.OpenJournal(fsys, "d/j.jsonl", head{of}, func(line []byte) error {
		var h head
		if err := vfs.ReadLine(line, &h); err != nil {
			return err
		}
		if h.Of != of {
			return errors.New("of " + h.Of)
		}
		return nil
	}, func(line []byte) error {
		var w work
		if err := vfs.ReadLine(line, &w); err != nil {
			return err
		}
		if slices.Contains(numbers, w.Number) {
			return vfs.ErrDuplicate
		}
		numbers = append(numbers, w.Number)
		return nil
	})
	return j, numbers, err
}

func contents(t *testing.T, fsys vfs.FS) string {
	t.Helper()
	data, err := vfs.ReadFile(fsys, "d/j.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func put(t *testing.T, text string) vfs.FS {
	t.Helper()
	fsys := vfstest.NewMemory()
	if err := vfs.MkdirAll(fsys, "d"); err != nil {
		t.Fatal(err)
	}
	f, err := fsys.OpenFile("d/j.jsonl", os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return fsys
}

// written returns a journal with the numbers 0 to 2.
func written(t *testing.T) string {
	t.Helper()
	fsys := vfstest.NewMemory()
	j, _, err := open(fsys, "a")
	if err == nil {
		err = j.Add(work{0}, work{1})
	}
	if err == nil {
		err = j.Add(work{2})
	}
	if err == nil {
		err = j.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return contents(t, fsys)
}

// TestCutAnywhere: a file that ends anywhere holds its whole lines, and can be appended to.
func TestCutAnywhere(t *testing.T) {
	whole := written(t)
	for n := range len(whole) + 1 {
		fsys := put(t, whole[:n])
		j, numbers, err := open(fsys, "a")
		if err != nil || len(j.Damaged) > 0 {
			t.Fatalf("%d bytes: %v, %v", n, err, j)
		}
		// The last line counts if only its newline is missing.
		if want := max(0, strings.Count(whole[:n]+"\n", "}\n")-1); len(numbers) != want {
			t.Fatalf("%d bytes hold %v, want %d", n, numbers, want)
		}
		if err := j.Add(work{7}); err != nil {
			t.Fatal(err)
		}
		if _, again, err := open(fsys, "a"); err != nil ||
			!slices.Equal(again, append(numbers, 7)) {
			t.Fatalf("%d bytes: then %v, %v", n, again, err)
		}
	}
}

// TestDamage: each single-bit error in a line after the first is found, named, and costs that line
// alone.
func TestDamage(t *testing.T) {
	whole := written(t)
	first := strings.Index(whole, "\n") + 1
	for i := first; i < len(whole); i++ {
		for bit := range 8 {
			text := []byte(whole)
			text[i] ^= 1 << bit
			fsys := put(t, string(text))
			j, numbers, err := open(fsys, "a")
			if err != nil {
				t.Fatal(err)
			}
			if len(numbers) > 2 || len(numbers) == 2 && i < len(whole)-1 && len(j.Damaged) != 1 {
				t.Fatalf("byte %d, bit %d: %v, %v", i, bit, numbers, j.Damaged)
			}
			again, kept, err := open(fsys, "a")
			if err != nil || len(again.Damaged) > 0 || !slices.Equal(kept, numbers) {
				t.Fatalf("byte %d, bit %d: opened again %v, %v, %v", i, bit, kept, again, err)
			}
		}
	}
}

// TestRefused: a file of something else is left as it is.
func TestRefused(t *testing.T) {
	for _, text := range []string{written(t), "what is this", "\n", `{"of":"a"}` + "\n"} {
		fsys := put(t, text)
		if _, _, err := open(fsys, "b"); err == nil || err.Error() != "of a" && err != vfs.ErrSeal {
			t.Errorf("%q: %v", text, err)
		}
		if contents(t, fsys) != text {
			t.Errorf("%q was changed", text)
		}
	}
}

// TestDuplicate: of two lines with the same number the first stays.
func TestDuplicate(t *testing.T) {
	whole := written(t)
	first := strings.Index(whole, "\n") + 1
	fsys := put(t, whole+whole[first:])
	j, numbers, err := open(fsys, "a")
	if err != nil || len(j.Damaged) > 0 || !slices.Equal(numbers, []int{0, 1, 2}) ||
		contents(t, fsys) != whole {
		t.Errorf("%v, %v, %q", err, numbers, contents(t, fsys))
	}
}

// TestErrorsAreReturned: what the file system refuses is not acknowledged.
func TestErrorsAreReturned(t *testing.T) {
	full := errors.New("full")
	for _, kind := range []vfstest.Kind{vfstest.Write, vfstest.Sync} {
		inner := vfstest.NewMemory()
		j, _, err := open(inner, "a")
		if err != nil || j.Close() != nil {
			t.Fatal(err)
		}
		fsys := vfstest.NewFaulty(inner, func(op vfstest.Op) error {
			if op.Kind == kind {
				return full
			}
			return nil
		})
		j, _, err = open(fsys, "a")
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Add(work{1}); !errors.Is(err, full) {
			t.Errorf("%v: %v, want %v", kind, err, full)
		}
	}
	if _, err := vfs.AppendLine(nil, func() {}); err == nil {
		t.Error("a function is no JSON")
	}
}

// TestLongLines: the longest line can be read back, and a longer one is neither written nor read.
func TestLongLines(t *testing.T) {
	type text struct {
		Text string `json:"text"`
	}
	short, err := vfs.AppendLine(nil, text{})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("a", vfs.MaxLine-len(short))
	line, err := vfs.AppendLine(nil, text{long})
	if err != nil || len(line) != vfs.MaxLine {
		t.Fatalf("%d bytes, %v", len(line), err)
	}
	var back text
	if err := vfs.ReadLine(line[:len(line)-1], &back); err != nil || back.Text != long {
		t.Errorf("%d letters are read back, %v", len(back.Text), err)
	}
	if _, err := vfs.AppendLine(nil, text{long + "a"}); err == nil ||
		err.Error() != "a line of 2097153 bytes; the maximum is 2097152" {
		t.Error(err)
	}
	longer := []byte(`{"text":"` + long + `a"`)
	longer = fmt.Appendf(longer, `,"crc":"%08x"}`,
		crc32.Checksum(longer, crc32.MakeTable(crc32.Castagnoli)))
	if err := vfs.ReadLine(longer, &back); err == nil ||
		err.Error() != "it is longer than 2097152 bytes" {
		t.Error(err)
	}
}

// TestHeadIsOfTheFormat: a first line of another format or version is refused, and says which.
func TestHeadIsOfTheFormat(t *testing.T) {
	type head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
		Of      string `json:"of"`
	}
	line, err := vfs.AppendLine(nil, head{"a match", 2, "x"})
	if err != nil {
		t.Fatal(err)
	}
	line = line[:len(line)-1]
	var got head
	if err := vfs.ReadHead(line, &got, "a match", 2); err != nil || got.Of != "x" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, c := range []struct {
		format  string
		version int
	}{{"a match", 1}, {"a match", 3}, {"another", 2}} {
		if err := vfs.ReadHead(line, &got, c.format, c.version); err == nil ||
			!strings.Contains(err.Error(), `says format "a match", version 2`) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := vfs.ReadHead(line[1:], &got, "a match", 2); !errors.Is(err, vfs.ErrSeal) {
		t.Errorf("a damaged line: %v", err)
	}
}

// TestManyDamagedLines: each of a thousand lines is described, and the others are counted.
func TestManyDamagedLines(t *testing.T) {
	for _, n := range []int{1000, 1001, 50_000} {
		fsys := put(t, written(t)+strings.Repeat("a\n", n))
		j, numbers, err := open(fsys, "a")
		if err != nil || len(numbers) != 3 || len(j.Damaged) != min(n, 1001) {
			t.Fatalf("%d lines: %v, %d errors, %v", n, numbers, len(j.Damaged), err)
		}
		if last := j.Damaged[len(j.Damaged)-1].Error(); n > 1000 &&
			!strings.HasSuffix(last, fmt.Sprintf(": %d more lines are skipped", n-1000)) {
			t.Errorf("%d lines: %s", n, last)
		}
	}
}

// FuzzJournal: any bytes can be opened or are refused, and what was opened is the same when it is
// opened again.
func FuzzJournal(f *testing.F) {
	line, _ := vfs.AppendLine(nil, head{"a"})
	game, _ := vfs.AppendLine(nil, work{1})
	f.Add(string(line) + string(game))
	f.Add(string(line) + string(game[:9]))
	f.Add(string(game))
	f.Fuzz(func(t *testing.T, text string) {
		fsys := put(t, text)
		j, numbers, err := open(fsys, "a")
		if err != nil {
			return
		}
		_ = j.Close()
		again, kept, err := open(fsys, "a")
		if err != nil || len(again.Damaged) > 0 || !slices.Equal(kept, numbers) {
			t.Fatalf("%q: opened again %v, not %v, %v", text, kept, numbers, err)
		}
	})
}
