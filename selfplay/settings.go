package selfplay

import (
	"fmt"

	"tengen/descent"
	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/nn"
	"tengen/player"
	"tengen/search/nneval"
)

// Settings are the settings of self-play. They stay the same throughout a run.
type Settings struct {
	Game game.Game
	Seed uint64 // of the run

	// PUCT is the search with the network, root noise included. With PUCT.Gumbel the improved
	// policy of the root is the policy target in place of the visits, and moves are the search's
	// own choice: the temperatures are not used.
	PUCT mcts.PUCT
	// Observers are those of PUCT, in games with imperfect information.
	Observers ismcts.Observers
	// Inference is the number of worlds in which searches with the network infer what is hidden, 0:
	// none (player.Infer).
	Inference int
	// Belief is the number of worlds of which searches with the network draw determinizations by
	// Job.Belief; 0: they are drawn uniformly.
	Belief int

	// Descent, if not nil, replaces PUCT and all settings that belong to it.
	Descent *Descent

	// Playout cap randomization (Wu 2019): a move is searched in full with
	// probability FullProbability, else with FastSimulations, without Dirichlet
	// noise, and gives no policy target. FastSimulations 0: always in full.
	FastSimulations int
	FullProbability float64

	// The first TemperaturePlies plies of a game, or after its opening, are drawn with probability
	// proportional to visits^(1/Temperature), later ones with LateTemperature;
	// 0 plays the most visited.
	Temperature      float64
	TemperaturePlies int
	LateTemperature  float64
	// RandomPlies is the greatest number of random moves with which a game begins: see Openings.
	RandomPlies int
	// Epsilon is the probability of a move that is drawn uniformly.
	Epsilon float64

	// Cache, if not nil, keeps evaluations while the weights stay the same. Games are the
	// same with and without it.
	Cache *nneval.Cache
	// Canonical evaluates each position in its canonical orientation.
	Canonical bool
	// Afterstates values each position by the best state to which its turn can lead (nneval.Turns).
	Afterstates bool

	// CountEvaluations records for each game how many evaluations its searches asked for.
	CountEvaluations bool

	// PlayedOut is the share of games in which nobody resigns, whatever Job.Resign is: they are
	// played to their end.
	PlayedOut float64

	UCT             player.UCT // plays for the players that the network does not play for
	UCTPolicyTarget bool       // record the visits of UCT's searches as policy targets

	// Crew, if not nil, plays games beside the workers of this process.
	Crew Crew
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
	// Exploration is that of Descent: see Ordinal.
	Exploration float64
	Weights     nn.Network // may be nil if Epsilon is 1
	// Belief is what the network of Weights believes of what is hidden, for Settings.Belief; nil:
	// nothing.
	Belief *player.Belief
	// Params are the parameters behind Weights, for a Crew; nil without one.
	Params *nn.Params
	// NewEvaluator makes a worker's evaluator; nil: the weights' own.
	NewEvaluator func(nn.Network) nn.Evaluator
}

// MaxBatchSize returns the greatest number of evaluations that a game requests in one step.
func (s *Settings) MaxBatchSize() int {
	if s.Descent != nil {
		return s.Game.Actions()
	}
	return s.PUCT.MaxBatchSize()
}

// Openings returns the random moves with which games begin.
func (s *Settings) Openings() Openings { return Openings{Game: s.Game, Plies: s.RandomPlies} }

// gumbel reports whether searches have Gumbel at the root.
func (s *Settings) gumbel() bool { return s.PUCT.Gumbel.On() }

// Validate returns an error if games can't be played with these settings.
func (s *Settings) Validate() error {
	if d := s.Descent; d != nil {
		if err := descent.Check(s.Game, d.Search); err != nil {
			return err
		}
	}
	if s.Inference > 0 && s.Descent == nil {
		if err := player.CheckInference(s.Game); err != nil {
			return fmt.Errorf("self-play: inference is %d; 0 is wanted: %w", s.Inference, err)
		}
	}
	if s.Belief > 0 && s.Descent == nil {
		if len(game.SecretsOf(s.Game)) == 0 {
			return fmt.Errorf("self-play: belief is %d; 0 is wanted: %s offers no secrets",
				s.Belief, s.Game.Name())
		}
		if s.Inference > 0 {
			return fmt.Errorf("self-play: belief is %d and inference %d; one of them is to be 0",
				s.Belief, s.Inference)
		}
	}
	if s.FastSimulations > 0 && !(s.FullProbability > 0 && s.FullProbability <= 1) {
		return fmt.Errorf(
			"self-play: the probability of a full search is %g; above 0 and at most 1 is wanted",
			s.FullProbability)
	}
	return nil
}
