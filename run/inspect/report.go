package inspect

import (
	"fmt"
	"strings"
	"unicode"
)

// Report is the result of an inspection. Which of the parts at its end are set depends on
// the kind. A part that could not be read is nil.
type Report struct {
	Path    string    `json:"path"`
	Kind    Kind      `json:"kind"`
	Bytes   int64     `json:"bytes,omitempty"` // of a file
	Sound   bool      `json:"sound"`
	Damages int       `json:"damages"` // in all
	Damaged []Finding `json:"damaged"` // the first 100
	Notes   []Finding `json:"notes"`   // noteworthy, but not damage; up to 100

	Run             *Run           `json:"run,omitempty"`
	Checkpoints     *Checkpoints   `json:"checkpoints,omitempty"`
	Checkpoint      *Checkpoint    `json:"checkpoint,omitempty"` // the newest intact one
	Tensors         *Tensors       `json:"tensors,omitempty"`
	Replay          *Replay        `json:"replay,omitempty"`
	Cluster         *Cluster       `json:"cluster,omitempty"` // of a run whose games were shared
	Match           *Match         `json:"match,omitempty"`
	Events          *Lines         `json:"events,omitempty"`
	EvaluationGames *Lines         `json:"evaluation_games,omitempty"`
	Configuration   *Configuration `json:"configuration,omitempty"` // of a single file
	Evaluation      *Evaluation    `json:"evaluation,omitempty"`
	Ratings         *Ratings       `json:"ratings,omitempty"`
	Results         *Results       `json:"results,omitempty"`
}

// Finding is an observation about a part of a file or folder.
type Finding struct {
	Path   string `json:"path"`
	Offset *int64 `json:"offset,omitempty"` // of the first byte of the part
	Length *int64 `json:"length,omitempty"` // bytes
	Line   int    `json:"line,omitempty"`   // from 1
	What   string `json:"what"`             // one line, without control characters
}

// String returns "runs/a/replay/000003.games, bytes 16 to 90: damaged record …".
func (f Finding) String() string {
	where := f.Path
	if f.Offset != nil && f.Length != nil {
		where += fmt.Sprintf(", bytes %d to %d", *f.Offset, *f.Offset+*f.Length)
	}
	if f.Line > 0 {
		where += fmt.Sprintf(", line %d", f.Line)
	}
	return where + ": " + f.What
}

// most is the number of damages, and of notes, that are listed.
const most = 100

func (r *Report) damaged(f Finding) {
	r.Damages++
	if len(r.Damaged) < most {
		f.What = harmless(f.What)
		r.Damaged = append(r.Damaged, f)
	}
}

func (r *Report) note(f Finding) {
	if len(r.Notes) < most {
		f.What = harmless(f.What)
		r.Notes = append(r.Notes, f)
	}
}

// Verdict returns an error if something is damaged.
func (r *Report) Verdict() error {
	switch r.Damages {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s is damaged: %s", r.Path, r.Damaged[0])
	}
	return fmt.Errorf("%s is damaged in %d places, the first: %s", r.Path, r.Damages, r.Damaged[0])
}

// harmless makes text safe for a terminal, as one line. The text may quote a damaged file.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}
