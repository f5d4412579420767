package configs

// Config is the configuration of a run. The tags are the keys, in YAML and JSON;
// rules.go checks the limits that the comments give.
type Config struct {
	// Seed starts every random stream of the run: any whole number from 0.
	// The same seed and one worker give the same games and weights to the bit.
	Seed uint64 `json:"seed"`
	// Game is the game to learn, such as "go:size=5,players=3"; `tengen games` lists them.
	Game string `json:"game"`
	// Algorithm is how it is learned: alphazero or descent. The comment of a key
	// that one of them does not use says so.
	Algorithm Algorithm `json:"algorithm"`

	Network     Network     `json:"network"`
	Search      Search      `json:"search"`
	Descent     Descent     `json:"descent"`
	Play        Play        `json:"play"`
	WarmStart   WarmStart   `json:"warm_start"`
	Resignation Resignation `json:"resignation"`
	SelfPlay    SelfPlay    `json:"selfplay"`
	Training    Training    `json:"training"`
	Replay      Replay      `json:"replay"`
	Evaluation  Evaluation  `json:"evaluation"`
	Checkpoints Checkpoints `json:"checkpoints"`
	Metrics     Metrics     `json:"metrics"`
}

// Network is the shape of the network. The game determines the rest: planes,
// board, players and actions.
type Network struct {
	// Blocks is the number of residual blocks of two 3×3 convolutions each, 0 to 100.
	Blocks int `json:"blocks"`
	// Filters is the number of channels of the trunk, 1 to 4096.
	Filters int `json:"filters"`
	// Hidden is the width of the hidden layer of each player's value head, 1 to 65536.
	Hidden int `json:"hidden"`
	// Policy is the policy head: conv, conv+pass, dense, none, or auto. Auto is
	// none for Descent and with Search.Afterstates, which need no policy; otherwise it is
	// the first of the others that fits the game's actions.
	Policy string `json:"policy"`
	// Value is the value head: categorical, linear, or auto. Auto is categorical
	// for AlphaZero if the game lists its possible utilities, otherwise linear.
	Value string `json:"value"`
}

// Search is AlphaZero's tree search (PUCT, or Gumbel at its root). Descent uses Canonical alone.
type Search struct {
	// Simulations is the number of simulations a move, 0 to 10000000. 0 is for Afterstates with
	// root gumbel: moves are then chosen by the values of afterstates alone.
	Simulations int `json:"simulations"`
	// CPUCT is the exploration constant c_puct of PUCT, on utilities in [0, 1]; 0 to 1000.
	CPUCT float64 `json:"c_puct"`
	// FPU (first-play urgency) is the value of an action not yet visited: zero, or
	// parent (the parent's value less a reduction; see FPUReduction).
	FPU FPU `json:"fpu"`
	// FPUReduction times the square root of the visited policy mass is subtracted
	// from the parent's value if FPU is parent; 0 to 1.
	FPUReduction float64 `json:"fpu_reduction"`
	// Root is the search of the root: puct, or gumbel: sampled actions and sequential
	// halving (Danihelka et al. 2022), which learns with few simulations. With gumbel
	// the improved policy is the policy target instead of the visits, and its value is the
	// search's; the move of self-play is a sample of it, and
	// Play and NoiseWeight are not used. Elsewhere the best
	// action is chosen, without noise. Reasonable Simulations are 16 to 64.
	Root Root `json:"root"`
	// Considered is the greatest number of actions that gumbel considers at the root, 0 to
	// 65536; 0 derives it from Simulations: 4 of 8, 8 of 24, 16 of 64.
	Considered int `json:"considered"`
	// CVisit and CScale are the constants of gumbel's sigma(q) = (CVisit + greatest number of
	// visits)·CScale·q, for values q scaled to [0, 1]: they weigh the values found against the
	// network's policy. CVisit is a number from 0 to 1000000.
	CVisit float64 `json:"c_visit"`
	// CScale is the factor of the values in gumbel's sigma(q) = (CVisit + greatest number of
	// visits)·CScale·q: how much the values found count against the network's policy; a number from
	// 0 to 1000.
	CScale float64 `json:"c_scale"`
	// QScaling is how gumbel's values are scaled: range (the least of a node's values becomes 0
	// and the greatest 1), or none (they are utilities, so that what hardly matters hardly counts).
	QScaling QScaling `json:"q_scaling"`
	// Interior is the search below gumbel's root: improved (visits in proportion to an
	// improved policy at each node, which has no exploration constant), puct, which does
	// better with hundreds of simulations, or policy (visits in proportion to the network's
	// policy, so that values are those of the policies as they are).
	Interior Interior `json:"interior"`
	// Choice is how players choose a move where none is drawn and Root is puct: visits (the most
	// visited action), or lcb, the action with the greatest lower confidence bound of those with
	// enough visits. In self-play the most visited is chosen.
	Choice Choice `json:"choice"`
	// Outcomes is how a search visits the outcomes of chance, such as rolls of dice: sampled (drawn
	// by their probabilities), or balanced (after N visits an outcome of probability p has p·N of
	// them, to within one, and counts with p in the value of the state before it; actions are
	// compared by like luck). It is for games with chance that hide nothing.
	Outcomes Outcomes `json:"outcomes"`
	// Proofs makes searches prove values from the ends of games (MCTS-Solver): a position in which
	// the player to move can win, or whose moves are all proven, has the value of its best move in
	// all its visits, and is searched no more. It is for games that hide nothing; positions before
	// an outcome of chance are not proven.
	Proofs bool `json:"proofs"`
	// Observers are the players whose information sets are nodes of the search, in games with
	// hidden information: single (the searching player alone), or multiple (each player, in a tree
	// of its own).
	Observers Observers `json:"observers"`
	// Inference is the number of determinizations that a search weighs before it begins, 0 (none)
	// to 100000. In each the network's policy tells how likely the other players' past actions
	// would have been, and the search draws its determinizations from them in proportion to that,
	// instead of uniformly. It is for games whose states tell their history, such as kuhn and
	// leduc.
	Inference int `json:"inference"`
	// Belief is the number of determinizations that a search of self-play weighs by the network's
	// belief before it begins, 0 (none) to 100000; 128 is usual. The search draws its
	// determinizations from them in proportion to these weights, instead of uniformly. The belief
	// head (Training.BeliefWeight) is evaluated once a decision, on the processor, with the weights
	// with which the game is played. Players have a key belief of their own. It is for games that
	// offer hidden facts, such as turtle, and not with Inference.
	Belief int `json:"belief"`
	// Rollouts lets a simulation go on from a new node to the end of the game, choosing actions as
	// at visited nodes. The result counts instead of the network's value. (At another player's
	// decision the network's value is a mean over the hands that this player can't see, and so is
	// wrong for the hand of the determinization.) It is for games with hidden information, with
	// Interior policy.
	Rollouts bool `json:"rollouts"`
	// NoiseWeight is the share of Dirichlet noise in the root's priors during self-play, 0 to 1.
	// The noise of each of n legal actions has the parameter α = 10/n.
	NoiseWeight float64 `json:"noise_weight"`
	// ReuseTree keeps the subtree of the action that was played for the next move.
	ReuseTree bool `json:"reuse_tree"`
	// MaxNodes caps a tree's nodes, 0 to 1000000000; 0 derives it from Simulations.
	MaxNodes int `json:"max_nodes"`
	// Leaves is the number of evaluations that a search awaits at once, 1 to 256. On a
	// processor 1 is right, since the other games of a worker fill the batch; on a
	// device with few games a greater number fills it.
	Leaves int `json:"leaves"`
	// FastSimulations is the number of simulations of the cheap searches of
	// playout cap randomization, whose moves give no policy target; 0 (none) to 10000000.
	FastSimulations int `json:"fast_simulations"`
	// FullProbability is the probability with which a move is searched fully
	// rather than cheaply; above 0, to 1.
	FullProbability float64 `json:"full_probability"`
	// Canonical evaluates each position in its canonical orientation (the first of
	// its images under the game's symmetries, in a fixed order), so that positions
	// that differ by a symmetry only have the same evaluation, which is computed
	// once. Both algorithms use it.
	Canonical bool `json:"canonical"`
	// Afterstates lets the network learn and evaluate the positions in which an outcome of chance
	// is due, in place of those in which a player is to move. A position then has the value of the
	// best of them to which the player's turn can lead, and its priors follow from the values, so
	// the network has no policy. It is for games that show such positions, backgammon alone so far,
	// and for algorithm alphazero.
	Afterstates bool `json:"afterstates"`
}

// Descent is the search, the targets and the exploration of algorithm descent
// (Cohen-Solal 2020). AlphaZero does not use it.
type Descent struct {
	// Search is the search of self-play: descent (each iteration goes on to the
	// end of the game) or ubfm (unbounded best-first minimax: each expands one
	// state). Evaluations always use ubfm.
	Search DescentSearch `json:"search"`
	// Iterations is the number of iterations a move, 1 to 10000000.
	Iterations int `json:"iterations"`
	// Terminal is the evaluation of finished games: result, score, depth (additive
	// depth: quick wins, slow losses), or several of them joined by +.
	Terminal string `json:"terminal"`
	// Targets is what is learned from a game: tree (every state of its search
	// trees with its minimax value), root (the states played, with the value
	// that their search found) or terminal (the states played, with the final evaluation).
	Targets Targets `json:"targets"`
	// Exploration is how self-play chooses a move: ordinal (the better its
	// rank, the likelier) or none (the best).
	Exploration Exploration `json:"exploration"`
	// ExploreEnd is the parameter ε' of ordinal at the run's last iteration, 0 (every move alike)
	// to 1 (the best); over the run it changes linearly from 0.
	ExploreEnd float64 `json:"explore_end"`
	// MaxNodes caps the states in a tree, 0 to 134217728; 0 means 1048576. A state
	// takes 60 bytes and 4 for each player.
	MaxNodes int `json:"max_nodes"`
}

// Play is how AlphaZero chooses a move from a search's visits during
// self-play. Descent does not use it; see Descent.Exploration.
type Play struct {
	// Temperature of the choice for the first TemperaturePlies plies, 0 (the most visited) to 10.
	Temperature float64 `json:"temperature"`
	// TemperaturePlies is the number of plies played at Temperature, 0 to 1000000.
	TemperaturePlies int `json:"temperature_plies"`
	// LateTemperature is the temperature of the choice after the first TemperaturePlies plies, 0 to
	// 10.
	LateTemperature float64 `json:"late_temperature"`
	// RandomPlies is the greatest number of random moves with which a game of self-play begins, 0
	// to 1000000. Their number is uniform from 0 to that, each is uniform among the legal ones, and
	// nothing is learned from them. So games reach positions that neither player would choose, and
	// what follows is played as well as ever. It is for algorithm alphazero.
	RandomPlies int `json:"random_plies"`
	// Epsilon is the probability with which a move of the network is drawn uniformly instead, 0 to
	// 1; with Search.Root gumbel too. So games reach positions that neither player would choose: a
	// policy that is near an equilibrium must know what to do there. It does not change what
	// searches find in a position.
	Epsilon float64 `json:"epsilon"`
}

// WarmStart gives some of the seats in self-play to UCT players with random
// playouts, so that the first games are not played at random.
type WarmStart struct {
	// Schedule is how the probability that UCT takes a seat falls over a run: formula (Start less
	// the share of the run that is over, but not below 0.05), linear (from Start to 0.05), constant
	// (Start all the time) or none (0).
	Schedule WarmStartSchedule `json:"schedule"`
	// Start is the probability that UCT takes a seat in the first iteration, 0 to 1.
	Start float64 `json:"start"`
	// Simulations is the number of playouts a move of the UCT players, 1 to 10000000.
	Simulations int `json:"simulations"`
	// Utility is the scale of the results that the UCT players back up: points (the raw
	// score) or unit (utilities in [0, 1]).
	Utility string `json:"utility"`
	// InitialGames is the number of games before the first update in which UCT
	// plays every seat, 0 to 10000000.
	InitialGames int `json:"initial_games"`
	// InitialEpochs replaces Training.Epochs in the first update, which then has no
	// cap of steps; 0 (it does not) to 1000.
	InitialEpochs float64 `json:"initial_epochs"`
	// PolicyTarget makes policy targets of UCT's moves too; they always give value
	// targets. Descent, without a policy, does not use it.
	PolicyTarget bool `json:"policy_target"`
}

// Resignation ends games of self-play in which all players but one have no hope any more: with two
// players when one resigns. The one that is left has won, and the others have lost. A player of the
// network has no hope while the search of its latest decision finds a utility for it below a
// threshold. The threshold follows from the games of the replay window that were played to their
// end: it is the greatest one at which few enough resignations would have been wrong. Until there
// are enough of these games nobody resigns. It is for games whose results are wins, or shares of a
// win.
type Resignation struct {
	// FalsePositives is the greatest share of resignations that may be wrong, because the player
	// would not have lost, 0 (nobody resigns) to 0.5. A share of 0.05 wants at least 19 games
	// played to their end in which a player would have resigned.
	FalsePositives float64 `json:"false_positives"`
}

// SelfPlay is how self-play uses the machine.
type SelfPlay struct {
	// Workers is the number of goroutines that play, 0 (one a core) to 1024.
	Workers int `json:"workers"`
	// GamesPerWorker is the number of concurrent games of each worker, 1 to 65536:
	// the most requests that it evaluates in one batch. It is used on the processor;
	// see DeviceGamesPerWorker.
	GamesPerWorker int `json:"games_per_worker"`
	// DeviceGamesPerWorker is the number of concurrent games in each of a worker's two groups on a
	// device (--device); one group is searched while the other is evaluated. 0 (96, or fewer
	// that fill a batch of 512 positions: docs/gpu.md) to 65536. It does not change the games.
	DeviceGamesPerWorker int `json:"device_games_per_worker"`
	// CacheMiB is the size in MiB of the cache of evaluations that all workers share
	// until the next update, 0 (none) to 1048576. It does not change the games.
	CacheMiB int `json:"cache_mib"`
}

// Training is the cycle of games and updates, and how the network is fitted.
type Training struct {
	// Iterations is the number of rounds of games and an update, 1 to 1000000.
	Iterations int `json:"iterations"`
	// Minutes ends the run after that time, 0 (no limit) to 1000000, but not before the first
	// iteration. Schedules then follow the clock instead of the iterations, and the run is not
	// reproducible.
	Minutes float64 `json:"minutes"`
	// Evaluations ends the run after the first iteration at whose end self-play has
	// asked the network for that many evaluations, 0 (no limit) to 1000000000000. Those
	// found in the cache count, UCT's playouts do not, so the number is the same
	// on any machine. Schedules then follow the evaluations instead of the iterations.
	Evaluations int `json:"evaluations"`
	// Cycle is how games and updates follow each other: synchronous (the games of an iteration
	// are played with the network of the one before, then comes its update), pipelined (they
	// are played with the network of the one before that, while the update of the one before runs,
	// so that self-play does not wait; as reproducible as synchronous), or asynchronous (games
	// never stop, and training steps are made as they end; not reproducible). An iteration of an
	// asynchronous cycle is as many finished games as Games says, the steps that are due for them,
	// and a checkpoint.
	Cycle Cycle `json:"cycle"`
	// Games is the number of games an iteration, 1 to 10000000.
	Games int `json:"games"`
	// Batch is the number of positions a step, 1 to 65536.
	Batch int `json:"batch"`
	// Epochs is the number of times that an update goes through the replay
	// window, above 0, to 1000; it may be a fraction. For Descent it is σ, the
	// fraction of the window's states that an update draws.
	Epochs float64 `json:"epochs"`
	// MaxSteps caps the steps an update, 0 (no cap) to 1000000000.
	MaxSteps int `json:"max_steps"`
	// Optimizer is sgd (with Momentum) or adam.
	Optimizer string `json:"optimizer"`
	// LearningRate is the rate before the schedule, above 0, to 10.
	LearningRate float64 `json:"learning_rate"`
	// Schedule of the learning rate over the run: constant, cosine or plateau.
	Schedule string `json:"schedule"`
	// WarmupSteps is the number of steps over which the rate rises from 0, 0 to 1000000000.
	WarmupSteps int `json:"warmup_steps"`
	// PlateauIterations is the number of iterations after which schedule plateau multiplies the
	// rate by 0.1, if in none of them the held-out loss was lower by a hundredth than the least
	// before; 1 to 1000000. Then the count starts again, and later losses are compared with that
	// iteration's. The loss is without L2. The rate does not fall below a hundredth of
	// LearningRate.
	PlateauIterations int `json:"plateau_iterations"`
	// Momentum of sgd, 0 to 0.9999.
	Momentum float64 `json:"momentum"`
	// L2 is the factor of the squared weights in the loss, 0 to 1.
	L2 float64 `json:"l2"`
	// WeightDecay is the share of the weights that each step takes away, relative to its
	// learning rate, 0 to 10. It is not part of the loss. With adam it does what L2 is meant to
	// do; L2 with adam takes weights with small gradients to 0.
	WeightDecay float64 `json:"weight_decay"`
	// GradClipNorm bounds the norm of the gradient, 0 (no bound) to 1000000.
	GradClipNorm float64 `json:"grad_clip_norm"`
	// EMADecay is the decay per step of the exponential moving average of the
	// weights with which games are played and evaluated, 0 (no average) to 0.999999.
	EMADecay float64 `json:"ema_decay"`
	// Playing are the weights with which games are played: averaged (see EMADecay), or newest,
	// while evaluations and players still have the averaged ones.
	Playing Playing `json:"playing"`
	// Magnet is the share of the averaged weights' logits in the policy target, 0 (none) to 0.99:
	// the rest is the search's. In games with hidden information policies that learn from replies
	// to each other run in circles; pulled back to where they have been on average, they come
	// closer to an equilibrium. This is magnetic mirror descent (Sokota et al. 2023) whose magnet
	// follows the policy. It requires Playing newest.
	Magnet float64 `json:"magnet"`
	// UniformMagnet is the share of the uniform policy's logits, which are 0, in the policy target
	// at the run's start, 0 (none) to 0.99; it falls linearly to 0 at the run's end. The search has
	// the rest, 1-Magnet-UniformMagnet, which must be above 0. It keeps actions that a network has
	// hardly seen from being ruled out.
	UniformMagnet float64 `json:"uniform_magnet"`
	// PolicyLoss is how policies are fitted to their targets: cross_entropy, or logits: half the
	// squared difference of the logits, whose step does not shrink with an action's probability, so
	// that an action that has all but vanished comes back as soon as it is better (as with NeuRD;
	// Hennes et al. 2020). A target's logits are at most 8 below the greatest.
	PolicyLoss PolicyLoss `json:"policy_loss"`
	// ValueWeight is the weight of the value loss, relative to the policy loss's 1; 0 to 1000.
	ValueWeight float64 `json:"value_weight"`
	// LabelWeight is the weight in the loss of heads that predict the auxiliary targets of a game:
	// what becomes of each cell and seat, such as who owns each point of Go. Only training has
	// these heads; 0 (no such heads) to 1000.
	LabelWeight float64 `json:"label_weight"`
	// BeliefWeight is the weight in the loss of the belief head, which learns from true deals how
	// likely each class of a hidden fact is, such as a colour or the cards of a hand.
	// Players can draw determinizations by it (Search.Belief); 0 (no such head) to 1000. It is for
	// games with hidden information that offer hidden facts.
	BeliefWeight float64 `json:"belief_weight"`
	// ValueMix is the share of the search's root value in the value target; the rest
	// is the game's result; 0 to 1. Descent does not use it; see Descent.Targets.
	ValueMix float64 `json:"value_mix"`
	// ValueLambda is λ of the value target: with less than 1 the result is replaced by
	// (1-λ)·Σ λ^k·v_k + λ^n·result, where v_k are the values that the network's searches
	// found at the position and later in the game; 0 to 1. With ValueMix m the
	// target is 1-m times this and m times the position's own search value. It is for AlphaZero.
	ValueLambda float64 `json:"value_lambda"`
	// FastPositions is what the positions of cheap searches (Search.FastSimulations) teach:
	// value (no policy, but the value), or none (they are not trained on, as in KataGo).
	// Positions of UCT's seats always teach the value; see WarmStart.PolicyTarget.
	FastPositions FastPositions `json:"fast_positions"`
}

// Replay is the window of games that updates draw from.
type Replay struct {
	// Games is the size of the window in games, 1 to 100000000; with Growth the least.
	Games int `json:"games"`
	// Growth lets the window grow with the games played: it is the share of new games by which
	// the window grows at first, when Games have been played; 0 (it does not grow) to 1; 0.4
	// in KataGo. With c = Games, β = Growth and α = 0.75, after g games it holds c·(1 + β·((g/c)^α
	// - 1)/α).
	Growth float64 `json:"growth"`
	// HeldOut is the share of games that are not trained on, for held-out losses; 0 to 0.5.
	HeldOut float64 `json:"held_out"`
}

// Evaluation is how strength is measured while training.
type Evaluation struct {
	// Every is the number of iterations between evaluations, 0 (never) to 1000000.
	Every int `json:"every"`
	// Games is the number of games a seat, 1 to 1000000.
	Games int `json:"games"`
	// Simulations is the number of simulations a move of the network's search, 1 to
	// 10000000; for Descent, of iterations of unbounded best-first minimax. Ratings
	// hold for that number, and are not comparable across a change of it.
	Simulations int `json:"simulations"`
	// RulerGames is the number of games a seating against a UCT player of known strength that is
	// about as strong as the network (docs/results/ruler.md), in games that have such a
	// ruler; 0 (none) to 1000000. Ratings are then anchored at several strengths.
	RulerGames int `json:"ruler_games"`
}

// Checkpoints is which checkpoints are kept.
type Checkpoints struct {
	// KeepLast is the number of newest checkpoints kept, 1 to 1000000.
	KeepLast int `json:"keep_last"`
}

// Share returns the share of a run that is done, 0 to 1, after a number of iterations, of
// evaluations of self-play and of seconds: that of the limit which is nearest, of
// training.iterations, .evaluations and .minutes.
func (c *Config) Share(iteration int, evaluations, seconds float64) float64 {
	share := float64(iteration) / float64(max(1, c.Training.Iterations))
	if limit := c.Training.Evaluations; limit > 0 {
		share = max(share, evaluations/float64(limit))
	}
	if limit := 60 * c.Training.Minutes; limit > 0 {
		share = max(share, seconds/limit)
	}
	return min(1, share)
}

// Metrics says where the run's metrics are served.
type Metrics struct {
	// Address is the host:port that Prometheus reads from, or "" for none.
	Address string `json:"address"`
}
