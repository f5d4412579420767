package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/game"
	"tengen/internal/atomicfile"
	"tengen/replay"
)

// recorded is one game, in the form of docs/formats/game.md with fields of its
// own behind those described there.
type recorded struct {
	Version int           `json:"version"`
	Number  uint64        `json:"number"`
	Game    string        `json:"game"`
	Players []string      `json:"players,omitempty"`
	Actions []game.Action `json:"actions"`
	Moves   []string      `json:"moves"`
	Scores  []float32     `json:"scores,omitempty"`
	Returns []float32     `json:"returns,omitempty"`

	Path      string    `json:"path"`
	Iteration *int      `json:"iteration,omitempty"` // of the run
	Seed      *uint64   `json:"seed,omitempty"`      // of the run
	Outcome   []float32 `json:"outcome,omitempty"`   // that learning aims at, where it is not the utilities
	States    int       `json:"states,omitempty"`    // in its trees

	run *replay.Game // nil: a game of no run
}

// splitGame takes PATH:N apart; one says whether a game is asked for.
func splitGame(text string) (path string, number uint64, one bool, err error) {
	_, err = os.Stat(text)
	if err == nil {
		return text, 0, false, nil
	}
	i := strings.LastIndexByte(text, ':')
	if i < 0 || !errors.Is(err, fs.ErrNotExist) {
		return "", 0, false, plain(err)
	}
	number, bad := strconv.ParseUint(text[i+1:], 10, 64)
	if bad != nil {
		return "", 0, false, fmt.Errorf("%w; after a colon the number of a game is wanted, from 0", plain(err))
	}
	if _, err := os.Stat(text[:i]); err != nil {
		return "", 0, false, plain(err)
	}
	return text[:i], number, true, nil
}

// inspectGame prints one game.
func inspectGame(c *cobra.Command, path string, number uint64, asJSON bool) error {
	i := &inspector{ctx: c.Context(), progress: newProgress(c.ErrOrStderr(), "reading games", "segments")}
	r, err := i.game(path, number)
	for _, f := range i.found.Damaged {
		fmt.Fprintf(c.ErrOrStderr(), "tengen: %s\n", f)
	}
	if err != nil {
		return err
	}
	wrong := r.name()
	if asJSON {
		err = writeJSON(c.OutOrStdout(), r)
	} else {
		err = r.writeText(c.OutOrStdout())
	}
	if err == nil && wrong != nil {
		err = fmt.Errorf("%s: %w", r.Path, wrong)
	}
	return err
}

// game finds a game by its number.
func (i *inspector) game(path string, number uint64) (*recorded, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, usagef("inspect %s: %w", path, plain(err))
	}
	var kind string
	if info.IsDir() {
		kind, err = kindOfFolder(path)
	} else {
		kind, err = kindOfFile(path, info.Size())
	}
	if err != nil {
		return nil, err
	}
	dir := path
	switch kind {
	case kindRun:
		dir = path + string(os.PathSeparator) + replayName
		fallthrough
	case kindReplay:
		segments, err := replay.Segments(atomicfile.OS{}, dir)
		if err != nil {
			return nil, err
		}
		var paths []string
		for _, s := range segments {
			paths = append(paths, s.Path)
		}
		return i.gameOf(path, paths, number)
	case kindSegment:
		return i.gameOf(path, []string{path}, number)
	case kindMatch, kindGames:
		return i.gameOfMatch(matchPath(path), number)
	}
	return nil, usagef("inspect %s:%d: games with numbers are in runs, in segments of the replay and in matches; this is %s", path, number, titles[kind])
}

// gameOf looks for a game in the segments where it counts: the newest one whose first
// game does not come after it replaces the number in all before.
func (i *inspector) gameOf(path string, segments []string, number uint64) (*recorded, error) {
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
	return nil, usagef("inspect %s: no game that can be read has the number %d", path, number)
}

// gameIn reads a segment up to a game; before says whether the segment begins
// with an earlier one.
func (i *inspector) gameIn(path string, number uint64) (found *replay.Game, before bool, err error) {
	r, err := replay.OpenSegment(atomicfile.OS{}, path)
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

// ofRun is a game of a run's replay.
func ofRun(path string, g *replay.Game) *recorded {
	r := &recorded{
		Version: 1, Number: g.Number, Game: g.Name, Scores: g.Scores, Returns: g.Returns,
		Path: path, Iteration: &g.Iteration, Seed: &g.Seed, Outcome: g.Outcome,
		Actions: make([]game.Action, 0, len(g.Moves)), run: g,
	}
	for _, s := range g.Seats {
		name := s.Kind.String()
		if s.Kind == replay.Network {
			name += fmt.Sprintf(" at step %d", s.Step)
		}
		r.Players = append(r.Players, name)
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
func (i *inspector) gameOfMatch(path string, number uint64) (*recorded, error) {
	data, err := readWhole(path)
	if err != nil {
		return nil, err
	}
	records, damaged, err := arena.ReadRecords(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, err := range damaged {
		i.found.damaged(finding{Path: path, What: err.Error()})
	}
	if number > math.MaxInt {
		number = math.MaxInt
	}
	g, err := choose(records, int(number))
	if err != nil {
		return nil, usagef("inspect %s: %w", path, err)
	}
	r := &recorded{
		Version: 1, Number: number, Game: g.Game, Players: g.Players, Actions: g.Actions,
		Scores: g.Scores, Returns: g.Returns, Path: path,
	}
	if r.Actions == nil {
		r.Actions = []game.Action{}
	}
	return r, nil
}

// name gives the game its canonical name and its actions theirs. Where the
// rules don't allow an action, it and those behind it have numbers only, and
// the error says so.
func (r *recorded) name() error {
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
	if r.run == nil {
		played.Scores, played.Returns = r.Scores, r.Returns
	}
	err = played.Replay(g, func(s game.State, ply int) {
		if ply < len(r.Actions) {
			r.Moves = append(r.Moves, game.ActionName(g, s, r.Actions[ply]))
		}
	})
	if err == nil && r.run != nil {
		// Who moved, the result, and the trees.
		if w := windowOf(r.Game); w != nil {
			err = w.Add(r.run)
		}
	}
	r.Game = g.Name()
	return err
}

func (r *recorded) writeText(w io.Writer) error {
	g, _ := game.New(r.Game) // nil: not known
	seat := func(p game.Player) string {
		switch {
		case g != nil && int(p) < g.Players():
			return game.SeatName(g, p)
		case p < 0:
			return "chance"
		}
		return fmt.Sprintf("player %d", p+1)
	}
	title := fmt.Sprintf("%s: game %d of %s, %d actions", r.Path, r.Number, inLine(r.Game), len(r.Actions))
	var list []figure
	if r.Iteration != nil {
		list = append(list, figure{"iteration", fmt.Sprint(*r.Iteration)})
	}
	if r.States > 0 {
		list = append(list, figure{"states of trees", fmt.Sprint(r.States)})
	}
	for p := range max(len(r.Players), len(r.Scores), len(r.Returns)) {
		var words []string
		if p < len(r.Players) {
			words = append(words, inLine(r.Players[p]))
		}
		for _, of := range []struct {
			name   string
			values []float32
		}{{"score", r.Scores}, {"utility", r.Returns}, {"outcome", r.Outcome}} {
			if p < len(of.values) {
				words = append(words, fmt.Sprintf("%s %.4g", of.name, of.values[p]))
			}
		}
		list = append(list, figure{seat(game.Player(p)), strings.Join(words, ", ")})
	}
	if err := writeFigures(w, title, list); err != nil {
		return err
	}
	var s game.State
	if g != nil {
		s = g.NewState()
	}
	for k, name := range r.Moves {
		line := fmt.Sprintf("%4d", k+1)
		switch {
		case r.run != nil:
			line += "  " + seat(r.run.Moves[k].Mover)
		case s != nil:
			line += "  " + seat(s.Mover())
			if s.Mover() == game.Nobody || !possible(s, r.Actions[k]) {
				s = nil // said in the error
			} else {
				s.Apply(r.Actions[k])
			}
		}
		line += "  " + name
		if r.run != nil {
			line += seen(&r.run.Moves[k])
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// seen is what the search before a move had seen.
func seen(m *replay.Move) string {
	text := ""
	if len(m.Visits) > 0 {
		var chosen, all uint64
		for _, v := range m.Visits {
			all += uint64(v.N)
			if v.Action == m.Action {
				chosen += uint64(v.N)
			}
		}
		text += fmt.Sprintf("  %d of %d visits", chosen, all)
	}
	if len(m.Value) > 0 {
		text += "  expects"
		for _, x := range m.Value {
			text += fmt.Sprintf(" %.2f", x)
		}
	}
	return text
}
