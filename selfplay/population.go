package selfplay

import (
	"math"
	"math/rand/v2"

	"tengen/nn"
	"tengen/player"
	"tengen/player/play"
	"tengen/replay"
	"tengen/search"
	"tengen/search/nneval"
)

// Population are other players than the newest network that play some of the seats.
type Population struct {
	// Share is the probability that one of the population plays a seat which UCT does not
	// take.
	Share float64
	// Groups are the players. The player of a seat is drawn from a group, which is drawn first.
	// There is at least one group, and none is empty.
	Groups [][]Member
}

// Member is a player of the population.
type Member struct {
	Player player.Player     // not timed, so that games can be repeated
	Seat   replay.SeatRecord // of kind Past or Guest
	Values bool              // records have the values of its searches
	Params *nn.Params        // of the network of a player of kind Past, for a Crew; nil without one
}

// member is a member at the tables of a worker.
type member struct {
	Member
	evaluators []search.Evaluator // of the worker's groups; nil for none
	index      int                // of the evaluator in a group; beyond all for none
	idle       []*memberAgent     // that play no game now
}

// memberAgent is a searchAgent that plays for the seats of a member in one game.
type memberAgent struct {
	player.Agent
	of *member
}

func (a *memberAgent) record(m *replay.Move) {
	if searching, ok := a.Agent.(player.Searching); ok && a.of.Values {
		searching.Result().Value(m.Value)
		return
	}
	m.Value = nil
}

// members returns the number of members.
func (p *Population) members() (n int) {
	for _, group := range p.Groups {
		n += len(group)
	}
	return n
}

// invite makes the evaluators of the population for the worker's groups, each with a number of
// concurrent games.
func (e *engine) invite(games int) {
	if e.job.Population == nil {
		return
	}
	w := e.w
	index := e.first + 1 // after that of the newest network
	for _, group := range e.job.Population.Groups {
		members := make([]*member, len(group))
		for i := range group {
			m := &member{Member: group[i], index: math.MaxInt}
			members[i] = m
			for k := range w.groups {
				evaluator := m.Player.NewEvaluator(w.settings.Game, games)
				if evaluator == nil {
					break
				}
				m.index = index
				m.evaluators = append(m.evaluators, evaluator)
				if n, ok := evaluator.(*nneval.Evaluator); ok {
					n.OnBatch = w.counting(games)
				}
				w.groups[k].Evaluators[index].(*exchange).set(evaluator)
			}
			if m.evaluators != nil {
				index++
			}
		}
		e.members = append(e.members, members)
	}
}

// sit gives a seat of the game that begins to a member, and returns it. A member has one agent in a
// game.
func (x *slot) sit(m *member, rng *rand.Rand) play.Seat {
	for _, a := range x.members {
		if a.of == m {
			return play.Seat{Agent: a, Rand: rng, Evaluator: m.index}
		}
	}
	if len(m.idle) == 0 {
		agent := m.Player.NewAgent(x.w.settings.Game)
		if i, ok := agent.(player.Interruptible); ok {
			i.StopIf(x.w.pool.stopped.Load)
		}
		m.idle = append(m.idle, &memberAgent{agent, m})
	}
	a := m.idle[len(m.idle)-1]
	m.idle = m.idle[:len(m.idle)-1]
	x.members = append(x.members, a)
	return play.Seat{Agent: a, Rand: rng, Evaluator: m.index}
}

// leave ends the game of all members at the table.
func (x *slot) leave() {
	for i, a := range x.members {
		a.of.idle = append(a.of.idle, a)
		x.members[i] = nil
	}
	x.members = x.members[:0]
}
