package player

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"tengen/checkpoints"
	"tengen/checkpoints/pretrained"
	"tengen/internal/notation"
	"tengen/run"
)

// Paths within players. A path is as it is on disk: of az:a,c=2 that is a,c=2, where there is such
// a file or folder. Where there are both a,c=2 and a, the text says neither, and is refused;
// az:"a,c=2" and az:"a",c=2 are always clear, and players are named so.

// The keys whose values are paths.
const (
	beliefKey = "belief"
	tableKey  = "table"
)

var fileKeys = []string{beliefKey, tableKey}

// kindOf returns the kind of player with a name, nil if there is none.
func kindOf(name string) *kind {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i]
		}
	}
	return nil
}

// read parses the text of a player. Paths in it that are on disk as they are written need no
// quotation marks.
func read(text string) (*notation.Spec, error) {
	text, err := quoted(text)
	if err != nil {
		return nil, err
	}
	return notation.Parse(text)
}

// quoted returns the text of a player with quotation marks around the paths in it that need them
// and are on disk.
func quoted(text string) (string, error) {
	name, rest, ok := strings.Cut(text, ":")
	k := kindOf(strings.TrimSpace(name))
	if k == nil || !ok {
		return text, nil
	}
	var b strings.Builder
	b.WriteString(name)
	keys := slices.Clone(fileKeys)
	for separator, bare := byte(':'), k.path; ; separator, bare = ',', false {
		b.WriteByte(separator)
		value := rest
		path := bare
		for i, key := range keys {
			if after, found := strings.CutPrefix(strings.TrimLeft(rest, " "), key+"="); found {
				value, path = after, true
				keys = slices.Delete(keys, i, i+1) // Parse refuses a second one
				break
			}
		}
		longer := ""
		if path {
			longer = onDisk(value)
		}
		b.WriteString(rest[:len(rest)-len(value)])
		word, _, _ := strings.Cut(value, ",")
		if within, err := strconv.QuotedPrefix(value); err == nil && within[0] == '"' {
			word = within
		} else if longer != "" && notation.Quote(longer) != longer {
			if shorter := strings.TrimSpace(word); shorter != longer &&
				!(bare && strings.Contains(shorter, "=")) && exists(shorter) {
				return "", fmt.Errorf("there are both %.200q and %.200q: write %s, or %s",
					longer, shorter,
					name+":"+notation.Quote(longer),
					name+":"+strconv.Quote(shorter)+value[len(word):])
			}
			b.WriteString(notation.Quote(longer))
			value, word = value[len(longer):], ""
		}
		b.WriteString(word)
		value = value[len(word):]
		end := strings.IndexByte(value, ',')
		if end < 0 {
			b.WriteString(value)
			return b.String(), nil
		}
		b.WriteString(value[:end])
		rest = value[end+1:]
	}
}

// Bounds on what is looked for on disk, since a player's text may come from a file that somebody
// else has made: no system has longer paths, and one with more commas needs quotation marks.
const (
	longestPath = 4096
	mostCommas  = 16
)

// onDisk returns the longest beginning of text, up to a comma or its end, that is a path on disk;
// "" if there is none.
func onDisk(text string) (found string) {
	for end, commas := -1, 0; end < len(text) && commas <= mostCommas; commas++ {
		if next := strings.IndexByte(text[end+1:], ','); next >= 0 {
			end += 1 + next
		} else {
			end = len(text)
		}
		if end > longestPath {
			break
		}
		if exists(text[:end]) {
			found = text[:end]
		}
	}
	return found
}

// exists reports whether there is something at a path, or a network of a name.
func exists(path string) bool {
	if _, ok := pretrained.Find(path); ok {
		return true
	}
	_, err := os.Stat(run.Path(path))
	return path != "" && err == nil
}

// OnDisk reports whether there is a network on disk at path, as LoadModel takes it, or a run, which
// may have none yet.
func OnDisk(path string) bool {
	path = run.Path(path)
	return run.Folder(path).Exists() || checkpoints.Holds(path)
}

// shipped returns the network that comes with the program and has a name, unless there is one of
// the name on disk.
func shipped(name string) (pretrained.Network, bool) {
	n, ok := pretrained.Find(name)
	return n, ok && !OnDisk(name)
}

// unknown adds to the error for a path at which there is nothing what may have been meant.
func unknown(path string, err error) error {
	if _, missing := os.Lstat(run.Path(path)); !errors.Is(missing, fs.ErrNotExist) {
		return err
	}
	names := make([]string, len(pretrained.Networks))
	for i, n := range pretrained.Networks {
		names[i] = n.Name
	}
	return fmt.Errorf("%w%s", err, run.DidYouMean(path, names...))
}
