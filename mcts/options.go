package mcts

import (
	"fmt"
	"math"

	"tengen/mcts/internal/planning"
)

// UCT describes a search by upper confidence bounds (Kocsis and Szepesvári
// 2006; for several players Sturtevant 2008): at a state s the action with the
// greatest
//
//	Scale·Q(s,a) + C·sqrt(ln N(s) / N(s,a))
//
// is selected, once every action has been tried, in random order. Each
// simulation adds one node.
type UCT struct {
	Simulations int     // of a search, at least 0
	C           float64 // exploration, at least 0; 0.8 in the multiplayer Go paper
	// Scale multiplies utilities before they enter the formula:
	// game.PointsPerUtility to search on points, 1 on utilities in [0, 1].
	// 0 means 1.
	Scale float64
	// MaxNodes bounds the nodes of the tree, each of which takes up to
	// 40 + 8·Players + 28·Actions bytes; 0 asks for what Simulations need.
	MaxNodes int
	// Growing begins with little memory, and takes more as the tree grows, up to what is reserved
	// at once without it. The tree is the same.
	Growing bool
	// Reuse keeps the subtree below the new root when the root moves.
	Reuse bool
	// FinalSelection is how the best action is chosen. LowerBound takes 8 bytes a node more.
	FinalSelection FinalSelection
	// Proofs proves values, as in PUCT.
	Proofs bool
}

// PUCT describes a search guided by an evaluator's policy (Silver et al. 2018):
// at a state s the action with the greatest
//
//	Q(s,a) + C·P(s,a)·sqrt(N(s)) / (1 + N(s,a))
//
// is selected, P being the softmax of the logits over the legal actions.
type PUCT struct {
	Simulations int     // of a search, at least 0
	C           float64 // exploration, at least 0; 0.8 in the multiplayer Go paper
	FPU         FPU     // Q of actions not yet visited
	// Noise is the weight, from 0 to 1, of Dirichlet noise η in the root's priors: they become
	// (1-Noise)·P + Noise·η. Its parameter is 10/n for each of n legal actions: AlphaZero's for
	// chess and Go times their usual numbers of moves.
	Noise float64
	// MaxNodes bounds the nodes of the tree, and Growing is how it takes memory, as in UCT.
	MaxNodes int
	Growing  bool
	// Reuse keeps the subtree below the new root when the root moves.
	Reuse bool
	// BatchSize is the number of evaluations that a search may await at once, at most 256; 0 means
	// 1. Simulations under way count as visits in the exploration term of every edge on their
	// paths, and not in Q (WU-UCT; Liu et al. 2020, "Watch the Unobserved"). A simulation
	// that reaches a node still to be evaluated is dropped; until the evaluations come it
	// counts as under way, so that the next ones go elsewhere. For a given number the tree is the
	// same however long evaluations take. See also AutoBatchSize.
	BatchSize int
	// Gumbel, if Gumbel.Considered is not 0, replaces the selection at the root, and that below
	// it if it says so. Noise and FinalSelection are then not used.
	Gumbel Gumbel
	// VirtualLoss is the weight, at least 0, with which a simulation under way counts in
	// Q as a visit of utility 0, where Q is above 0. With 0 it does not count.
	VirtualLoss float64
	// FinalSelection is how the best action is chosen, as in UCT.
	FinalSelection FinalSelection
	// Rollouts makes each simulation go on from a new node, by the selection of nodes that have
	// been visited, to the end of the game, and counts the result in place of the node's utilities.
	// A node's evaluation by what its player sees is a mean over what others may hide, though the
	// simulation knows it: with Interior ByPolicy and rollouts values are those of the policies. A
	// simulation adds up to 16 nodes, and takes as many evaluations. Only searches of information
	// sets do it (package ismcts).
	Rollouts bool
	// Balanced visits the outcomes of a chance node in proportion to their probabilities, as nearly
	// as whole numbers allow, instead of sampling them: after N visits each outcome has about p·N
	// of them. In the backup the value of a chance node is the mean of its outcomes by their
	// probabilities, whatever visits each has. Nodes of one depth see their outcomes in the same
	// order, so that actions are compared by like luck. Outcomes are sampled in a full tree, and in
	// searches of information sets (package ismcts).
	Balanced bool
	// Proofs proves the values of nodes from the ends of games (MCTS-Solver; Winands, Björnsson and
	// Saito 2008, for several players Nijssen and Winands 2011). A node is proven when a player can
	// win at once with a utility of 1, or when all its actions are proven: it then has the value of
	// the action that is best for its player. All its visits count with this value, earlier ones
	// too, it is not searched any further, and its edge is explored no more: it is followed for its
	// value alone, and one that loses, with a utility of 0, not at all while there are others. A
	// search ends once its root is proven, and Best compares proven values with the means of other
	// actions. Nodes of chance are not proven. Searches of information sets prove nothing (package
	// ismcts).
	Proofs bool
}

// AutoBatchSize, as PUCT.BatchSize, lets the search choose it. With a limit of time it is the
// smallest power of two, at most 64, with which the search is measured to make nearly the most
// simulations a second, of those with which it has 8 batches. Without a limit it is the
// greatest, at most 16, with which the simulations make 8 batches.
const AutoBatchSize = planning.Auto

// MaxBatchSize returns the greatest number of evaluations that a search awaits at once.
func (o PUCT) MaxBatchSize() int { return planning.MaxBatchSize(o.BatchSize) }

// FPU is the first-play urgency: Q of actions without visits. The zero value
// is Zero.
type FPU struct {
	fromParent bool
	reduction  float64
}

// Zero is Q = 0, the least utility, as in AlphaZero.
func Zero() FPU { return FPU{} }

// ParentReduction is the mean utility of the parent, for its player, less
// r·sqrt(visited policy mass), the sum of the priors of the actions already
// visited (KataGo; Wu 2019, section 3). r is at least 0; 0.1 on utilities in [0, 1] is KataGo's 0.2
// on values in [-1, 1].
func ParentReduction(r float64) FPU { return FPU{fromParent: true, reduction: r} }

// Q returns the Q of the actions without visits of a node, given its number of visits, the sum
// of its player's utilities over them, and its visited policy mass.
func (f FPU) Q(sum float64, visits int32, visitedMass float64) float64 {
	if !f.fromParent {
		return 0
	}
	return sum/float64(visits) - float64(f.reduction*math.Sqrt(visitedMass))
}

// Validate returns an error that names an option out of range.
func (o UCT) Validate() error {
	if err := checkCommon(o.Simulations, o.C, o.MaxNodes); err != nil {
		return err
	}
	if !(o.Scale >= 0) || math.IsInf(o.Scale, 1) {
		return fmt.Errorf("search: scale is %g; a number greater than 0 is wanted", o.Scale)
	}
	return o.FinalSelection.validate()
}

// Validate returns an error that names an option out of range.
func (o PUCT) Validate() error {
	if err := checkCommon(o.Simulations, o.C, o.MaxNodes); err != nil {
		return err
	}
	if err := planning.CheckBatchSize(o.BatchSize); err != nil {
		return err
	}
	if err := o.Gumbel.Validate(); err != nil {
		return err
	}
	if err := o.FinalSelection.validate(); err != nil {
		return err
	}
	switch r := o.FPU.reduction; {
	case !(r >= 0) || math.IsInf(r, 1):
		return fmt.Errorf("search: first-play reduction is %g; at least 0 is wanted", r)
	case !(o.VirtualLoss >= 0) || math.IsInf(o.VirtualLoss, 1):
		return fmt.Errorf("search: virtual loss is %g; a number of at least 0 is wanted",
			o.VirtualLoss)
	case !(o.Noise >= 0 && o.Noise <= 1):
		return fmt.Errorf("search: noise weight is %g; a number from 0 to 1 is wanted", o.Noise)
	}
	return nil
}

func checkCommon(simulations int, c float64, maxNodes int) error {
	if err := planning.CheckBudget(simulations); err != nil {
		return err
	}
	switch {
	case !(c >= 0) || math.IsInf(c, 1):
		return fmt.Errorf("search: c is %g; a number of at least 0 is wanted", c)
	case maxNodes < 0:
		return fmt.Errorf(
			"search: max nodes is %d; at least 1 is wanted, or 0 for what the simulations need",
			maxNodes)
	}
	return nil
}

// FinalSelection is how a search chooses its best action at the end. It does not change the tree.
// The zero value is MostVisits.
type FinalSelection struct {
	lower       bool
	z, fraction float64
}

// The z and the fraction of LowerBound in KataGo.
const (
	DefaultZ        = 5
	DefaultFraction = 0.15
)

// MostVisits chooses the action with the most visits.
func MostVisits() FinalSelection { return FinalSelection{} }

// LowerBound chooses, of the actions with at least the given fraction of the most visits, the
// one with the greatest Bound: the mean utility of its player less z standard errors. z is at
// least 0, and fraction a number from 0 to 1.
func LowerBound(z, fraction float64) FinalSelection {
	return FinalSelection{lower: true, z: z, fraction: fraction}
}

// ByBound reports whether c is a LowerBound.
func (c FinalSelection) ByBound() bool { return c.lower }

// Parameters returns z and the fraction of a LowerBound.
func (c FinalSelection) Parameters() (z, fraction float64) { return c.z, c.fraction }

// The prior of the variance in Bound.
const (
	halfRange = 0.5 // of utilities
	leastVar  = 2.5e-9
)

// Bound returns the lower confidence bound of an action's utility, given the sum of its utilities
// over a number of visits, and that of their squares. It is minus infinity if the visits are
// none, or fewer than the fraction of most, the most visits of an action at the node.
//
// As in KataGo (Search::getSelfUtilityLCBAndRadius) one utility of weight 1/visits², which lies
// half the range of utilities from the mean, is added to the variance: a few visits with nearly
// equal utilities say little about their spread.
func (c FinalSelection) Bound(sum, squares float64, visits, most int32) float64 {
	n := float64(visits)
	if visits == 0 || n < c.fraction*float64(most) {
		return math.Inf(-1)
	}
	mean, weight := sum/n, 1/(n*n)
	variance := max(squares/n-float64(mean*mean), leastVar) + halfRange*halfRange*weight/(n+weight)
	// The number of visits with equal weights that say as much.
	effective := float64((n+weight)*(n+weight)) / (n + float64(weight*weight))
	return mean - float64(c.z*math.Sqrt(variance/effective))
}

// Decided reports whether the choice at a node is the same however left more simulations end, each
// of which adds a visit to one action. first and second are the most visits of an action, and the
// most of another. By LowerBound it is decided only where no other action can come to have the
// fraction of the most visits: how far left more utilities move two bounds is not known.
func (c FinalSelection) Decided(first, second int32, left int) bool {
	if c.lower {
		return float64(int(second)+left) < c.fraction*float64(first)
	}
	return int(first-second) > left
}

func (c FinalSelection) validate() error {
	switch {
	case !(c.z >= 0) || math.IsInf(c.z, 1):
		return fmt.Errorf("search: z of the lower bound is %g; a number of at least 0 is wanted",
			c.z)
	case !(c.fraction >= 0 && c.fraction <= 1):
		return fmt.Errorf(
			"search: fraction of the most visits is %g; a number from 0 to 1 is wanted", c.fraction)
	}
	return nil
}
