package v1

import (
	"bytes"
	"net/http"

	"tengen/arena"
)

// download sends a recorded game as a file, with the names of its players by seat.
func (api *API) download(w http.ResponseWriter, r *transcript, players []string) {
	f := arena.Record{Game: r.Game, Players: players, Scores: r.Scores, Returns: r.Returns}
	if r.Number != nil {
		f.Number = int(*r.Number)
	}
	for _, m := range r.Moves {
		f.Actions = append(f.Actions, m.Action)
	}
	var b bytes.Buffer
	err := f.Write(&b, api.game)
	w.Header().Set("Content-Disposition", `attachment; filename="game.json"`)
	api.file(w, "application/json", b.Bytes(), err)
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
