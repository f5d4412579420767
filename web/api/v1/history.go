package v1

import (
	"errors"
	"strconv"
	"time"

	"tengen/run/history"
)

// history locks the run's history and reads its new events; done unlocks it and must be called
// after an error too. A run that has not started has no events.
func (api *API) history() (h *history.Run, done func(), err error) {
	api.reading.Lock()
	if err = api.events.Refresh(); errors.Is(err, history.ErrNone) {
		err = nil
	}
	return api.events, api.reading.Unlock, err
}

// curves returns all curves as JSON.
func (api *API) curves() ([]byte, error) {
	h, done, err := api.history()
	defer done()
	if err != nil {
		return nil, err
	}
	b := strconv.AppendInt([]byte(`{"version":`), int64(h.Version), 10)
	b = appendTable(append(b, `,"iterations":`...), &h.Iterations)
	b = appendTable(append(b, `,"evaluations":`...), &h.Evaluations)
	b = appendCurve(append(b, `,"ratings":`...), h.Curve(history.Rating, history.Iterations))
	return append(b, '}'), nil
}

// warning is a warning of the run.
type warning struct {
	Time      time.Time `json:"time"`
	Iteration int       `json:"iteration"`
	Message   string    `json:"message"`
}

// shownWarnings is the maximum number of warnings shown, the latest ones.
const shownWarnings = 20

func warningsOf(h *history.Run) []warning {
	list := []warning{}
	for _, w := range h.Warnings[max(0, len(h.Warnings)-shownWarnings):] {
		list = append(list, warning{w.Time, w.Iteration, w.Message})
	}
	return list
}
