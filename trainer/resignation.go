package trainer

import (
	"fmt"

	"tengen/replay/record"
	"tengen/run"
)

const (
	// playedOut is the share of games in which nobody resigns, so that they are played to their end
	// and tell of the threshold (Silver et al. 2017, Methods, "Self-play").
	playedOut = 0.1
	// mostResign is the greatest threshold that may follow from the games (AlphaGo resigned at a
	// tenth: Silver et al. 2016).
	mostResign = 0.1
)

// noteResignation finds the threshold of resignations from the window, and adds it to the progress
// of an iteration with the given games.
func (r *runner) noteResignation(p *run.Progress, games []*record.Game) {
	c := r.plan.Config.Resignation
	if c.FalsePositives == 0 {
		r.state.Resignation = nil
		return
	}
	found := r.updater.Window.CalibrateResign(c.FalsePositives, r.plan.MostResign)
	r.state.Resignation = &ResignationState{
		found.Threshold, found.Games, found.Resigned, found.False,
	}
	p.Resignation = &run.Resignation{
		Threshold: float64(int(found.Threshold*1000+0.5)) / 1000,
		Games:     found.Games, Resigned: found.Resigned, False: found.False,
	}
	for _, g := range games {
		if g.Resigned {
			p.Resignation.Share += 1 / float64(len(games))
		}
	}
	r.metrics.ResignThreshold.Set(p.Resignation.Threshold)
	r.metrics.FalseResignations.Set(found.Rate())
}

// logResignation returns the attributes of the log line of an iteration.
func logResignation(x *run.Resignation) []any {
	if x == nil {
		return nil
	}
	list := []any{"resigned", fmt.Sprintf("%.0f %%", 100*x.Share)}
	if x.Threshold == 0 {
		return append(list, "resign", fmt.Sprintf("nobody, %d games do not tell enough", x.Games))
	}
	return append(list, "resign_below", x.Threshold, "false",
		fmt.Sprintf("%d of %d", x.False, x.Resigned))
}
