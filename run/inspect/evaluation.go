package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tengen/arena"
	"tengen/game"
	"tengen/interop/gtp"
	"tengen/run"
)

// Evaluation describes eval/000042.json: a network of a run in each seat against a baseline.
// See docs/formats/run.md.
type Evaluation struct {
	Iteration int       `json:"iteration"` // of the network
	Game      string    `json:"game"`
	Player    string    `json:"player"`
	Baseline  string    `json:"baseline"`
	Games     int       `json:"games"`         // of the network against the baseline
	Sum       arena.Sum `json:"sum"`           // mean points, summed over the seats
	Earlier   int       `json:"earlier"`       // matches against earlier networks
	Elo       *run.Elo  `json:"elo,omitempty"` // rating relative to UCT; null if there is none
}

// evaluation inspects the result of an evaluation.
func (i *inspector) evaluation(path string) error {
	var file struct {
		Iteration *int `json:"iteration"`
		*arena.Report
		Sum     *arena.Sum    `json:"sum"` // hides the report's
		Earlier []run.Earlier `json:"earlier"`
		*run.Elo
	}
	if ok, err := i.decode(path, &file); !ok {
		return err
	}
	if file.Iteration == nil || *file.Iteration < 0 || file.Report == nil || file.Game == "" ||
		file.Player == "" || file.Baseline == "" || len(file.Seats) == 0 || file.Sum == nil {
		i.found.damaged(Finding{
			Path: path, What: `the fields "iteration", "game", "player", "baseline", "seats" and "sum" are wanted`,
		})
		return nil
	}
	i.found.Evaluation = &Evaluation{
		Iteration: *file.Iteration, Game: file.Game, Player: file.Player, Baseline: file.Baseline,
		Games: file.Games, Sum: *file.Sum, Earlier: len(file.Earlier), Elo: file.Elo,
	}
	if n, ok := run.EvaluationOf(filepath.Base(path)); ok && n != *file.Iteration {
		i.found.damaged(Finding{
			Path: path, What: fmt.Sprintf("it is of iteration %d", *file.Iteration),
		})
	}
	if g, err := game.New(file.Game); err != nil {
		i.found.note(Finding{
			Path: path, What: fmt.Sprintf("this program does not know its game: %v", err),
		})
	} else if len(file.Seats) != g.Players() {
		i.found.damaged(Finding{
			Path: path, What: fmt.Sprintf("%d seats in a game of %d players",
				len(file.Seats), g.Players()),
		})
	}
	if file.Elo != nil {
		if err := bounded(*file.Elo); err != nil {
			i.found.damaged(Finding{Path: path, What: err.Error()})
		}
	}
	return nil
}

// Ratings describes eval/ratings.json: the ratings of the evaluated networks of a run. See
// docs/formats/run.md.
type Ratings struct {
	Anchor   string             `json:"anchor"` // the player whose rating is 0
	Games    int                `json:"games"`  // used in the last estimate
	Networks int                `json:"networks"`
	Seats    int                `json:"seats"`
	Last     *run.NetworkRating `json:"last"` // of the latest network; null without any
	Best     *run.NetworkRating `json:"best"` // the greatest rating; null without any
}

// ratings inspects the ratings of a run's networks.
func (i *inspector) ratings(path string) error {
	var file run.Ratings
	if ok, err := i.decode(path, &file); !ok {
		return err
	}
	if file.Anchor == "" {
		i.found.damaged(Finding{Path: path, What: `the field "anchor" is wanted`})
		return nil
	}
	r := &Ratings{
		Anchor: file.Anchor, Games: file.Games, Networks: len(file.Networks),
		Seats: len(file.Seats),
	}
	i.found.Ratings = r
	for k := range file.Networks {
		n := &file.Networks[k]
		if k > 0 && n.Iteration <= r.Last.Iteration {
			i.found.damaged(Finding{
				Path: path,
				What: fmt.Sprintf("the network of iteration %d comes after that of iteration %d",
					n.Iteration, r.Last.Iteration),
			})
		}
		if err := bounded(n.Elo); err != nil {
			i.found.damaged(Finding{
				Path: path, What: fmt.Sprintf("iteration %d: %v", n.Iteration, err),
			})
		}
		r.Last = n
		if r.Best == nil || n.Rating > r.Best.Rating {
			r.Best = n
		}
	}
	for _, s := range file.Seats {
		if err := bounded(s.Elo); err != nil {
			i.found.damaged(Finding{Path: path, What: fmt.Sprintf("seat %.200s: %v", s.Seat, err)})
		}
	}
	return nil
}

// bounded returns an error if the bounds of a rating are in the wrong order.
func bounded(e run.Elo) error {
	if e.Low != nil && e.High != nil && *e.Low > *e.High {
		return errors.New("the lower bound of the rating is above the upper one")
	}
	return nil
}

// Match describes a match file or a file of games in JSON.
type Match struct {
	Games    int      `json:"games"`
	Twice    int      `json:"twice"` // games with the number of an earlier one
	Actions  int      `json:"actions"`
	Of       []string `json:"of"`                // names of the games played
	Players  []string `json:"players,omitempty"` // of the match
	Seed     *uint64  `json:"seed,omitempty"`
	Opening  *int     `json:"opening,omitempty"`
	Finished int      `json:"finished"` // games with a result
}

// match inspects a match file, its folder, or a file of games in JSON.
func (i *inspector) match(path string) error {
	path = matchPath(path)
	data, err := readWhole(path)
	if err != nil {
		return err
	}
	f := &Match{}
	i.found.Match = f
	if isGTPMatch(path, data) {
		i.gtpMatch(path, data, f)
		return nil
	}
	records, damaged, err := arena.ReadRecords(data)
	if err != nil {
		i.found.damaged(Finding{Path: path, What: err.Error()})
		return nil
	}
	for _, err := range damaged {
		i.found.damaged(Finding{Path: path, What: err.Error()})
	}
	if i.found.Kind == KindMatch {
		i.matchHeader(path, data, f)
	}
	f.Games = len(records)
	seen := map[int]bool{}
	games := map[string]game.Game{} // nil: not known
	for k := range records {
		if err := i.ctx.Err(); err != nil {
			return err
		}
		r := &records[k]
		if seen[r.Number] {
			f.Twice++
		}
		seen[r.Number] = true
		f.Actions += len(r.Actions)
		if r.Scores != nil || r.Returns != nil {
			f.Finished++
		}
		g, known := games[r.Game]
		if !known && len(games) < most {
			if g, err = game.New(r.Game); err != nil {
				i.found.note(Finding{
					Path: path, What: fmt.Sprintf("game %d is not checked: %v", r.Number, err),
				})
				g = nil
			}
			games[r.Game] = g
			f.Of = append(f.Of, r.Game)
		}
		if g == nil {
			continue
		}
		if err := r.Replay(g, nil); err != nil {
			i.found.damaged(Finding{Path: path, What: err.Error()})
		}
	}
	return nil
}

// matchHeader reads the first line and notes a last line that was cut off.
func (i *inspector) matchHeader(path string, data []byte, f *Match) {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	var h struct {
		Format  string   `json:"format"`
		Players []string `json:"players"`
		Seed    *uint64  `json:"seed"`
		Opening *int     `json:"opening"`
	}
	if json.Unmarshal(first, &h) == nil && h.Format != "" {
		f.Players, f.Seed, f.Opening = h.Players, h.Seed, h.Opening
	}
	i.cutOff(path, data)
}

// cutOff notes a last line that was cut off.
func (i *inspector) cutOff(path string, data []byte) {
	if !bytes.HasSuffix(data, []byte("\n")) {
		i.found.note(Finding{
			Path: path, What: "the last line was cut off: its game is played again",
		})
	}
}

// isGTPMatch reports whether a match file is of a match against another program.
func isGTPMatch(path string, data []byte) bool {
	return filepath.Base(path) == gtp.MatchFile ||
		bytes.HasPrefix(data, []byte(`{"format":"tengen gtp match"`))
}

// gtpMatch inspects the file of a match against another program.
func (i *inspector) gtpMatch(path string, data []byte, f *Match) {
	r, damaged, err := gtp.ReadMatch(data)
	if err != nil {
		i.found.damaged(Finding{Path: path, What: err.Error()})
		return
	}
	for _, err := range damaged {
		i.found.damaged(Finding{Path: path, What: err.Error()})
	}
	f.Of, f.Players, f.Seed, f.Opening = []string{r.Game}, []string{r.Player, r.Opponent},
		&r.Seed, &r.Opening
	f.Games = len(r.Results)
	seen := map[int]bool{}
	for k := range r.Results {
		g := &r.Results[k]
		if seen[g.Number] {
			f.Twice++
		}
		seen[g.Number] = true
		f.Actions += len(g.Moves)
		if !g.Void() {
			f.Finished++
		}
	}
	i.cutOff(path, data)
}

// matchPath returns the path of the match file. path may be its folder.
func matchPath(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if there(path, gtp.MatchFile) {
			return filepath.Join(path, gtp.MatchFile)
		}
		return filepath.Join(path, arena.MatchFile)
	}
	return path
}

// Results describes how the results of a reproduced experiment were produced: the field
// "made" of every file of results, by which the files are recognised. See
// docs/formats/results.md.
type Results struct {
	Version  int     `json:"version"` // of the file's format
	Command  string  `json:"command"`
	Machine  string  `json:"machine"`
	Seed     uint64  `json:"seed"`
	Seconds  float64 `json:"seconds"`
	Games    int     `json:"games"`
	Distinct int     `json:"distinct_games"`
	Opening  int     `json:"opening"` // random decisions at the start of each game
}

// resultsVersion is the version of the format that this program reads.
const resultsVersion = 1

// results reports on results of a reproduced experiment. It does not check the figures.
func (i *inspector) results(path string) error {
	var file struct {
		Made *Results `json:"made"`
	}
	if ok, err := i.decode(path, &file); !ok {
		return err
	}
	switch m := file.Made; {
	case m == nil:
		i.found.damaged(Finding{Path: path, What: `the field "made" is wanted`})
	case m.Version != resultsVersion:
		i.found.damaged(Finding{
			Path: path, What: fmt.Sprintf("results of version %d; this program reads version %d",
				m.Version, resultsVersion),
		})
	default:
		i.found.Results = m
	}
	return nil
}
