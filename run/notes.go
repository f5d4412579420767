package run

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"tengen/vfs"
)

// NotesFile is the name of a person's notes in a run's folder.
const NotesFile = "notes.md"

// MaxNotes is the size, in bytes, of the longest notes.
const MaxNotes = 64 << 10

// Notes are what a person writes about a run: text, of which the first line may stand for the
// whole.
type Notes struct {
	Text string `json:"text"`
	// Version changes with the text. It is "" as long as there are none.
	Version string `json:"version"`
}

// Title returns the first line that is not empty, without the marks of a heading and cut to 80
// characters.
func (n Notes) Title() string {
	for line := range strings.Lines(n.Text) {
		if line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#")); line != "" {
			if letters := []rune(line); len(letters) > 80 {
				line = string(letters[:79]) + "…"
			}
			return line
		}
	}
	return ""
}

// ErrNotesChanged says that somebody else has changed the notes since they were read.
var ErrNotesChanged = errors.New("the notes were changed elsewhere since they were read")

// ErrNotesText wraps refusals of a text.
var ErrNotesText = errors.New("these notes can't be kept")

// Notes returns the path of a person's notes about the run, as text. It is missing if there are
// none.
func (f Folder) Notes() string { return f.join(NotesFile) }

// ReadNotes reads the notes; a run without any has empty ones.
func (f Files) ReadNotes() (Notes, error) {
	text, err := vfs.ReadFileUpTo(f.FS, f.Notes(), MaxNotes)
	if errors.Is(err, fs.ErrNotExist) {
		return Notes{}, nil
	}
	if err != nil {
		return Notes{}, fmt.Errorf("read the notes: %w", err)
	}
	return notesOf(strings.ToValidUTF8(string(text), "\uFFFD")), nil
}

func notesOf(text string) Notes {
	sum := sha256.Sum256([]byte(text))
	return Notes{Text: text, Version: hex.EncodeToString(sum[:8])}
}

// writing lets one write of notes of this process run at a time.
var writing sync.Mutex

// WriteNotes replaces the notes of version before by text, and returns the new ones. A crash leaves
// either the old ones or the new. The error wraps ErrNotesChanged if the notes have another version
// by now, and ErrNotesText if the text is no UTF-8 or too long. Of two processes that write at the
// same moment the last one wins, as a whole.
func (f Files) WriteNotes(text, before string) (Notes, error) {
	switch {
	case len(text) > MaxNotes:
		return Notes{}, fmt.Errorf("%w: %d bytes are written, and %d are the limit",
			ErrNotesText, len(text), MaxNotes)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return Notes{}, fmt.Errorf("%w: text in UTF-8 is wanted", ErrNotesText)
	}
	writing.Lock()
	defer writing.Unlock()
	now, err := f.ReadNotes()
	if err != nil {
		return Notes{}, err
	}
	if now.Version != before {
		return now, ErrNotesChanged
	}
	// Another process may write too: the name of what is incomplete is this write's own.
	whole := f.join(".notes." + rand.Text()[:8] + ".tmp")
	if err = vfs.WriteBytes(f.FS, whole, []byte(text)); err == nil {
		if err = f.FS.Rename(whole, f.Notes()); err == nil {
			err = f.FS.SyncDir(filepath.Dir(f.Notes()))
		} else {
			_ = f.FS.RemoveAll(whole) // a leftover is harmless: it has a temporary name
		}
	}
	if err != nil {
		return Notes{}, fmt.Errorf("write the notes: %w", err)
	}
	return notesOf(text), nil
}
