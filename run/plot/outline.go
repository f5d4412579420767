package plot

import "tengen/run"

// maxDrawn is the number of iterations, and of evaluations, that are drawn at most. It
// is more than a picture can show and bounds the memory for long runs.
const maxDrawn = 300

// outline is the part of a run's history that is drawn.
type outline struct {
	events []run.Event // iterations and evaluations, evenly thinned out
	games  []float64   // self-play games so far, by iteration
}

// readOutline reads the outline from the event log.
func readOutline(f run.Files) (*outline, error) {
	o := new(outline)
	var iterations, evaluations sample
	lines := 0
	err := f.EachEvent(func(e run.Event) {
		lines++
		switch {
		case e.Progress != nil:
			iterations.add(e)
			if e.Iteration < 0 || e.Iteration > lines+1000 {
				return // damaged: no log has lost that many lines
			}
			for len(o.games) <= e.Iteration {
				o.games = append(o.games, 0)
			}
			o.games[e.Iteration] = float64(e.Progress.Games)
		case e.Strength != nil:
			evaluations.add(e)
		}
	})
	if err != nil {
		return nil, err
	}
	o.events = append(iterations.events(), evaluations.events()...)
	return o, nil
}

// gamesAt returns the number of self-play games before an iteration's network; false if
// it is unknown.
func (o *outline) gamesAt(iteration int) (float64, bool) {
	if iteration == 0 {
		return 0, true
	}
	if iteration < 0 || iteration >= len(o.games) || o.games[iteration] == 0 {
		return 0, false
	}
	return o.games[iteration], true
}

// sample keeps the last of the events added to it and every n-th, with n such that these
// are at most maxDrawn.
type sample struct {
	kept  []run.Event
	every int // 0: 1
	added int
	last  run.Event
}

func (s *sample) add(e run.Event) {
	s.every = max(1, s.every)
	s.last = e
	if s.added%s.every == 0 {
		s.kept = append(s.kept, e)
	}
	s.added++
	if len(s.kept) > maxDrawn {
		half := s.kept[:0]
		for i := 0; i < len(s.kept); i += 2 {
			half = append(half, s.kept[i])
		}
		clear(s.kept[len(half):]) // frees what they point to
		s.kept = half
		s.every *= 2
	}
}

func (s *sample) events() []run.Event {
	if s.added > 0 && (s.added-1)%s.every != 0 {
		return append(s.kept, s.last)
	}
	return s.kept
}
