// Package pruning has the formulas of forced playouts and policy-target pruning (Wu 2019,
// "Accelerating Self-Play Learning in Go", arXiv:1902.10565, section 3.2), which both kinds of
// trees share.
//
// Root noise is to find good actions with small priors; a search has to look at them often
// enough to see that they are good. So every child of the root that has been visited gets at
// least [Least] visits. The visits of one that turned out bad say nothing about how often it
// should be played, so [Pruned] takes them from the policy target again.
package pruning
