package configs

// Algorithm is the learning algorithm.
type Algorithm string

// The algorithms.
const (
	AlgorithmAlphaZero Algorithm = "alphazero" // Silver et al. 2018
	AlgorithmDescent   Algorithm = "descent"   // Cohen-Solal 2020
)

// FPU is the value of actions that a search has not visited yet.
type FPU string

// The values of FPU.
const (
	FPUZero   FPU = "zero"
	FPUParent FPU = "parent" // the parent's, less a reduction
)

// Root is the search of the root of AlphaZero's trees.
type Root string

// The searches of the root.
const (
	RootPUCT   Root = "puct"
	RootGumbel Root = "gumbel" // sampled actions, sequential halving
)

// Interior is the search below the root where it is RootGumbel's.
type Interior string

// The searches below the root.
const (
	InteriorImproved Interior = "improved" // by the improved policy
	InteriorPUCT     Interior = "puct"
	InteriorPolicy   Interior = "policy" // by the network's policy
)

// Choice is how players choose a move.
type Choice string

// The choices.
const (
	ChoiceVisits Choice = "visits" // the most visited action
	ChoiceLCB    Choice = "lcb"    // the greatest lower confidence bound
)

// Outcomes is how a search visits the outcomes of chance.
type Outcomes string

// The ways.
const (
	OutcomesSampled  Outcomes = "sampled"
	OutcomesBalanced Outcomes = "balanced" // in proportion to their probabilities
)

// QScaling is how RootGumbel scales values.
type QScaling string

// The scalings.
const (
	QScalingRange QScaling = "range" // a node's least value is 0, its greatest 1
	QScalingNone  QScaling = "none"  // utilities
)

// Observers are the players whose information sets are the nodes of a search.
type Observers string

// The observers.
const (
	ObserversSingle   Observers = "single"   // the searching player
	ObserversMultiple Observers = "multiple" // each player, in a tree of its own
)

// Playing are the weights with which games are played.
type Playing string

// The weights.
const (
	PlayingAveraged Playing = "averaged" // Training.EMADecay
	PlayingNewest   Playing = "newest"
)

// PolicyLoss is how policies are fitted to their targets.
type PolicyLoss string

// The losses.
const (
	PolicyCrossEntropy PolicyLoss = "cross_entropy"
	PolicyLogits       PolicyLoss = "logits" // half the squared difference
)

// FastPositions is what is learned from the positions of cheap searches.
type FastPositions string

// The values of FastPositions.
const (
	FastValue FastPositions = "value" // the value
	FastNone  FastPositions = "none"  // nothing
)

// Cycle is how games and updates follow each other.
type Cycle string

// The cycles.
const (
	CycleSynchronous Cycle = "synchronous" // an update follows the games of its iteration
	// an update runs while the games of the next iteration are played
	CyclePipelined    Cycle = "pipelined"
	CycleAsynchronous Cycle = "asynchronous" // games never stop, and steps are made as they end
)

// DescentSearch is the search of Descent's self-play.
type DescentSearch string

// The searches.
const (
	SearchDescent DescentSearch = "descent" // each iteration goes on to the end of the game
	SearchUBFM    DescentSearch = "ubfm"    // unbounded best-first minimax: each expands one state
)

// Targets is what Descent learns from a game.
type Targets string

// The targets.
const (
	TargetsTree     Targets = "tree"     // all states of the search trees
	TargetsRoot     Targets = "root"     // the states played, with their search's value
	TargetsTerminal Targets = "terminal" // the states played, with the final evaluation
)

// Exploration is how Descent's self-play chooses a move.
type Exploration string

// The ways to choose.
const (
	ExploreOrdinal Exploration = "ordinal" // the better its rank, the likelier
	ExploreNone    Exploration = "none"    // the best
)

// WarmStartSchedule is how the probability that UCT plays a seat falls; see WarmStart.Epsilon.
type WarmStartSchedule string

// The schedules of the warm start.
const (
	WarmStartFormula  WarmStartSchedule = "formula"
	WarmStartLinear   WarmStartSchedule = "linear"
	WarmStartConstant WarmStartSchedule = "constant"
	WarmStartNone     WarmStartSchedule = "none"
)
