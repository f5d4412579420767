package anchors

import (
	"context"
	"math/rand/v2"

	"tengen/game"
	"tengen/game/backgammon"
	"tengen/internal/interval"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search"
)

// GNUResult is a match, from the player's side.
type GNUResult struct {
	Player          string  `json:"player"`
	Against         string  `json:"against"`
	Games           int     `json:"games"`
	Mean            float64 `json:"mean"` // points a game
	interval.Bounds         // of the mean, over pairs of games with the same dice
	Wins            int     `json:"wins"`
	Gammons         [2]int  `json:"gammons"` // and backgammons, won and lost
	// Plain is the wider half of the interval that the same games would have if they were
	// independent; null for one pair.
	Plain *float64 `json:"plain"`
}

// concurrent is the number of games that are played at once, so that the player's batches are
// filled.
const concurrent = 32

// PlayGNU plays pairs of games with the same dice. If ctx ends, it returns its error. progress may
// be nil.
func PlayGNU(
	ctx context.Context, g *backgammon.Game, e *GNU, p player.Player, pairs int, seed uint64,
	progress func(done, all int),
) (*GNUResult, error) {
	m := &match{ctx: ctx, engine: e, games: make([]int, 2*pairs), seed: seed, progress: progress}
	var evaluators []search.Evaluator
	if v := p.NewEvaluator(g, concurrent); v != nil {
		defer search.Close(v)
		evaluators = append(evaluators, v)
	}
	var tasks []search.Task
	for range min(concurrent, len(m.games)) {
		tasks = append(tasks, &slot{
			match: m, agent: p.NewAgent(g), state: g.NewState().(*backgammon.State),
			first: g.NewState(),
		})
	}
	if err := search.Drive(ctx, tasks, evaluators); err != nil {
		return nil, err
	}
	if m.err == nil {
		m.err = ctx.Err()
	}
	if m.err != nil {
		return nil, m.err
	}
	least, most := g.ScoreBounds()
	return summary(p.Name(), e.Name(), m.games, least, most), nil
}

// summary sums up games whose points lie between bounds.
func summary(name, against string, games []int, least, most float64) *GNUResult {
	r := &GNUResult{Player: name, Against: against, Games: len(games)}
	var single, pairs []float64
	for i, x := range games {
		switch {
		case x > 0:
			r.Wins++
			if x > 1 {
				r.Gammons[0]++
			}
		case x < -1:
			r.Gammons[1]++
		}
		single = append(single, float64(x))
		if i%2 == 1 {
			pairs = append(pairs, float64(x+games[i-1])/2)
		}
	}
	mean, squares := interval.Moments(single)
	if len(pairs) > 1 {
		r.Plain = interval.OrNull(interval.Bounded(len(single), mean, squares, least,
			most).Half(mean))
	}
	r.Mean, squares = interval.Moments(pairs)
	r.Bounds = interval.Bounded(len(pairs), r.Mean, squares, least, most).Bounds()
	return r
}

// match is shared by the games that are played at once, on one goroutine.
type match struct {
	ctx      context.Context
	engine   *GNU
	games    []int // points of the player in each
	next     int
	done     int
	seed     uint64
	progress func(done, all int)
	err      error
}

// slot plays one game after another.
type slot struct {
	match  *match
	agent  player.Agent
	state  *backgammon.State
	first  game.State
	dice   *rand.Rand
	number int
	seat   game.Player // of the player
	busy   bool
	plan   []game.Action // the rest of the engine's turn
	legal  []game.Action
}

// Advance implements search.Task.
func (s *slot) Advance(requests []search.Requests) int {
	var own search.Requests
	if len(requests) > 0 {
		own = requests[0]
	}
	m := s.match
	for {
		if m.err != nil || m.ctx.Err() != nil {
			return search.Done
		}
		if !s.busy {
			if m.next == len(m.games) {
				return search.Done
			}
			s.number = m.next
			m.next++
			s.busy, s.seat, s.plan = true, game.Player(s.number%2), nil
			s.state.CopyFrom(s.first)
			s.dice = random.New(m.seed, random.Arena, uint64(s.number/2), 0)
			s.agent.Begin(random.New(m.seed, random.Arena, uint64(s.number), 1))
		}
		a := game.NoAction
		switch mover := s.state.CurrentPlayer(); {
		case mover == game.Nobody:
			var scores [2]float32
			s.state.Scores(scores[:])
			m.games[s.number] = int(scores[s.seat])
			s.busy = false
			if m.done++; m.progress != nil {
				m.progress(m.done, len(m.games))
			}
			continue
		case mover == game.Chance:
			a = s.state.Sample(s.dice)
		default:
			s.legal = s.state.LegalActions(s.legal[:0])
			switch {
			case s.legal[0] == backgammon.Pass:
				a = backgammon.Pass
			case mover != s.seat:
				if len(s.plan) == 0 {
					if s.plan, m.err = m.engine.Turn(s.state); m.err != nil {
						return search.Done
					}
				}
				a, s.plan = s.plan[0], s.plan[1:]
			case len(s.legal) == 1:
				a = s.legal[0]
			default:
				var decided bool
				if a, decided = s.agent.Think(s.state, own); !decided {
					return 0
				}
			}
		}
		s.agent.Played(a)
		s.state.Apply(a)
	}
}

// Deliver implements search.Task.
func (s *slot) Deliver(evaluations search.Evaluations) { s.agent.Deliver(evaluations) }
