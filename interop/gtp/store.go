package gtp

import (
	"errors"
	"fmt"
	"path/filepath"

	"tengen/game"
	"tengen/game/goban"
	"tengen/interop/sgf"
	"tengen/vfs"
)

// MatchFile is the name of the file of a match's games in its folder; docs/formats/gtp-match.md
// describes it.
const MatchFile = "gtp-match.jsonl"

const (
	matchFormat  = "tengen gtp match"
	matchVersion = 1
)

// header is the first line of a match file. It identifies the match.
type header struct {
	Format  string  `json:"format"`
	Version int     `json:"version"`
	Game    string  `json:"game"`
	Player  string  `json:"player"`
	Network string  `json:"network,omitempty"` // its digest
	Command string  `json:"command"`
	Seed    uint64  `json:"seed"`
	Opening int     `json:"opening"`
	Resign  float64 `json:"resign,omitempty"`
}

// kept is another line: a game.
type kept struct {
	Result
	Opponent string `json:"opponent"` // its name and version
}

// Store keeps the finished games of a match in a folder, so that after a kill or a power failure
// only the missing games are played. It is used by one match at a time.
type Store struct {
	// Damaged has an error for each line of the file that was skipped; these games are played
	// again.
	Damaged []error

	journal *vfs.Journal
	games   map[int]kept
}

// ErrOtherMatch is wrapped by errors of OpenStore for folders that hold another match.
var ErrOtherMatch = errors.New("it holds another match")

// OpenStore opens the folder dir for the games of m, and creates it if necessary. network is a
// digest of the player's network. If the folder holds another match, it returns an error that wraps
// ErrOtherMatch. The number of games may differ: a match can be resumed with more games.
func OpenStore(fsys vfs.FS, dir string, m *Match, network string) (*Store, error) {
	s := &Store{games: map[int]kept{}}
	want := header{
		matchFormat, matchVersion, m.Game.Name(), m.Player.Name(), network, m.Command, m.Seed,
		m.Opening, m.Resign,
	}
	same := func(line []byte) error {
		var h header
		if err := h.read(line); err != nil {
			return fmt.Errorf("%s: %w", MatchFile, err)
		}
		return want.same(&h)
	}
	j,
		err := vfs.OpenJournal(fsys,
		filepath.Join(dir, MatchFile), &want, same, func(line []byte) error {
			var k kept
			err := vfs.ReadLine(line, &k)
			if err == nil {
				err = k.check(m.Game)
			}
			if err != nil {
				return err
			}
			if _, known := s.games[k.Number]; known {
				return vfs.ErrDuplicate
			}
			s.games[k.Number] = k
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("match in %s: %w", dir, err)
	}
	s.journal, s.Damaged = j, j.Damaged
	return s, nil
}

// read sets h from the first line of a match file.
func (h *header) read(line []byte) error {
	return vfs.ReadHead(line, h, matchFormat, matchVersion)
}

// ReadMatch reads a match file as a report with its results in the order of the file. damaged has
// an error for each line that is skipped, because its checksum is wrong or it can't be a game of
// the match. It returns an error if the first line does not identify a match of a game that this
// program knows.
func ReadMatch(data []byte) (report *Report, damaged []error, err error) {
	report = &Report{}
	var g game.Game
	damaged, err = vfs.ReadLines(data, func(line []byte) error {
		var h header
		if err := h.read(line); err != nil {
			return err
		}
		report.Player, report.Command, report.Game, report.Opening, report.Seed = h.Player,
			h.Command, h.Game, h.Opening, h.Seed
		if g, err = game.New(h.Game); err == nil {
			err = CheckGame(g)
		}
		return err
	}, func(line []byte) error {
		var k kept
		err := vfs.ReadLine(line, &k)
		if err == nil {
			err = k.check(g)
		}
		if err == nil {
			report.Opponent = k.Opponent
			report.Results = append(report.Results, k.Result)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	report.sum()
	return report, damaged, nil
}

// same returns nil if h is the header of the same match.
func (want *header) same(h *header) error {
	if h.Network != want.Network {
		return fmt.Errorf("%w: the player's network has changed since its games were played; name another folder, or a checkpoint that does not change", ErrOtherMatch)
	}
	for _, x := range []struct {
		what         string
		theirs, ours any
	}{
		{"the game", h.Game, want.Game}, {"the player", h.Player, want.Player},
		{"the command", h.Command, want.Command},
		{"seed", h.Seed, want.Seed}, {"an opening of", h.Opening, want.Opening},
		{"resignations below", h.Resign, want.Resign},
	} {
		if x.theirs != x.ours {
			return fmt.Errorf("%w, with %s %v instead of %v; name another folder, or repeat the settings of that match", ErrOtherMatch, x.what, x.theirs, x.ours)
		}
	}
	return nil
}

// check returns nil if r can be a game of a match in g.
func (r *Result) check(g game.Game) error {
	if r.Number < 0 || r.Black != (r.Number%2 == 0) {
		return fmt.Errorf("game %d can't be with the player as Black %v", r.Number, r.Black)
	}
	p := game.NewReplayer(g)
	for i, text := range r.Moves {
		a, err := parseVertex(g, text)
		if err == nil {
			err = p.Check(a)
		}
		if err != nil {
			return fmt.Errorf("game %d: its move %d, %q, can't be played there",
				r.Number, i+1, text)
		}
		p.Apply(a)
	}
	switch over := p.State().CurrentPlayer() == game.Nobody; {
	case !r.Finished():
		if r.Score == "" && (r.Void() || r.Ended == EndedResigned || r.Ended == EndedGivenUp) {
			return nil
		}
	case over:
		margin := sgf.Margin(p.State())
		if r.Score != sgf.ResultOf(margin) {
			return fmt.Errorf("game %d: its score is %s, where %s is reached",
				r.Number, r.Score, sgf.ResultOf(margin))
		}
		if !r.Black {
			margin = -margin
		}
		if r.Margin == margin {
			return nil
		}
	}
	return fmt.Errorf(
		"game %d: after its moves it can't have ended by %q, with the score %q and the margin %v",
		r.Number, r.Ended, r.Score, r.Margin)
}

// Len returns the number of the match's first n games that the store held when it was opened.
func (s *Store) Len(n int) int {
	count := 0
	for number := range s.games {
		if number < n {
			count++
		}
	}
	return count
}

// add appends a game. It returns once it is durable.
func (s *Store) add(r *Result, opponent string) error {
	if err := s.journal.Add(kept{*r, opponent}); err != nil {
		return fmt.Errorf("save game %d: %w", r.Number+1, err)
	}
	return nil
}

// get returns a game that the store held when it was opened, or nil. It returns an error if it was
// against another program.
func (s *Store) get(number int, opponent string) (*Result, error) {
	k, ok := s.games[number]
	if !ok {
		return nil, nil
	}
	if k.Opponent != opponent {
		return nil,
			fmt.Errorf("game %d was against %q, but the program is %q now; name another folder",
				number+1, k.Opponent, opponent)
	}
	return &k.Result, nil
}

// Close closes the file. All added games are durable already.
func (s *Store) Close() error { return s.journal.Close() }

// areas returns the points of Black and White, without komi.
func areas(e *Engine) (points [2]int) {
	var scores [2]float32
	e.State().(game.Scored).Scores(scores[:])
	for c := range points {
		points[c] = int(float64(scores[c]) - e.rules.Komi[c] + 0.5)
	}
	return points
}

// Record returns the record of the game so far.
func (e *Engine) Record() *sgf.Record {
	komi := e.rules.Komi[1] - e.rules.Komi[0]
	r := &sgf.Record{Rows: e.rules.Rows, Columns: e.rules.Columns, Komi: &komi, Result: "?"}
	if e.rules.Ko == goban.Positional {
		r.Rules = sgf.Chinese
	}
	if e.stones != nil {
		first := e.first
		r.First = &first
		for p, c := range e.stones {
			if c != game.Nobody {
				r.Setup[c] = append(r.Setup[c], p)
			}
		}
	}
	for _, m := range e.moves {
		p := int(m.action)
		if m.action == e.pass() {
			p = sgf.Pass
		}
		r.Moves = append(r.Moves, sgf.Move{Player: m.color, Point: p})
	}
	if e.State().CurrentPlayer() == game.Nobody {
		r.Result = sgf.ResultOf(e.margin())
	}
	return r
}
