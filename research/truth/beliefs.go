package truth

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"tengen/game"
	"tengen/internal/interval"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/player"
	"tengen/search"
	"tengen/search/belief"
)

// BeliefOptions describe a measurement.
type BeliefOptions struct {
	Game   game.Game
	Belief *player.Belief
	// Players play the games: seat s of game i is player (s+i) modulo their number.
	Players []player.Player
	Games   int
	Seed    uint64
	Workers int // goroutines, at least 1; results do not depend on it
	// Progress, if not nil, is called after each game, not concurrently.
	Progress func(done, all int)
}

// BeliefReport is the result.
type BeliefReport struct {
	Game      string       `json:"game"`
	Network   string       `json:"network"`
	Players   []string     `json:"players"`
	Games     int          `json:"games"` // that were finished
	Seed      uint64       `json:"seed"`
	Decisions int          `json:"decisions"`
	Kinds     []BeliefKind `json:"kinds"`
}

// BeliefKind is the result for all facts of one kind.
type BeliefKind struct {
	Kind string `json:"kind"`
	Measured
	// Parts are thirds of a game, by the share of its decisions that came before.
	Parts []BeliefPart `json:"parts"`
	// Decisions are by the number of decisions before in the game.
	Decisions []BeliefPart `json:"decisions"`
	// Reliability compares probabilities, in bins of a tenth, with how often what they are of is
	// true.
	Reliability []Bin `json:"reliability"`
	// Error is the expected calibration error, 0 to 1.
	Error float64 `json:"calibration_error"`
}

// Measured are the losses of a set of positions.
type Measured struct {
	Positions int     `json:"positions"`
	Loss      float64 `json:"loss"`  // of the belief: nats, over all facts of the kind
	Prior     float64 `json:"prior"` // of counting
	// Reduction is 1 − Loss/Prior, with a 95 % interval by Student's t; 0 without positions.
	Reduction float64  `json:"reduction"`
	Low       *float64 `json:"reduction_low"` // null for one game
	High      *float64 `json:"reduction_high"`
}

// Interval is that of the reduction.
func (m *Measured) Interval() interval.Interval {
	return interval.Bounds{Low: m.Low, High: m.High}.Interval()
}

// BeliefPart is a part of the games.
type BeliefPart struct {
	From float64 `json:"from"` // share of the game, or number of decisions
	To   float64 `json:"to"`   // up to, not including
	Measured
}

// Bin is a bin of probabilities.
type Bin struct {
	N        int     `json:"n"`
	Believed float64 `json:"believed"` // mean probability
	True     float64 `json:"true"`     // share
}

// decisionsAPart is the number of decisions in a BeliefPart of BeliefKind.Decisions.
const decisionsAPart = 5

// thirds is the number of BeliefKind.Parts.
const thirds = 3

// one holds the losses of one decision, by kind.
type one struct{ loss, prior []float64 }

// measured holds the results of one game.
type measured struct {
	decisions   []one
	calibration []nn.Calibration // by kind
}

// Measure plays games and measures a belief in them. If ctx ends, it returns the report on the
// games that are finished, in order of number up to the first one that is not, with the context's
// error.
func MeasureBelief(ctx context.Context, o BeliefOptions) (*BeliefReport, error) {
	kinds, of := kindsOf(o.Game)
	if len(kinds) == 0 {
		return nil, fmt.Errorf("%s offers no hidden facts that a belief could be about", o.Game.Name())
	}
	games := make([]*measured, o.Games)
	errs := make([]error, max(1, o.Workers))
	var next atomic.Int64
	var group sync.WaitGroup
	var mutex sync.Mutex
	done := 0
	for w := range errs {
		group.Go(func() {
			m := newMeter(o, kinds, of)
			defer m.close()
			for {
				i := int(next.Add(1)) - 1
				if i >= o.Games {
					return
				}
				if games[i], errs[w] = m.game(ctx, uint64(i)); errs[w] != nil {
					games[i] = nil
					return
				}
				mutex.Lock()
				if done++; o.Progress != nil {
					o.Progress(done, o.Games)
				}
				mutex.Unlock()
			}
		})
	}
	group.Wait()
	finished := slices.Index(games, nil)
	if finished < 0 {
		finished = len(games)
	}
	for _, err := range errs {
		if err != nil {
			return report(o, kinds, games[:finished]), err
		}
	}
	return report(o, kinds, games), nil
}

// kindsOf lists the kinds of a game's hidden facts, and the kind of each.
func kindsOf(g game.Game) (kinds []string, of []int) {
	for _, s := range game.HiddenFactsOf(g) {
		k := slices.Index(kinds, s.Kind)
		if k < 0 {
			k = len(kinds)
			kinds = append(kinds, s.Kind)
		}
		of = append(of, k)
	}
	return kinds, of
}

// meter measures games, one after another.
type meter struct {
	o          BeliefOptions
	kinds      []string
	of         []int
	facts      []game.HiddenFact
	believer   *player.Believer
	agents     [][]player.Agent // [players][seats]
	evaluators []search.Evaluator

	classes        []int8
	priors, belief []float32
	play           *player.Game
	measured       *measured
}

func newMeter(o BeliefOptions, kinds []string, of []int) *meter {
	facts := game.HiddenFactsOf(o.Game)
	m := &meter{
		o: o, kinds: kinds, of: of, facts: facts, believer: o.Belief.NewBeliever(o.Game),
		classes: make([]int8, len(facts)), priors: make([]float32, game.HiddenFactClasses(facts)),
		belief: make([]float32, game.HiddenFactClasses(facts)),
		play:   player.NewGame(o.Game),
	}
	for _, p := range o.Players {
		var agents []player.Agent
		for range o.Game.Players() {
			agents = append(agents, p.NewAgent(o.Game))
		}
		m.agents = append(m.agents, agents)
		m.evaluators = append(m.evaluators, p.NewEvaluator(o.Game, 1))
	}
	return m
}

func (m *meter) close() {
	for _, e := range m.evaluators {
		if c, ok := e.(interface{ Close() }); ok {
			c.Close()
		}
	}
}

// game plays a game.
func (m *meter) game(ctx context.Context, number uint64) (*measured, error) {
	m.measured = &measured{calibration: make([]nn.Calibration, len(m.kinds))}
	seats := make([]player.Seat, m.o.Game.Players())
	for s := range seats {
		p := (s + int(number%uint64(len(m.o.Players)))) % len(m.o.Players)
		seats[s] = player.Seat{
			Agent: m.agents[p][s], Rand: random.New(m.o.Seed, random.Arena, number, uint64(s)+1),
			Evaluator: p,
		}
	}
	x := m.play
	x.OnMove = func(mv player.Move) {
		if mv.By == player.ByAgent {
			m.decision(x.State())
		}
	}
	x.Start(player.Setup{
		Seed: m.o.Seed, Purpose: random.Arena, Number: number, Seats: seats,
		Chance: random.New(m.o.Seed, random.Arena, number, 0),
	})
	for !x.Over() {
		if _, err := x.Next(ctx, m.evaluators); err != nil {
			return nil, err
		}
	}
	return m.measured, nil
}

// decision compares the belief of the player to move in the true state s with the truth.
func (m *meter) decision(s game.State) {
	x, seat := s.(game.HiddenFactState), s.CurrentPlayer()
	x.HiddenFacts(seat, m.classes)
	x.HiddenFactPriors(seat, m.priors)
	belief.Distributions(m.facts, m.belief, m.priors, m.believer.Logits(s))
	d := one{make([]float64, len(m.kinds)), make([]float64, len(m.kinds))}
	first := 0
	for i, class := range m.classes {
		k, n := m.of[i], m.facts[i].Classes
		if class >= 0 {
			d.loss[k] -= math.Log(float64(m.belief[first+int(class)]))
			d.prior[k] -= math.Log(float64(m.priors[first+int(class)]))
			for c := range n {
				if m.priors[first+c] > 0 {
					hit := 0.0
					if c == int(class) {
						hit = 1
					}
					m.measured.calibration[k].Count(float64(m.belief[first+c]), hit)
				}
			}
		}
		first += n
	}
	m.measured.decisions = append(m.measured.decisions, d)
}

// sums of the losses of one game, and of their numbers.
type sums struct {
	n           int
	loss, prior float64
}

// of makes what was measured of sums by game.
func of(games []sums) (m Measured) {
	var all sums
	for _, g := range games {
		all.n += g.n
		all.loss += g.loss
		all.prior += g.prior
	}
	if all.n == 0 || all.prior == 0 {
		return m
	}
	m.Positions, m.Loss, m.Prior = all.n, all.loss/float64(all.n), all.prior/float64(all.n)
	ratio, squares, clusters := all.loss/all.prior, 0.0, 0
	for _, g := range games {
		if g.n > 0 {
			d := g.loss - ratio*g.prior
			squares += d * d
			clusters++
		}
	}
	m.Reduction = 1 - ratio
	mean := all.prior / float64(clusters)
	b := interval.Mean(clusters, m.Reduction, squares/mean/mean).Bounds()
	m.Low, m.High = b.Low, b.High
	return m
}

// report sums up the games.
func report(o BeliefOptions, kinds []string, games []*measured) *BeliefReport {
	r := &BeliefReport{
		Game: o.Game.Name(), Network: o.Belief.Label, Games: len(games), Seed: o.Seed,
	}
	for _, p := range o.Players {
		r.Players = append(r.Players, p.Name())
	}
	longest := 0
	for _, g := range games {
		r.Decisions += len(g.decisions)
		longest = max(longest, len(g.decisions))
	}
	for k, name := range kinds {
		kind := BeliefKind{Kind: name}
		// measure measures the decisions of which in says so.
		measure := func(in func(i, n int) bool) Measured {
			list := make([]sums, len(games))
			for j, g := range games {
				for i, d := range g.decisions {
					if in(i, len(g.decisions)) {
						list[j].n++
						list[j].loss += d.loss[k]
						list[j].prior += d.prior[k]
					}
				}
			}
			return of(list)
		}
		kind.Measured = measure(func(int, int) bool { return true })
		for part := range thirds {
			kind.Parts = append(kind.Parts,
				BeliefPart{
					float64(part) / thirds, float64(part+1) / thirds,
					measure(func(i, n int) bool { return i*thirds/n == part }),
				})
		}
		for from := 0; from < longest; from += decisionsAPart {
			kind.Decisions = append(kind.Decisions,
				BeliefPart{
					float64(from), float64(from + decisionsAPart),
					measure(func(i, _ int) bool { return i/decisionsAPart*decisionsAPart == from }),
				})
		}
		var calibration nn.Calibration
		for _, g := range games {
			calibration.Add(&g.calibration[k])
		}
		for _, b := range calibration {
			bin := Bin{N: b.N}
			if b.N > 0 {
				bin.Believed, bin.True = b.Predicted/float64(b.N), b.Target/float64(b.N)
			}
			kind.Reliability = append(kind.Reliability, bin)
		}
		kind.Error = calibration.Error()
		r.Kinds = append(r.Kinds, kind)
	}
	return r
}
