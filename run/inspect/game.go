package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"tengen/arena"
	"tengen/checkpoints/pretrained"
	"tengen/game"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/vfs"
)

// Game is one game in the format of docs/formats/game.md, with some fields added.
type Game struct {
	Version int           `json:"version"`
	Number  uint64        `json:"number"`
	Game    string        `json:"game"` // canonical if this program knows it
	Players []string      `json:"players,omitempty"`
	Actions []game.Action `json:"actions"`
	Moves   []string      `json:"moves"` // names of the actions; numbers if they have no names
	Scores  []float32     `json:"scores,omitempty"`
	Returns []float32     `json:"returns,omitempty"`

	Path      string  `json:"path"`
	Iteration *int    `json:"iteration,omitempty"` // of the run
	Seed      *uint64 `json:"seed,omitempty"`      // of the run
	// the training target, if it is not the utilities
	Outcome []float32 `json:"outcome,omitempty"`
	States  int       `json:"states,omitempty"` // in its trees
	// moves at the beginning that are an earlier game's
	Prefix int `json:"prefix,omitempty"`
	// utility below which players resigned; 0: they did not
	Resign   float32 `json:"resign,omitempty"`
	Resigned bool    `json:"resigned,omitempty"` // the game ended so
	// number of its random streams, if it is not Number
	Stream *uint64 `json:"stream,omitempty"`

	Record *record.Game `json:"-"` // the run's record; nil for a game outside a run
	// why it violates the rules, or that its game is unknown; nil if it is correct
	Wrong error `json:"-"`
}

// Split splits PATH:N. one reports whether text names one game. If something has the whole
// text as its path, Split returns that path. Errors are of type *[Refusal].
func Split(text string) (path string, number uint64, one bool, err error) {
	_, err = os.Stat(text)
	if _, shipped := pretrained.Find(text); err == nil || shipped {
		return text, 0, false, nil
	}
	i := strings.LastIndexByte(text, ':')
	if i < 0 || !errors.Is(err, fs.ErrNotExist) {
		return "", 0, false, missing(text, err)
	}
	number, bad := strconv.ParseUint(text[i+1:], 10, 64)
	if bad != nil {
		return "", 0, false,
			refuse(text, fmt.Errorf("%w; after a colon the number of a game is wanted, from 0",
				plain(err)))
	}
	if _, err := os.Stat(text[:i]); err != nil {
		return "", 0, false, refuse(text, plain(err))
	}
	return text[:i], number, true, nil
}

// FindGame returns the game with a number from a run, a folder of segments, a segment, a
// match or a file of games. From a run it returns the game that counts, if several have the
// number. damaged lists what it had to skip, also if it returns an error. If no game has the
// number, the error is a *[Refusal]. A violation of the rules is no error: see [Game.Wrong].
func FindGame(
	ctx context.Context, path string, number uint64,
) (g *Game, damaged []Finding, err error) {
	i := &inspector{ctx: ctx}
	if g, err = i.game(path, number); err == nil {
		g.Wrong = g.name()
	}
	return g, i.found.Damaged, err
}

// game returns the game with a number.
func (i *inspector) game(path string, number uint64) (*Game, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, refuse(path, plain(err))
	}
	kind, err := kindOf(path, info)
	if err != nil {
		return nil, err
	}
	dir := path
	switch kind {
	case KindRun:
		dir = run.Folder(path).Replay()
		fallthrough
	case KindReplay:
		segments, err := replay.Segments(vfs.OS{}, dir)
		if err != nil {
			return nil, err
		}
		var paths []string
		for _, s := range segments {
			paths = append(paths, s.Path)
		}
		return i.gameOf(path, paths, number)
	case KindSegment:
		return i.gameOf(path, []string{path}, number)
	case KindMatch, KindGames:
		return i.gameOfMatch(matchPath(path), number)
	}
	return nil, refuse(fmt.Sprintf("%s:%d", path, number),
		fmt.Errorf(
			"games with numbers are in runs, in segments of the replay and in matches; this is %s",
			kind.Title()))
}

// gameOf looks for a game from the newest segment back to the first that begins at or before
// it: that segment replaces the number in all earlier ones.
func (i *inspector) gameOf(path string, segments []string, number uint64) (*Game, error) {
	for _, s := range slices.Backward(segments) {
		g, before, err := i.gameIn(s, number)
		if err != nil {
			return nil, err
		}
		if g != nil {
			return ofRun(s, g), nil
		}
		if before {
			break
		}
	}
	return nil, refuse(path, fmt.Errorf("no game that can be read has the number %d", number))
}

// gameIn reads a segment up to a game. before reports whether the segment has an earlier
// game.
func (i *inspector) gameIn(
	path string, number uint64,
) (found *record.Game, before bool, err error) {
	r, err := replay.OpenSegment(vfs.OS{}, path)
	if err != nil {
		return nil, false, err
	}
	defer r.Close()
	for {
		if err := i.ctx.Err(); err != nil {
			return nil, false, err
		}
		g, err := r.Next()
		var d *replay.Damage
		switch {
		case err == io.EOF:
			return nil, before, nil
		case errors.As(err, &d):
			i.found.damaged(damagedPart(d))
			continue
		case err != nil:
			return nil, false, err
		case g.Number == number:
			return g, true, nil
		case g.Number > number:
			return nil, before, nil
		}
		before = true
	}
}

// ofRun returns a game of a run's replay.
func ofRun(path string, g *record.Game) *Game {
	r := &Game{
		Version: 1, Number: g.Number, Game: g.Name, Scores: g.Scores, Returns: g.Returns,
		Path: path, Iteration: &g.Iteration, Seed: &g.Seed, Outcome: g.Outcome,
		Actions: make([]game.Action, 0, len(g.Moves)), Record: g, Prefix: g.Prefix,
		Resign: g.Resign, Resigned: g.Resigned,
	}
	for _, s := range g.Seats {
		r.Players = append(r.Players, s.String())
	}
	if g.EndOrder {
		r.Stream = &g.Stream
	}
	for _, m := range g.Moves {
		r.Actions = append(r.Actions, m.Action)
	}
	for _, t := range g.Trees {
		r.States += len(t.Depths)
	}
	return r
}

// gameOfMatch looks for a game in a match file, or in a file of games in JSON.
func (i *inspector) gameOfMatch(path string, number uint64) (*Game, error) {
	data, err := readWhole(path)
	if err != nil {
		return nil, err
	}
	if isGTPMatch(path, data) {
		return nil, refuse(path, fmt.Errorf("the games of a match against another program are files of their own beside it, such as game-%04d.sgf", number+1))
	}
	records, damaged, err := arena.ReadRecords(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, err := range damaged {
		i.found.damaged(Finding{Path: path, What: err.Error()})
	}
	k := slices.IndexFunc(records, func(r arena.Record) bool {
		return r.Number >= 0 && uint64(r.Number) == number
	})
	if k < 0 {
		return nil, refuse(path, none(records, number))
	}
	g := &records[k]
	r := &Game{
		Version: 1, Number: number, Game: g.Game, Players: g.Players, Actions: g.Actions,
		Scores: g.Scores, Returns: g.Returns, Path: path,
	}
	if r.Actions == nil {
		r.Actions = []game.Action{}
	}
	return r, nil
}

// none returns the error that no game has a number.
func none(records []arena.Record, number uint64) error {
	if len(records) == 0 {
		return errors.New("no game is in it yet")
	}
	first, last := records[0].Number, records[0].Number
	for _, r := range records {
		first, last = min(first, r.Number), max(last, r.Number)
	}
	return fmt.Errorf("no game has number %d; there are %d, from %d to %d",
		number, len(records), first, last)
}

// name sets the game's canonical name and the names of its actions. If an action is illegal,
// name returns an error, and that action and the later ones get numbers.
func (r *Game) name() error {
	r.Moves = make([]string, 0, len(r.Actions))
	defer func() {
		for _, a := range r.Actions[len(r.Moves):] {
			r.Moves = append(r.Moves, strconv.Itoa(int(a)))
		}
	}()
	g, err := game.New(r.Game)
	if err != nil {
		return err
	}
	played := arena.Record{Number: int(min(r.Number, math.MaxInt)), Actions: r.Actions}
	if r.Record == nil {
		played.Scores, played.Returns = r.Scores, r.Returns
	}
	err = played.Replay(g, func(s game.State, ply int) {
		if ply < len(r.Actions) {
			r.Moves = append(r.Moves, game.ActionName(g, s, r.Actions[ply]))
		}
	})
	if err == nil && r.Record != nil {
		// Who moved, the result, and the trees.
		if c := checkerOf(r.Game); c != nil {
			err = c.Check(r.Record)
		}
	}
	r.Game = g.Name()
	return err
}
