package v1

import (
	"errors"
	"strconv"
	"time"

	"tengen/run/history"
)

// history locks what the run has told, and reads what is new of it; done gives
// it back, after an error too. A run that has not begun has told nothing.
func (api *API) history() (h *history.Run, done func(), err error) {
	api.reading.Lock()
	if err = api.events.Refresh(); errors.Is(err, history.ErrNone) {
		err = nil
	}
	return api.events, api.reading.Unlock, err
}

// curves is all that there is to draw, as JSON.
func (api *API) curves() ([]byte, error) {
	h, done, err := api.history()
	defer done()
	if err != nil {
		return nil, err
	}
	b := strconv.AppendInt([]byte(`{"version":`), int64(h.Version), 10)
	b = appendTable(append(b, `,"iterations":`...), &h.Iterations)
	b = appendTable(append(b, `,"evaluations":`...), &h.Evaluations)
	b = appendTable(append(b, `,"gates":`...), &h.Gates)
	b = appendCurve(append(b, `,"ratings":`...), h.Curve(history.Rating, history.Iterations))
	return append(b, '}'), nil
}

// warning is what a person may want to change.
type warning struct {
	Time      time.Time `json:"time"`
	Iteration int       `json:"iteration"`
	Message   string    `json:"message"`
}

// shownWarnings are as many, the latest, as the page shows.
const shownWarnings = 20

func warningsOf(h *history.Run) []warning {
	list := []warning{}
	for _, w := range h.Warnings[max(0, len(h.Warnings)-shownWarnings):] {
		list = append(list, warning{w.Time, w.Iteration, w.Message})
	}
	return list
}
