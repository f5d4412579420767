package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"tengen/arena"
	"tengen/game"
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
				i.found.note(Finding{Path: path, What: fmt.Sprintf("game %d is not checked: %v", r.Number, err)})
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
	if !bytes.HasSuffix(data, []byte("\n")) {
		i.found.note(Finding{Path: path, What: "the last line was cut off: its game is played again"})
	}
}

// matchPath returns the path of the match file. path may be its folder.
func matchPath(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, arena.MatchFile)
	}
	return path
}
