package selfplay

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/player"
	"tengen/replay/record"
)

// Settings are the settings of self-play. They stay the same throughout a run.
type Settings struct {
	Game game.Game
	Seed uint64 // of the run

	Network player.Actor // plays for the players that UCT does not play for
	UCT     player.UCT   // plays for the others

	UCTPolicyTarget bool // record the visits of UCT's searches as policy targets

	// RandomPlies is the greatest number of random moves with which a game begins, outcomes of
	// chance included; 0: none.
	RandomPlies int

	// CountEvaluations records for each game how many evaluations its searches asked for.
	CountEvaluations bool

	// PlayedOut is the share of games in which nobody resigns, whatever Job.Resign is: they are
	// played to their end.
	PlayedOut float64

	// Remote, if not nil, plays games beside the workers of this process.
	Remote RemoteWorkers
}

// newNetworkAgent returns an agent that plays for the network.
func (s *Settings) newNetworkAgent() player.ActorAgent {
	return s.Network.NewAgent(s.Game).(player.ActorAgent)
}

// Job lists games to play: those of one iteration, or some of them.
type Job struct {
	Games     []uint64 // the numbers of the games to play
	Iteration int
	Step      uint64  // training steps behind the weights, for the records
	Epsilon   float64 // probability that UCT plays for a player
	// Resign is the utility below which players of the network resign (replay.Resigning), at most
	// replay.MaxResign, but for a share Settings.PlayedOut of the games; 0: nobody resigns.
	Resign float32
	// Exploration is that of Descent: player.Conditions.Greed.
	Exploration float64
	Weights     nn.Network // may be nil if Epsilon is 1
	// Belief is what the network of Weights believes of what is hidden; nil: nothing.
	Belief *player.Belief
	// Params are the parameters behind Weights, for RemoteWorkers; nil without any.
	Params *nn.Params
	// NewEvaluator makes a worker's evaluator; nil: the weights' own.
	NewEvaluator func(nn.Network) nn.Evaluator
}

// newEvaluator makes an evaluator of the job's network.
func (j *Job) newEvaluator() nn.Evaluator {
	if j.NewEvaluator != nil {
		return j.NewEvaluator(j.Weights)
	}
	return j.Weights.NewEvaluator()
}

// drawSeat draws who plays the next seat of a game.
func (j *Job) drawSeat(rng *rand.Rand) record.SeatRecord {
	// Draw even if the outcome is certain, so that later draws are the same.
	if rng.Float64() < j.Epsilon || j.Weights == nil {
		return record.SeatRecord{Kind: record.UCT}
	}
	return record.SeatRecord{Kind: record.Network, Step: j.Step}
}

// Check returns an error if a game that somebody else has played begins otherwise than the one that
// the job gives: who plays its seats, its opening, and the utility below which players resign
// follow from its number and the settings. What comes after is not checked.
func (j *Job) Check(s *Settings, g *record.Game) error {
	if want := j.resignBelow(s.Seed, g.Number, s.PlayedOut); g.Resign != want {
		return fmt.Errorf(
			"game %d says that players resigned below a utility of %v, where %v was given",
			g.Number, g.Resign, want)
	}
	rng := random.New(s.Seed, random.SelfPlay, g.Number)
	for i, seat := range g.Seats {
		if want := j.drawSeat(rng); seat != want {
			return fmt.Errorf("game %d, seat %d: %v plays, where %v was drawn",
				g.Number, i, seat, want)
		}
	}
	opening := s.drawOpening(rng)
	if g.Prefix != len(opening) || len(g.Moves) < len(opening) {
		return fmt.Errorf("game %d has an opening of %d actions, where %d were drawn",
			g.Number, g.Prefix, len(opening))
	}
	for i, a := range opening {
		if g.Moves[i].Action != a {
			return fmt.Errorf("game %d has another opening than was drawn: at place %d",
				g.Number, i+1)
		}
	}
	return nil
}

// resignBelow returns the utility below which players resign in the game with a number, 0 if it is
// one of those that are played to their end. Which ones these are follows from the seed and the
// number, so that nobody can choose them.
func (j *Job) resignBelow(seed, number uint64, playedOut float64) float32 {
	if j.Resign == 0 || random.New(seed, random.Resignation, number).Float64() < playedOut {
		return 0
	}
	return j.Resign
}

// openingTries is how often an opening is drawn anew that ends the game.
const openingTries = 8

// drawOpening returns the moves with which a game begins: a number of them, uniform from 0 to
// RandomPlies, each uniform among the legal ones, after which the game is not over. Outcomes of
// chance follow their probabilities.
func (x *Settings) drawOpening(rng *rand.Rand) (actions []game.Action) {
	if x.RandomPlies == 0 {
		return nil
	}
	s, legal := x.Game.NewState(), []game.Action(nil)
	first := x.Game.NewState()
	for range openingTries {
		s.CopyFrom(first)
		actions = actions[:0]
		for range rng.IntN(x.RandomPlies + 1) {
			a := game.NoAction
			switch s.CurrentPlayer() {
			case game.Nobody:
			case game.Chance:
				a = s.(game.Chancer).Sample(rng)
			default:
				legal = s.LegalActions(legal[:0])
				a = legal[rng.IntN(len(legal))]
			}
			if a == game.NoAction {
				break
			}
			s.Apply(a)
			actions = append(actions, a)
		}
		if s.CurrentPlayer() != game.Nobody {
			return actions
		}
	}
	return nil
}
