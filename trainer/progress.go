package trainer

import (
	"fmt"
	"math"
	"time"

	"tengen/nn"
	"tengen/run"
	"tengen/selfplay"
)

// lookups counts the lookups in self-play's cache and the hits among them.
type lookups struct{ all, hits uint64 }

func lookupsOf(c *selfplay.Counters) lookups {
	// Hits first: a hit is counted after its lookup.
	hits := c.CacheHits.Load()
	return lookups{c.Lookups.Load(), hits}
}

func (l lookups) since(before lookups) lookups {
	return lookups{l.all - before.all, l.hits - before.hits}
}

// rate returns the share of hits, nil without lookups.
func (l lookups) rate() *float64 {
	if l.all == 0 {
		return nil
	}
	r := float64(l.hits) / float64(l.all)
	return &r
}

// searches are the decisions of network seats, and those of them whose search
// resolved its root, or was cut short for want of room.
type searches struct{ all, resolved, full uint64 }

func searchesOf(c *selfplay.Counters) searches {
	resolved, full := c.Resolved.Load(), c.Full.Load()
	return searches{c.Decisions.Load(), resolved, full}
}

func (s searches) since(before searches) searches {
	return searches{s.all - before.all, s.resolved - before.resolved, s.full - before.full}
}

func (s searches) rate() float64 { return float64(s.resolved) / float64(max(1, s.all)) }

// logIteration returns the attributes of the log line of an iteration.
func logIteration(iteration, iterations int, p *run.Progress) []any {
	list := []any{
		"iteration", fmt.Sprintf("%d/%d", iteration, iterations),
		"games", p.Games,
	}
	if p.Asked > 0 {
		list = append(list, "evaluations", p.Asked)
	}
	if p.Dropped != "" {
		list = append(list, "update", "dropped")
	} else {
		list = append(list, logLosses("", &p.Losses)...)
	}
	if p.HeldOut != nil {
		list = append(list, logLosses("held_out_", p.HeldOut)...)
	}
	if p.States > 0 {
		list = append(list, "states_a_game", math.Round(p.States), "resolved_roots",
			fmt.Sprintf("%.0f %%", 100*p.Resolved))
	}
	if p.CacheHits != nil {
		list = append(list, "cache_hits", fmt.Sprintf("%.0f %%", 100**p.CacheHits))
	}
	if p.Reuse > 0 {
		list = append(list, "lag_steps", math.Round(p.Lag), "reuse",
			round(p.Reuse), "selfplay_waited", seconds(p.SelfPlayWaited))
	}
	list = append(list, logResignation(p.Resignation)...)
	return append(list, "plies", round(p.Plies), "epsilon", round(p.Epsilon),
		"selfplay", seconds(p.PlaySeconds), "update", seconds(p.Seconds), "elapsed",
		seconds(p.Elapsed))
}

// logLosses returns losses as attributes of a log line. Without a policy there is only the
// value's loss.
func logLosses(prefix string, l *nn.Losses) []any {
	if l.Policy == 0 {
		return []any{prefix + "value", fine(l.Value)}
	}
	list := []any{prefix + "policy", round(l.Policy), prefix + "value", round(l.Value)}
	if prefix == "" {
		list = append([]any{"loss", round(l.Total)}, list...)
	}
	return list
}

// logStrength returns the attributes of the log line of an evaluation, whose scores are in unit.
func logStrength(iteration int, s *run.Strength, unit string) []any {
	list := []any{
		"iteration", iteration, unit, s.Seats(), "sum", s.Total(), "games_a_seat",
		s.Games, "against", s.Against,
	}
	for _, x := range s.Earlier {
		list = append(list, "against_"+run.IterationName(x.Iteration),
			fmt.Sprintf("%+.3f ± %.3f", x.Difference, float64(x.CI)))
	}
	if r := s.Rung; r != nil {
		list = append(list, "against_"+r.Player,
			fmt.Sprintf("%+.3f ± %.3f", r.Difference, float64(r.CI)))
	}
	if s.Elo != nil {
		list = append(list, "rating", s.Elo.String())
	}
	return list
}

// fine rounds to four significant digits, for squared errors, which are small.
func fine(x float64) string { return fmt.Sprintf("%.4g", x) }

func round(x float64) float64 { return math.Round(x*1000) / 1000 }

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(100 * time.Millisecond)
}

// pace estimates how long a run will take. The first iteration of a process is left out:
// in a new run, UCT plays games alone in it.
type pace struct {
	began time.Time // when the second iteration of this process began
	first float64   // what was done then
}

// left estimates the time until all is done, called at the end of an iteration with what is done
// then, in iterations or evaluations. It returns 0 while nothing is known.
func (p *pace) left(done, all float64, now time.Time) time.Duration {
	if p.began.IsZero() {
		p.began, p.first = now, done
		return 0
	}
	if done <= p.first {
		return 0
	}
	return time.Duration(float64(now.Sub(p.began)) / (done - p.first) * max(0, all-done))
}

// noteWaits adds to the progress of an iteration how old the networks of its games were, how often
// positions are learned from, and for how long self-play has waited.
func (r *runner) noteWaits(p *run.Progress, x *learned) {
	p.Lag = x.lag.mean()
	p.Reuse = float64(x.Samples) / max(1, float64(x.entered))
	if r.pipeline != nil {
		p.SelfPlayWaited = r.pipeline.idled().Seconds()
	} else {
		p.SelfPlayWaited = r.source.idled().Seconds()
	}
	r.metrics.Lag.Set(p.Lag)
	r.metrics.WaitedForTraining.Add(p.SelfPlayWaited)
}
