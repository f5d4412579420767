package arena

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"tengen/game"
	"tengen/vfs"
	"tengen/vfs/journal"
)

// Store keeps the finished games of a tournament in a folder, so that after a kill or a power
// failure only the missing games are played. It is used by one goroutine and one process at a
// time.
type Store struct {
	// Damaged has an error for each line of the file that was skipped; the games of these lines
	// are played again.
	Damaged []error

	journal *journal.Journal
	games   map[int]Record
}

// ErrOtherMatch is wrapped by errors of OpenStore for folders that hold another match.
var ErrOtherMatch = errors.New("it holds another match")

// OpenStore opens the folder dir for the games of a tournament, and creates it if necessary. If
// it holds another match (of another game, other players, another seed or opening), it returns
// an error that wraps ErrOtherMatch. The number of games may differ: a match can be resumed
// with more games.
func OpenStore(fsys vfs.FS, dir string, t *Tournament) (*Store, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	s := &Store{games: map[int]Record{}}
	if err := s.open(fsys, dir, t); err != nil {
		return nil, fmt.Errorf("match in %s: %w", dir, err)
	}
	return s, nil
}

func (s *Store) open(fsys vfs.FS, dir string, t *Tournament) error {
	want := t.header()
	same := func(line []byte) error {
		var h header
		if err := h.read(line); err != nil {
			return fmt.Errorf("%s: %w", MatchFile, err)
		}
		return want.same(&h)
	}
	j, err := journal.Open(fsys, filepath.Join(dir, MatchFile), &want, same, func(line []byte) error {
		r, err := readLine(line)
		if err == nil {
			err = t.check(&r)
		}
		if err != nil {
			return err
		}
		if _, known := s.games[r.Number]; known {
			return journal.ErrDuplicate // two processes played the same match
		}
		s.games[r.Number] = r
		return nil
	})
	if err != nil {
		return err
	}
	s.journal, s.Damaged = j, j.Damaged
	return nil
}

// same returns nil if h is the header of the same match.
func (want *header) same(h *header) error {
	differs := func(what string, theirs, ours any) error {
		return fmt.Errorf("%w, with %s %v instead of %v; name another folder, or repeat the settings of that match", ErrOtherMatch, what, theirs, ours)
	}
	switch {
	case h.Game != want.Game:
		return differs("the game", h.Game, want.Game)
	case !slices.Equal(h.Players, want.Players):
		return differs("the players", quoted(h.Players), quoted(want.Players))
	case !slices.Equal(h.Networks, want.Networks):
		return fmt.Errorf("%w: the players' networks have changed since its games were played; name another folder, or checkpoints that do not change", ErrOtherMatch)
	case h.Seed != want.Seed:
		return differs("seed", h.Seed, want.Seed)
	case h.Opening != want.Opening:
		return differs("an opening of", h.Opening, want.Opening)
	case h.Alone != want.Alone:
		return fmt.Errorf("%w, of other seatings; name another folder", ErrOtherMatch)
	}
	return nil
}

func quoted(names []string) string {
	var b bytes.Buffer
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", n)
	}
	return b.String()
}

// Len returns the number of games that the store held when it was opened.
func (s *Store) Len() int { return len(s.games) }

// add appends games. It returns once they are durable.
func (s *Store) add(t *Tournament, results []Result) error {
	records := make([]any, len(results))
	for i := range results {
		records[i] = t.record(&results[i])
	}
	if err := s.journal.Add(records...); err != nil {
		return fmt.Errorf("save games: %w", err)
	}
	return nil
}

// Close closes the file. All added games are durable already.
func (s *Store) Close() error { return s.journal.Close() }

// header returns the header of the tournament's file.
func (t *Tournament) header() header {
	h := header{Format: matchFormat, Version: matchVersion, Game: t.Game.Name(), Seed: t.Seed, Opening: t.Opening, Alone: t.Alone}
	for _, p := range t.Players {
		h.Players = append(h.Players, p.Name())
	}
	if slices.ContainsFunc(t.Networks, func(n string) bool { return n != "" }) {
		h.Networks = t.Networks
	}
	return h
}

// check returns nil if r can be a game of the tournament.
func (t *Tournament) check(r *Record) error {
	if name := t.Game.Name(); r.Game != name {
		return fmt.Errorf("game %d is of %s, not of %s", r.Number, r.Game, name)
	}
	n := len(t.seatings)
	want := t.seatings[seatingOrder(t.Seed, r.Number/n, n)[r.Number%n]]
	if !slices.Equal(r.Seating, want) {
		return fmt.Errorf("game %d has the seating %v instead of %v", r.Number, r.Seating, want)
	}
	if len(r.Scores) != t.Game.Players() || len(r.Returns) != t.Game.Players() {
		return fmt.Errorf("game %d has no result", r.Number)
	}
	return r.Replay(t.Game, nil)
}

// record returns a finished game as it is saved.
func (t *Tournament) record(r *Result) *Record {
	seating := t.seatings[r.Seating]
	record := &Record{
		Number: r.Number, Game: t.Game.Name(), Seating: seating, Actions: r.actions,
		Scores: r.Scores, Returns: r.Returns,
	}
	if record.Actions == nil {
		record.Actions = []game.Action{}
	}
	for _, p := range seating {
		record.Players = append(record.Players, t.Players[p].Name())
	}
	s := t.Game.NewState()
	for _, a := range r.actions {
		record.Moves = append(record.Moves, game.ActionName(t.Game, s, a))
		s.Apply(a)
	}
	return record
}
