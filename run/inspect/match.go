package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"tengen/arena"
	"tengen/game"
	"tengen/interop/gtp"
)

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
