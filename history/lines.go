package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tengen/trainer"
)

// Damage is a line of the event log that could not be read.
type Damage struct {
	Line    int    `json:"line"` // from 1
	Problem string `json:"problem"`
}

// maxLine is the length, in bytes, up to which a line is read: far above that
// of any event.
const maxLine = 1 << 20

// readLines calls event for every line that holds one, in order, and returns
// the others. An empty line is neither.
func readLines(r io.Reader, event func(line int, text []byte, e *trainer.Event)) ([]Damage, error) {
	var damaged []Damage
	in := bufio.NewReaderSize(r, maxLine)
	for line := 1; ; line++ {
		text, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			damaged = append(damaged, Damage{line, fmt.Sprintf("longer than %d bytes", maxLine)})
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice('\n')
			}
			text = nil
		case err == nil || err == io.EOF:
		default:
			return nil, err
		}
		if len(text) > 0 && string(text) != "\n" {
			var e trainer.Event
			problem := decode(text, &e)
			switch {
			case problem == nil:
				event(line, text, &e)
			case err == io.EOF: // it does not end in a line feed
				damaged = append(damaged, Damage{line, "the last line was cut short"})
			default:
				damaged = append(damaged, Damage{line, problem.Error()})
			}
		}
		if err == io.EOF {
			return damaged, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// decode reads one event and checks what is relied on.
func decode(text []byte, e *trainer.Event) error {
	if err := json.Unmarshal(text, e); err != nil {
		return err
	}
	switch {
	case e.Event == "" || e.Time.IsZero():
		return errors.New(`the fields "time" and "event" are wanted`)
	case e.Iteration < 0:
		return fmt.Errorf("iteration %d", e.Iteration)
	case e.Event == iterationEvent && e.Progress == nil:
		return errors.New("an iteration without its figures")
	case e.Event == evaluationEvent && e.Strength == nil:
		return errors.New(`an evaluation without "strength"`)
	case e.Strength != nil && len(e.Strength.CI) != len(e.Strength.Points):
		return fmt.Errorf("%d intervals for %d seats", len(e.Strength.CI), len(e.Strength.Points))
	case e.Event == gateEvent && e.Gate == nil:
		return errors.New(`a gate's event without "gate"`)
	}
	return nil
}
