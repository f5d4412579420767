package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A victim is what a trial damages: a file, or the folder of a checkpoint. Paths are relative to a
// run's folder.
type victim struct {
	path   string
	folder bool
}

// victims lists the files of a run and the folders of its checkpoints.
func victims(dir string) (list []victim, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		inside := filepath.Dir(rel) == "checkpoints"
		switch {
		case d.IsDir() && rel == filepath.Join("cluster", "nats"):
			// the broker's store, which is made anew
			return filepath.SkipDir
		case d.IsDir() && inside:
			list = append(list, victim{rel, true})
		case d.Type().IsRegular():
			list = append(list, victim{rel, false})
		}
		return nil
	})
	return list, err
}

// kind is what a victim is called in the report.
func (v victim) kind() string {
	dir, name := filepath.Split(v.path)
	switch {
	case v.folder:
		return "a checkpoint's folder"
	case strings.HasPrefix(dir, "checkpoints"):
		return "checkpoints/*/" + name
	case dir == "replay/":
		return "replay/*.games"
	case strings.HasPrefix(dir, "cluster/journal"):
		return "cluster/journal/*"
	case dir == "eval/" && strings.HasPrefix(name, "0"):
		return "eval/0000*.json"
	case strings.HasPrefix(name, "config.0"):
		return "config.0000*.yaml"
	}
	return v.path
}

// A damage changes a file of a run. data is its content; it returns the new one, and false if it
// can't be done to this file.
type damage struct {
	name string
	do   func(rng *rand.Rand, data []byte) ([]byte, bool)
}

// within returns a random part [from, to) of n bytes, not empty.
func within(rng *rand.Rand, n int) (from, to int) {
	from = rng.IntN(n)
	return from, from + 1 + rng.IntN(min(n-from, max(16, n/4)))
}

var damages = []damage{
	{"a bit flipped", func(rng *rand.Rand, d []byte) ([]byte, bool) {
		if len(d) > 0 {
			d[rng.IntN(len(d))] ^= 1 << rng.IntN(8)
		}
		return d, len(d) > 0
	}},
	{"bits flipped", func(rng *rand.Rand, d []byte) ([]byte, bool) {
		for range 2 + rng.IntN(30) {
			if len(d) > 0 {
				d[rng.IntN(len(d))] ^= 1 << rng.IntN(8)
			}
		}
		return d, len(d) > 0
	}},
	{"cut", func(rng *rand.Rand, d []byte) ([]byte, bool) {
		if len(d) == 0 {
			return d, false
		}
		return d[:rng.IntN(len(d))], true
	}},
	{"empty", func(_ *rand.Rand, d []byte) ([]byte, bool) { return nil, len(d) > 0 }},
	{"zeros at the end", func(rng *rand.Rand, d []byte) ([]byte, bool) {
		return append(d, make([]byte, 1+rng.IntN(5000))...), true
	}},
	{"noise at the end", func(rng *rand.Rand, d []byte) ([]byte, bool) {
		for range 1 + rng.IntN(2000) {
			d = append(d, byte(rng.Uint32()))
		}
		return d, true
	}},
	{"doubled", func(_ *rand.Rand, d []byte) ([]byte, bool) { return append(d, d...), len(d) > 0 }},
	{"a block of zeros", func(rng *rand.Rand, d []byte) ([]byte, bool) {
		if len(d) == 0 {
			return d, false
		}
		from, to := within(rng, len(d))
		clear(d[from:to])
		return d, true
	}},
	{"a block of noise", func(rng *rand.Rand, d []byte) ([]byte, bool) {
		if len(d) == 0 {
			return d, false
		}
		from, to := within(rng, len(d))
		for i := from; i < to; i++ {
			d[i] = byte(rng.Uint32())
		}
		return d, true
	}},
	{"a block lost", func(rng *rand.Rand, d []byte) ([]byte, bool) {
		if len(d) == 0 {
			return d, false
		}
		from, to := within(rng, len(d))
		return slices.Delete(d, from, to), true
	}},
	{"a block twice", func(rng *rand.Rand, d []byte) ([]byte, bool) {
		if len(d) == 0 {
			return d, false
		}
		from, to := within(rng, len(d))
		return slices.Insert(d, to, bytes.Clone(d[from:to])...), true
	}},
	{"blocks exchanged", func(rng *rand.Rand, d []byte) ([]byte, bool) {
		if len(d) < 4 {
			return d, false
		}
		n := 1 + rng.IntN(len(d)/2)
		a := rng.IntN(len(d) - 2*n + 1)
		b := a + n + rng.IntN(len(d)-2*n-a+1)
		x := bytes.Clone(d[a : a+n])
		copy(d[a:a+n], d[b:b+n])
		copy(d[b:b+n], x)
		return d, true
	}},
	{"a line lost", lines(func(rng *rand.Rand, l [][]byte) [][]byte {
		i := rng.IntN(len(l))
		return slices.Delete(l, i, i+1)
	})},
	{"a line twice", lines(func(rng *rand.Rand, l [][]byte) [][]byte {
		i := rng.IntN(len(l))
		return slices.Insert(l, rng.IntN(len(l)), l[i])
	})},
	{"lines exchanged", lines(func(rng *rand.Rand, l [][]byte) [][]byte {
		i, k := rng.IntN(len(l)), rng.IntN(len(l))
		l[i], l[k] = l[k], l[i]
		return l
	})},
	{"a digit changed", func(rng *rand.Rand, d []byte) ([]byte, bool) {
		var at []int
		for i, c := range d {
			if c >= '0' && c <= '9' {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			return d, false
		}
		i := at[rng.IntN(len(at))]
		d[i] = '0' + (d[i]-'0'+1+byte(rng.IntN(9)))%10
		return d, true
	}},
}

// lines is a damage of a text's lines.
func lines(
	do func(rng *rand.Rand, list [][]byte) [][]byte,
) func(*rand.Rand, []byte) ([]byte, bool) {
	return func(rng *rand.Rand, d []byte) ([]byte, bool) {
		list := slices.Collect(bytes.Lines(d))
		if len(list) < 2 || bytes.IndexByte(d, 0) >= 0 {
			return d, false
		}
		return bytes.Join(do(rng, list), nil), true
	}
}

// harm damages a victim in the run's folder dir at random and returns what was done. other is a run
// of another seed.
func (v victim) harm(rng *rand.Rand, dir, other string) (what string, err error) {
	path := filepath.Join(dir, v.path)
	for {
		if v.folder || rng.IntN(3) == 0 {
			if what, err = v.replace(rng, dir, other); what != "" || err != nil {
				return what, err
			}
			continue
		}
		before, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		d := damages[rng.IntN(len(damages))]
		after, ok := d.do(rng, bytes.Clone(before))
		if !ok || bytes.Equal(before, after) {
			if len(before) == 0 && rng.IntN(100) == 0 {
				return "nothing", nil
			}
			continue
		}
		return d.name, os.WriteFile(path, after, 0o644)
	}
}

// replace puts something else in the place of a victim. It returns "" if what it chose can't be
// done.
func (v victim) replace(rng *rand.Rand, dir, other string) (what string, err error) {
	path := filepath.Join(dir, v.path)
	sibling := v.sibling(rng, dir)
	switch rng.IntN(7) {
	case 0:
		return "removed", os.RemoveAll(path)
	case 1:
		if sibling == "" {
			return "", nil
		}
		aside := filepath.Join(dir, ".aside")
		return "exchanged with " + sibling,
			errors.Join(os.Rename(path, aside), os.Rename(filepath.Join(dir, sibling), path),
				os.Rename(aside, filepath.Join(dir, sibling)))
	case 2:
		if sibling == "" {
			return "", nil
		}
		return "replaced by " + sibling, put(path, filepath.Join(dir, sibling))
	case 3, 4: // more often
		from := filepath.Join(other, v.path)
		if _, err := os.Lstat(from); err != nil {
			return "", nil
		}
		if a, err := os.ReadFile(path); err == nil {
			if b, err := os.ReadFile(from); err == nil && bytes.Equal(a, b) {
				return "", nil
			}
		}
		return "that of another run", put(path, from)
	case 5:
		if v.folder {
			next := filepath.Join(dir, filepath.Dir(v.path), fmt.Sprintf("%06d", 5+rng.IntN(9)))
			return "twice, also as " + filepath.Base(next), put(next, path)
		}
		return "a folder in its place", errors.Join(os.Remove(path), os.Mkdir(path, 0o755))
	default:
		target := "nothing"
		if sibling != "" && rng.IntN(2) == 0 {
			target = filepath.Join(dir, sibling)
		}
		return "a link in its place", errors.Join(os.RemoveAll(path), os.Symlink(target, path))
	}
}

// sibling returns another victim of the same kind, "" if there is none.
func (v victim) sibling(rng *rand.Rand, dir string) string {
	all, err := victims(dir)
	if err != nil {
		return ""
	}
	var same []string
	for _, x := range all {
		if x != v && x.kind() == v.kind() {
			same = append(same, x.path)
		}
	}
	if len(same) == 0 {
		return ""
	}
	return same[rng.IntN(len(same))]
}

// put replaces a file or folder by a copy of another.
func put(path, from string) error {
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(path, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
