package analysis

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"tengen/game"
)

// answer is what is told about a position.
type answer struct {
	ID     string     `json:"id"`
	During bool       `json:"isDuringSearch"`
	Moves  []moveInfo `json:"moveInfos"`
	// of each point, row by row from the top, and of a pass; -1: illegal
	Policy   []float32 `json:"policy,omitempty"`
	RootInfo rootInfo  `json:"rootInfo"`
	Turn     int       `json:"turnNumber"`
}

// noResults is the answer about a position that was not searched.
type noResults struct {
	ID        string `json:"id"`
	During    bool   `json:"isDuringSearch"`
	NoResults bool   `json:"noResults"`
	Turn      int    `json:"turnNumber"`
}

// values are what is expected. What is not known is left out.
type values struct {
	ScoreLead  *float64 `json:"scoreLead,omitempty"`
	ScoreMean  *float64 `json:"scoreMean,omitempty"`
	ScoreStdev *float64 `json:"scoreStdev,omitempty"`
	Utility    float64  `json:"utility"`
	Winrate    float64  `json:"winrate"`
}

type moveInfo struct {
	LCB      float64  `json:"lcb"`
	Move     string   `json:"move"`
	Order    int      `json:"order"`
	Prior    *float32 `json:"prior,omitempty"`
	PV       []string `json:"pv"`
	PVVisits []int    `json:"pvVisits,omitempty"`
	values
	Visits int `json:"visits"`
}

type rootInfo struct {
	CurrentPlayer string `json:"currentPlayer"`
	values
	Visits int `json:"visits"`
}

// failure is the answer to what is wrong.
type failure struct {
	Error string  `json:"error"`
	Field *string `json:"field,omitempty"`
	ID    *string `json:"id,omitempty"`
}

// notice is a warning.
type notice struct {
	Field   string `json:"field"`
	ID      string `json:"id"`
	Warning string `json:"warning"`
}

// seen returns what is expected by the colour to move, as the perspective has it.
func seen(x Expectation, other bool) values {
	if other {
		x.Winrate, x.Lead, x.Difference = 1-x.Winrate, -x.Lead, -x.Difference
	}
	v := values{Utility: x.Difference, Winrate: x.Winrate}
	if x.Scored {
		v.ScoreLead, v.ScoreMean, v.ScoreStdev = &x.Lead, &x.Lead, &x.SD
	}
	return v
}

// other reports whether values are told for the colour that is not to move.
func (p Perspective) other(mover game.Player) bool {
	return p == Black && mover == 1 || p == White && mover == 0
}

// writer writes answers, each in a line of its own. It is safe for concurrent use.
type writer struct {
	mu     sync.Mutex
	w      io.Writer
	err    error // of writing
	closed bool
	fail   func(err error) // called after the first error of writing
}

// Write writes an answer.
func (w *writer) Write(x any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b) // which ends each value with a newline
	e.SetEscapeHTML(false)
	if err := e.Encode(x); err != nil { // a number that JSON lacks, by a network that is damaged
		b.Reset()
		_ = e.Encode(failure{Error: err.Error()}) // a text can't fail
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil || w.closed {
		return
	}
	if _, w.err = w.w.Write(b.Bytes()); w.err != nil {
		w.fail(w.err)
	}
}

// Close ends writing: nothing is written afterwards.
func (w *writer) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
}
