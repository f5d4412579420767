//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

	"tengen/checkpoints"
	"tengen/replay"
	"tengen/run"
	"tengen/tools/internal/tengen"
	"tengen/vfs"
)

// reference is the undisturbed run: what every other must come to.
type reference struct {
	end   *checkpoints.Checkpoint
	games map[uint64]*replay.Game // all of them
}

func newReference(folder run.Folder) (*reference, error) {
	end, err := tengen.Newest(folder)
	if err != nil {
		return nil, err
	}
	games, damages, err := loadGames(folder)
	if err != nil || len(damages) > 0 {
		return nil, fmt.Errorf("the undisturbed run is damaged: %v, %v", err, damages)
	}
	r := &reference{end: end, games: map[uint64]*replay.Game{}}
	for _, g := range games {
		r.games[g.Number] = g
	}
	return r, nil
}

func loadGames(folder run.Folder) ([]*replay.Game, []*replay.Damage, error) {
	const all = 1 << 40
	return replay.Load(vfs.OS{}, folder.Replay(), all, all)
}

// progress is how far a run has come by its own account.
type progress struct {
	acknowledged int    // iteration of the last line that says that one is done
	next         uint64 // number above that of every game seen on disk
	events       int    // lines looked at
}

// check looks at what a kill has left. It advances p.
func (r *reference) check(folder run.Folder, p *progress) error {
	if err := p.follow(folder.Events()); err != nil {
		return err
	}
	newest := 0
	switch c, err := tengen.Newest(folder); {
	case err == nil:
		newest = c.Iteration
	case !errors.Is(err, checkpoints.ErrNone):
		return err
	}
	if newest < p.acknowledged {
		return fmt.Errorf("iteration %d is acknowledged, the newest checkpoint is of %d", p.acknowledged, newest)
	}
	return r.checkGames(folder, p)
}

// follow reads the event log: an iteration that is done once is not done again,
// and a resumed run begins no earlier than where it was.
func (p *progress) follow(path string) error {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	number := 0
	for lines.Scan() {
		if number++; number <= p.events {
			continue
		}
		var e run.Event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // a kill cut it short: it says nothing
		}
		switch {
		case e.Kind == run.EventResume && e.Iteration < p.acknowledged:
			return fmt.Errorf("%s, line %d: resumed at iteration %d, but %d was acknowledged", path, number, e.Iteration, p.acknowledged)
		case e.Kind == run.EventIteration && e.Iteration <= p.acknowledged:
			return fmt.Errorf("%s, line %d: iteration %d, but %d was acknowledged", path, number, e.Iteration, p.acknowledged)
		case e.Kind == run.EventIteration:
			p.acknowledged = e.Iteration
		case e.Kind == run.EventWarning:
			return fmt.Errorf("%s, line %d: a warning: %s", path, number, lines.Bytes())
		}
	}
	p.events = number
	return lines.Err()
}

// checkGames compares every game on disk, also those that a later segment
// replaces, with the undisturbed run's, and counts those that a resumed run reads.
func (r *reference) checkGames(folder run.Folder, p *progress) error {
	segments, err := replay.Segments(vfs.OS{}, folder.Replay())
	if err != nil {
		return err
	}
	for _, s := range segments {
		if err := r.checkSegment(s.Path); err != nil {
			return err
		}
	}
	games, _, err := loadGames(folder)
	if err != nil {
		return err
	}
	next := uint64(0)
	for i, g := range games {
		if i > 0 && g.Number != next {
			return fmt.Errorf("%s: game %d follows game %d", folder.Replay(), g.Number, next-1)
		}
		next = g.Number + 1
	}
	if next < p.next {
		return fmt.Errorf("%s: the games end at %d, but there were some up to %d", folder.Replay(), next, p.next)
	}
	p.next = next
	return nil
}

func (r *reference) checkSegment(path string) error {
	reader, err := replay.OpenSegment(vfs.OS{}, path)
	if err != nil {
		return err
	}
	defer reader.Close()
	for {
		g, err := reader.Next()
		var d *replay.Damage
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &d) && d.Torn:
			continue // what a kill leaves
		case err != nil:
			return err
		}
		if !reflect.DeepEqual(g, r.games[g.Number]) {
			return fmt.Errorf("%s: game %d is not the undisturbed run's", path, g.Number)
		}
	}
}

// checkEnd compares a complete run with the undisturbed one.
func (r *reference) checkEnd(folder run.Folder) error {
	end, err := tengen.Newest(folder)
	if err == nil {
		err = tengen.Same(end, r.end)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	games, _, err := loadGames(folder)
	if err != nil {
		return err
	}
	if n := len(games); n == 0 || games[n-1].Number+1 != uint64(len(r.games)) {
		return fmt.Errorf("%s: the games end elsewhere than the undisturbed run's %d", folder, len(r.games))
	}
	return nil
}
