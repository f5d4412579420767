package metrics

import (
	"math"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

var seatLabel = Label{"seat", "the game's names, at most eight"}

// seats are the series of each seat of the game.
type seats struct {
	points, low, high, anchor *prometheus.GaugeVec
	outcomes                  *prometheus.CounterVec

	won, tied, lost []prometheus.Counter // by seat
}

// Seats makes the series of the seats with the given names, at zero. It must be called
// before Points, Anchor and Outcome.
func (m *Metrics) Seats(names []string) {
	s := &m.seats
	s.won, s.tied, s.lost = nil, nil, nil
	for _, name := range names {
		for _, v := range []*prometheus.GaugeVec{s.points, s.low, s.high, s.anchor} {
			v.WithLabelValues(name).Set(0)
		}
		s.won = append(s.won, s.outcomes.WithLabelValues(name, "won"))
		s.tied = append(s.tied, s.outcomes.WithLabelValues(name, "tied"))
		s.lost = append(s.lost, s.outcomes.WithLabelValues(name, "lost"))
	}
}

// Points sets the mean score in a seat and its interval, whose half-width half may be
// infinite.
func (m *Metrics) Points(seat string, mean, half float64) {
	m.seats.points.WithLabelValues(seat).Set(mean)
	m.seats.low.WithLabelValues(seat).Set(mean - half)
	m.seats.high.WithLabelValues(seat).Set(mean + half)
}

// Anchor sets the mean score of UCT in a seat.
func (m *Metrics) Anchor(seat string, mean float64) {
	m.seats.anchor.WithLabelValues(seat).Set(mean)
}

// Outcome records the result of a self-play game, given the utility of each seat: the
// seat with the greatest utility has won; if there are several, they have tied.
func (m *Metrics) Outcome(utilities []float32) {
	top := float32(math.Inf(-1))
	if len(utilities) > 0 {
		top = slices.Max(utilities)
	}
	best := 0
	for _, u := range utilities {
		if u == top {
			best++
		}
	}
	for seat, u := range utilities {
		switch {
		case u != top:
			m.seats.lost[seat].Inc()
		case best > 1:
			m.seats.tied[seat].Inc()
		default:
			m.seats.won[seat].Inc()
		}
	}
}
