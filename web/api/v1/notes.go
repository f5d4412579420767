package v1

import (
	"errors"
	"net/http"

	"tengen/run"
)

// getNotes answers with what a person has written about the run.
func (api *API) getNotes(w http.ResponseWriter, r *http.Request) {
	notes, err := api.folder.On(nil).ReadNotes()
	api.answer(w, r, notes, err)
}

// putNotes replaces the notes of the version that the client has seen.
func (api *API) putNotes(w http.ResponseWriter, r *http.Request) {
	var o run.Notes
	if err := read(r, &o); err != nil {
		api.fail(w, err)
		return
	}
	if !api.folder.Exists() {
		api.fail(w, errNotBegun)
		return
	}
	notes, err := api.folder.On(nil).WriteNotes(o.Text, o.Version)
	if errors.Is(err, run.ErrNotesText) {
		err = refused{err}
	}
	api.answer(w, r, notes, err)
}

// errNotBegun says that there is no folder of a run yet.
var errNotBegun = errors.New("the run has not begun: its folder takes notes from then on")
