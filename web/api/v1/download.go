package v1

import (
	"encoding/json"
	"net/http"

	"tengen/game"
)

// gameFile is a game in JSON: docs/formats/game.md describes it.
type gameFile struct {
	Version int           `json:"version"`
	Number  *uint64       `json:"number,omitempty"`
	Game    string        `json:"game"`
	Players []string      `json:"players"`
	Actions []game.Action `json:"actions"`
	Moves   []string      `json:"moves"`
	Scores  []float32     `json:"scores,omitempty"`
	Returns []float32     `json:"returns,omitempty"`
}

// download sends a recorded game as a file, with the names of its players by seat.
func (api *API) download(w http.ResponseWriter, r *record, players []string) {
	f := gameFile{Version: 1, Number: r.Number, Game: r.Game, Players: players, Actions: []game.Action{}, Moves: []string{}, Scores: r.Scores, Returns: r.Returns}
	for _, m := range r.Moves {
		f.Actions = append(f.Actions, m.Action)
	}
	// The record's names are those that a viewer may see.
	replayer := game.NewReplayer(api.game)
	for _, a := range f.Actions {
		f.Moves = append(f.Moves, game.ActionName(api.game, replayer.State(), a))
		replayer.Apply(a)
	}
	b, err := json.Marshal(f)
	w.Header().Set("Content-Disposition", `attachment; filename="game.json"`)
	api.file(w, "application/json", append(b, '\n'), err)
}

// getGameRecord answers with a logged game as a file that `tengen play --replay` reads.
func (api *API) getGameRecord(w http.ResponseWriter, r *http.Request) {
	x, err := api.logged(r)
	if err != nil {
		api.fail(w, err)
		return
	}
	rec, err := recordOf(api.game, api.drawer, x)
	if err != nil {
		api.fail(w, err)
		return
	}
	names := make([]string, len(rec.Seats))
	for i, seat := range rec.Seats {
		names[i] = seat.By
	}
	api.download(w, rec, names)
}
