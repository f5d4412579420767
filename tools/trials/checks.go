//go:build linux

package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/run/inspect"
	"tengen/tools/internal/tengen"
	"tengen/vfs"
)

// checker checks the folder of a run.
type checker interface {
	// check checks it after a kill, and updates p.
	check(folder run.Folder, p *progress) error
	// checkEnd checks a complete run.
	checkEnd(folder run.Folder) error
	// String says what a complete run has passed.
	String() string
}

// reference is the uninterrupted run, with which all others must agree.
type reference struct {
	end   *checkpoints.Checkpoint
	games map[uint64]*record.Game // all of them
}

func (*reference) String() string { return "it equals the uninterrupted one to the bit" }

func newReference(folder run.Folder) (*reference, error) {
	end, err := tengen.Newest(folder)
	if err != nil {
		return nil, err
	}
	games, damages, err := tengen.LoadGames(folder)
	if err != nil || len(damages) > 0 {
		return nil, fmt.Errorf("the uninterrupted run is damaged: %v, %v", err, damages)
	}
	r := &reference{end: end, games: map[uint64]*record.Game{}}
	for _, g := range games {
		r.games[g.Number] = g
	}
	return r, nil
}

// progress is what a run has reported and written so far.
type progress struct {
	acknowledged int    // the last iteration that the event log reports as finished
	next         uint64 // one more than the greatest number of a game seen on disk
	events       int    // lines of the event log read
}

// check checks the folder after a kill, and updates p.
func (r *reference) check(folder run.Folder, p *progress) error {
	if _, err := p.newest(folder); err != nil {
		return err
	}
	return r.checkGames(folder, p)
}

// newest reads the event log and returns the newest checkpoint, nil if there is none. It returns an
// error if an iteration is acknowledged of which there is no checkpoint.
func (p *progress) newest(folder run.Folder) (*checkpoints.Checkpoint, error) {
	if err := p.follow(folder.Events()); err != nil {
		return nil, err
	}
	newest := 0
	c, err := tengen.Newest(folder)
	switch {
	case err == nil:
		newest = c.Iteration
	case !errors.Is(err, checkpoints.ErrNone):
		return nil, err
	}
	if newest < p.acknowledged {
		return nil, fmt.Errorf("iteration %d is acknowledged, the newest checkpoint is of %d",
			p.acknowledged, newest)
	}
	return c, nil
}

// follow reads the event log. It returns an error if a reported iteration is repeated, or
// the run was resumed from an earlier iteration.
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
			continue // truncated by a kill
		}
		switch {
		case e.Kind == run.EventResume && e.Iteration < p.acknowledged:
			return fmt.Errorf("%s, line %d: resumed at iteration %d, but %d was acknowledged",
				path, number, e.Iteration, p.acknowledged)
		case e.Kind == run.EventIteration && e.Iteration <= p.acknowledged:
			return fmt.Errorf("%s, line %d: iteration %d, but %d was acknowledged",
				path, number, e.Iteration, p.acknowledged)
		case e.Kind == run.EventIteration:
			p.acknowledged = e.Iteration
		case e.Kind == run.EventWarning:
			return fmt.Errorf("%s, line %d: a warning: %s", path, number, lines.Bytes())
		}
	}
	p.events = number
	return lines.Err()
}

// checkGames compares every game on disk, including those that a later segment replaces,
// with the uninterrupted run's, and checks that no game that a resumed run loads is
// missing.
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
	games, _, err := tengen.LoadGames(folder)
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
		return fmt.Errorf("%s: the games end at %d, but there were games up to %d",
			folder.Replay(), next, p.next)
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
			continue // left by a kill
		case err != nil:
			return err
		}
		if !reflect.DeepEqual(g, r.games[g.Number]) {
			return fmt.Errorf("%s: game %d differs from the uninterrupted run's", path, g.Number)
		}
	}
}

// checkEnd compares a complete run with the uninterrupted one.
func (r *reference) checkEnd(folder run.Folder) error {
	end, err := tengen.Newest(folder)
	if err == nil {
		err = tengen.Same(end, r.end)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	games, _, err := tengen.LoadGames(folder)
	if err != nil {
		return err
	}
	if n := len(games); n == 0 || games[n-1].Number+1 != uint64(len(r.games)) {
		return fmt.Errorf("%s: the number of games differs from the uninterrupted run's %d",
			folder, len(r.games))
	}
	return nil
}

// records checks runs of an asynchronous cycle, which differ, from their own records: a game that
// was seen on disk is there ever after, as it was, and the newest checkpoint has learned from each
// of its games once.
type records struct {
	seen   [][sha256.Size]byte // digests of the run's games, by number
	config *configs.Config
}

func (*records) String() string {
	return "no game is lost, and each is learned from once"
}

func (r *records) check(folder run.Folder, p *progress) error {
	c, err := p.newest(folder)
	if err != nil {
		return err
	}
	games, _, err := tengen.LoadGames(folder)
	if err != nil {
		return err
	}
	if p.events == 0 {
		r.seen, r.config = nil, nil // a new run
	}
	if err := r.remember(games); err != nil {
		return fmt.Errorf("%s: %w", folder.Replay(), err)
	}
	if c == nil {
		return nil
	}
	if r.config == nil {
		if r.config, err = folder.ReadConfig(); err != nil {
			return err
		}
	}
	return inspect.VerifyAsynchronous(r.config, games, c)
}

// remember compares games with those seen before.
func (r *records) remember(games []*record.Game) error {
	if len(games) < len(r.seen) {
		return fmt.Errorf("%d games; there were %d", len(games), len(r.seen))
	}
	for i, g := range games {
		data, err := record.AppendEncoded(nil, g)
		if err != nil {
			return err
		}
		digest := sha256.Sum256(data)
		if i == len(r.seen) {
			r.seen = append(r.seen, digest)
		}
		if r.seen[i] != digest {
			return fmt.Errorf("game %d is not the one that was there", i)
		}
	}
	return nil
}

func (r *records) checkEnd(folder run.Folder) error {
	c, err := tengen.Newest(folder)
	if err != nil {
		return err
	}
	games, _, err := tengen.LoadGames(folder)
	if err != nil {
		return err
	}
	err = inspect.VerifyAsynchronous(r.config, games, c)
	r.seen, r.config = nil, nil // another run begins
	return err
}
