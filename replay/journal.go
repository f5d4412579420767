package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tengen/internal/runid"
	"tengen/replay/record"
	"tengen/vfs"
)

// Journal keeps finished games that can't be appended to the Log yet, since games with smaller
// numbers are still played. It consists of files in a folder, in the format of segments, but with
// games in any order. It is used by one goroutine.
type Journal struct {
	// Run is the identity of the run, which the files carry that are begun from now on; 0: none.
	Run runid.ID

	fsys  vfs.FS
	dir   string
	files []*journalFile
	in    map[uint64]*journalFile // of the games that are not removed
	next  int
	file  vfs.File // the last of files, nil if none is open
}

type journalFile struct {
	path  string
	games int // that are not removed
	all   int
}

// journalGames is the number of games from which on a file of a Journal is followed by another.
const journalGames = 500

// OpenJournal opens the journal in a folder and creates the folder if necessary. It returns the
// games in it, and its damaged parts. A file or a game of another run than owner's is an error,
// which wraps runid.ErrOtherRun; a file with a damaged header is judged by the seed of its games.
// If owner is nil, nothing is checked.
func OpenJournal(
	fsys vfs.FS, dir string, owner *Owner,
) (j *Journal, games []*record.Game, damages []*Damage, err error) {
	if err := vfs.MkdirAll(fsys, dir); err != nil {
		return nil, nil, nil, fmt.Errorf("open journal: %w", err)
	}
	segments, err := Segments(fsys, dir)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("open journal: %w", err)
	}
	j = &Journal{fsys: fsys, dir: dir, in: map[uint64]*journalFile{}}
	if owner != nil {
		j.Run = owner.Run
	}
	for _, s := range segments {
		j.next = s.Number + 1
		f := &journalFile{path: s.Path}
		r, err := OpenJournalFile(fsys, s.Path)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("open journal: %w", err)
		}
		for {
			g, err := r.Next()
			if d, ok := err.(*Damage); ok {
				damages = append(damages, d)
				continue
			}
			if err != nil {
				break
			}
			if owner != nil {
				if err := owner.checkJournal(r.Run(), g); err != nil {
					_ = r.Close()
					return nil, nil, nil, fmt.Errorf("%s: %w", s.Path, err)
				}
			}
			if j.in[g.Number] == nil {
				j.in[g.Number] = f
				f.games++
				games = append(games, g)
			}
		}
		if err := r.Close(); err != nil {
			return nil, nil, nil, fmt.Errorf("open journal: %w", err)
		}
		if f.games == 0 {
			// What is damaged in it was never acknowledged, or can't be read in any case.
			_ = fsys.RemoveAll(f.path)
			continue
		}
		j.files = append(j.files, f)
	}
	return j, games, damages, nil
}

// Add makes games durable. After an error none of them counts, and Add can be called again.
func (j *Journal) Add(games []*record.Game) error {
	if len(games) == 0 {
		return nil
	}
	f, fresh, err := j.current()
	if err != nil {
		return err
	}
	var data []byte
	if fresh {
		data = segmentHeader(j.Run)
	}
	for _, g := range games {
		if data, err = record.Append(data, g); err != nil {
			return err
		}
	}
	_, err = j.file.Write(data)
	if err == nil {
		err = j.file.Sync()
	}
	if err == nil && fresh {
		err = j.fsys.SyncDir(j.dir)
	}
	if err != nil {
		// It is unknown what is on disk: another file begins.
		_ = j.file.Close()
		j.file = nil
		if f.games == 0 {
			_ = j.fsys.RemoveAll(f.path)
			j.files = j.files[:len(j.files)-1]
		}
		return fmt.Errorf("journal %s: %w", f.path, err)
	}
	for _, g := range games {
		if j.in[g.Number] == nil {
			j.in[g.Number] = f
			f.games++
		}
		f.all++
	}
	return nil
}

// current returns the file that games are appended to.
func (j *Journal) current() (f *journalFile, fresh bool, err error) {
	if j.file != nil {
		if f = j.files[len(j.files)-1]; f.all < journalGames {
			return f, false, nil
		}
		err := j.file.Close()
		j.file = nil
		if err != nil {
			return nil, false, fmt.Errorf("journal %s: %w", f.path, err)
		}
	}
	f = &journalFile{path: filepath.Join(j.dir, segmentName(j.next))}
	if j.file, err = j.fsys.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
		j.file = nil
		return nil, false, fmt.Errorf("journal: %w", err)
	}
	j.next++
	j.files = append(j.files, f)
	return f, true, nil
}

// Remove tells that a game is not needed any more. A file without any game that is needed is
// removed.
func (j *Journal) Remove(number uint64) error {
	f := j.in[number]
	if f == nil {
		return nil
	}
	delete(j.in, number)
	if f.games--; f.games > 0 {
		return nil
	}
	var err error
	for i, x := range j.files {
		if x != f {
			continue
		}
		if i == len(j.files)-1 && j.file != nil {
			err = j.file.Close()
			j.file = nil
		}
		j.files = append(j.files[:i:i], j.files[i+1:]...)
		break
	}
	if e := j.fsys.RemoveAll(f.path); err == nil && !errors.Is(e, fs.ErrNotExist) {
		err = e
	}
	return err
}

// Len returns the number of games that are not removed.
func (j *Journal) Len() int { return len(j.in) }

// Close closes the journal. Its games stay.
func (j *Journal) Close() error {
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file = nil
	return err
}
