package player

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"tengen/checkpoints"
	"tengen/checkpoints/pretrained"
	"tengen/internal/spec"
	"tengen/run"
)

// Paths within players. A path is as it is on disk: of az:a,c=2 that is a,c=2, where there is such a file or folder. Where there
// are both a,c=2 and a, the text says neither, and is refused; az:"a,c=2" and az:"a",c=2 are always
// clear, and players are named so.

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

// read parses the text of a player. Paths in it that are on disk as they are written need no quotation marks.
func read(text string) (*spec.Spec, error) {
	text, err := quoted(text)
	if err != nil {
		return nil, err
	}
	return spec.Parse(text)
}

// quoted returns the text of a player with quotation marks around the paths in it that need them and are on disk.
func quoted(text string) (string, error) {
	name, rest, ok := strings.Cut(text, ":")
	k := kindOf(strings.TrimSpace(name))
	if k == nil || !ok {
		return text, nil
	}
	var b strings.Builder
	b.WriteString(name)
	for separator, bare := byte(':'), k.path; ; separator, bare = ',', false {
		b.WriteByte(separator)
		value := rest
		path := bare
		for _, key := range fileKeys {
			if after, found := strings.CutPrefix(strings.TrimLeft(rest, " "), key+"="); found {
				value, path = after, true
			}
		}
		b.WriteString(rest[:len(rest)-len(value)])
		word, _, _ := strings.Cut(value, ",")
		if within, err := strconv.QuotedPrefix(value); err == nil && within[0] == '"' {
			word = within
		} else if longer := onDisk(value); path && longer != "" && spec.Quote(longer) != longer {
			if shorter := strings.TrimSpace(word); shorter != longer && !(bare && strings.Contains(shorter, "=")) && exists(shorter) {
				return "", fmt.Errorf("there are both %.200q and %.200q: write %s, or %s", longer, shorter,
					name+":"+spec.Quote(longer), name+":"+strconv.Quote(shorter)+value[len(word):])
			}
			b.WriteString(spec.Quote(longer))
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

// longestPath is the length of a path beyond which no system has any.
const longestPath = 4096

// onDisk returns the longest beginning of text, up to a comma or its end, that is a path on disk; "" if there is none.
func onDisk(text string) string {
	for end := len(text); end > 0; end = strings.LastIndexByte(text[:end], ',') {
		if end <= longestPath && exists(text[:end]) {
			return text[:end]
		}
	}
	return ""
}

// exists reports whether there is something at a path, or a network of a name.
func exists(path string) bool {
	if _, ok := pretrained.Find(path); ok {
		return true
	}
	_, err := os.Stat(run.Path(path))
	return path != "" && err == nil
}

// OnDisk reports whether there is a network on disk at path, as LoadModel takes it, or a run, which may have none yet.
func OnDisk(path string) bool {
	path = run.Path(path)
	return run.Folder(path).Exists() || checkpoints.Holds(path)
}

// shipped returns the network that comes with the program and has a name, unless there is one of the name on disk.
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
