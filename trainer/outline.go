package trainer

// outlined is how many iterations, and how many evaluations, of a run are drawn at
// most: more than a picture can show, so that its memory does not grow with the run.
const outlined = 300

// outline is a run's history as far as it is drawn.
type outline struct {
	events []Event   // iterations and evaluations, evenly left out where there are too many
	games  []float64 // self-play games so far, by iteration
}

// outline reads it from the event log.
func (f files) outline() (*outline, error) {
	o := new(outline)
	var iterations, evaluations sample
	lines := 0
	err := f.eachEvent(func(e Event) {
		lines++
		switch {
		case e.Progress != nil:
			iterations.add(e)
			if e.Iteration < 0 || e.Iteration > lines+1000 {
				return // damaged: no log has lost so many lines
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

// gamesAt are the games behind the network that an iteration left; false where that
// is not known.
func (o *outline) gamesAt(iteration int) (float64, bool) {
	if iteration == 0 {
		return 0, true
	}
	if iteration < 0 || iteration >= len(o.games) || o.games[iteration] == 0 {
		return 0, false
	}
	return o.games[iteration], true
}

// sample keeps every n-th of the events added to it, n such that there are no more
// than outlined of them, and the last.
type sample struct {
	kept  []Event
	every int // 0: 1
	added int
	last  Event
}

func (s *sample) add(e Event) {
	s.every = max(1, s.every)
	s.last = e
	if s.added%s.every == 0 {
		s.kept = append(s.kept, e)
	}
	s.added++
	if len(s.kept) > outlined {
		half := s.kept[:0]
		for i := 0; i < len(s.kept); i += 2 {
			half = append(half, s.kept[i])
		}
		clear(s.kept[len(half):]) // what they point to can go
		s.kept = half
		s.every *= 2
	}
}

func (s *sample) events() []Event {
	if s.added > 0 && (s.added-1)%s.every != 0 {
		return append(s.kept, s.last)
	}
	return s.kept
}
