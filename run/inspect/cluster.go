package inspect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"tengen/internal/runid"
	"tengen/replay"
	"tengen/run"
	"tengen/vfs"
)

// Cluster describes what a run has kept whose games were played on other machines.
type Cluster struct {
	Holder *vfs.Holder `json:"holder"` // the trainer that shares games now; null if there is none
	Files  int         `json:"files"`  // of the journal
	Bytes  int64       `json:"bytes"`
	// Games are those of the journal: workers' games that were acknowledged, and that the replay
	// takes up in their order.
	Games  int     `json:"games"`
	First  *uint64 `json:"first"` // the smallest of their numbers; null if there is none
	Last   *uint64 `json:"last"`  // the greatest
	Broker int64   `json:"broker_bytes"`
}

// secretBytes is the length of the file cluster/secret: cluster.SecretSize.
const secretBytes = 32

// cluster inspects the folder of a run that others played games for, if there is one.
func (i *inspector) cluster(dir string) error {
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	} else if !info.IsDir() {
		i.found.damaged(Finding{Path: dir, What: "a folder is wanted"})
		return nil
	}
	c := &Cluster{}
	i.found.Cluster = c
	var err error
	if c.Holder, err = (vfs.OS{}).LockHolder(filepath.Join(dir, run.LockFile)); err != nil &&
		!errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	secret := filepath.Join(dir, "secret")
	if info, err := os.Stat(secret); err == nil && info.Size() != secretBytes {
		i.found.damaged(Finding{
			Path: secret,
			What: fmt.Sprintf(
				"%d bytes, not %d: remove it; games that were given out before then do not count",
				info.Size(), secretBytes),
		})
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = filepath.WalkDir(filepath.Join(dir, "nats"), func(
		_ string, e fs.DirEntry, err error,
	) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				c.Broker += info.Size()
			}
		}
		return nil // the broker in progress removes files, and nothing in its store is needed
	})
	if err != nil {
		return err
	}
	segments, err := replay.Segments(vfs.OS{}, filepath.Join(dir, "journal"))
	if err != nil {
		return err
	}
	numbers := map[uint64]bool{}
	for _, s := range segments {
		if err := i.journal(s.Path, c, numbers); errors.Is(err, fs.ErrNotExist) {
			continue // the run in progress has removed it
		} else if err != nil {
			return err
		}
		c.Files++
	}
	c.Games = len(numbers)
	return nil
}

// journal inspects a file of the journal, and adds the numbers of its games.
func (i *inspector) journal(path string, c *Cluster, numbers map[uint64]bool) error {
	r, err := replay.OpenJournalFile(vfs.OS{}, path)
	if err != nil {
		return err
	}
	defer r.Close()
	if info, err := os.Stat(path); err == nil {
		c.Bytes += info.Size()
	}
	check, last := rules{}, uint64(0)
	other, games := false, 0
	for {
		if err := i.ctx.Err(); err != nil {
			return err
		}
		g, err := r.Next()
		var d *replay.Damage
		switch {
		case err == io.EOF:
			if games == 0 && r.Run() != 0 {
				i.owner(path, 0, r.Run())
			}
			return nil
		case errors.As(err, &d):
			f := damagedPart(d)
			if d.Torn && !foreign(d) {
				f.What = "what a crash left; games that are missing are played again: " + f.What
				i.found.note(f)
			} else {
				f.What += "; its games are played again"
				i.found.damaged(f)
			}
			continue
		case err != nil:
			return err
		}
		if games++; games == 1 && r.Run() != 0 { // else the header is damaged
			other = i.owner(path, 0, r.Run())
		}
		if i.seed != nil && g.Seed != *i.seed && !other {
			other = true
			i.found.damaged(Finding{
				Path: path,
				What: fmt.Sprintf("%v: games were played with seed %d, this run's is %d",
					runid.ErrOtherRun, g.Seed, *i.seed),
			})
		}
		if i.all {
			if g.Number <= last {
				clear(check) // its windows take games in order
			}
			last = g.Number
			i.play(path, g, check)
		}
		number := g.Number // a pointer into the game would keep all of it in memory
		if numbers[number] = true; c.First == nil || number < *c.First {
			c.First = &number
		}
		if c.Last == nil || number > *c.Last {
			c.Last = &number
		}
	}
}
