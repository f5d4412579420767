package mcts

import (
	"fmt"
	"math"
)

// Exploration is how the constant C of PUCT differs from node to node. With the zero value it
// is the same at all nodes.
type Exploration struct {
	// Log makes C grow with the visits N of a node (Silver et al. 2018; KataGo): it becomes
	//
	//	C + Log·ln((N + Base) / Base)
	//
	// Log is at least 0; 0 is no growth. Base is greater than 0 if Log is.
	Log, Base float64
	// Spread scales C by the standard deviation σ of the utilities of the node's player over the
	// node's visits (KataGoMethods, "Dynamic Variance-Scaled cPUCT"): C is multiplied by
	//
	//	1 + Spread·(σ/Prior − 1)
	//
	// Spread is a number from 0 to 1; 0 is no scaling; 0.85 in KataGo. Prior is the usual σ,
	// greater than 0 if Spread is; 0.2 on utilities in [0, 1] is KataGo's 0.4 on values in
	// [-1, 1]. σ is estimated as if two visits with that variance had been made before.
	Spread, Prior float64
}

// priorVisits is the number of visits for which Exploration.Prior counts, as in KataGo.
const priorVisits = 2

// At returns the constant at a node, given the constant c of all nodes, the number of the node's
// visits, the sum of its player's utilities over them, and that of their squares. The squares
// are used with Spread only.
func (x Exploration) At(c float64, visits int32, sum, squares float64) float64 {
	n := float64(visits)
	if x.Log > 0 {
		c += float64(x.Log * math.Log((n+x.Base)/x.Base))
	}
	if x.Spread > 0 {
		c *= 1 + float64(x.Spread*(x.deviation(n, sum, squares)/x.Prior-1))
	}
	return c
}

// deviation returns the standard deviation σ of utilities over n visits.
func (x Exploration) deviation(n, sum, squares float64) float64 {
	if n <= 1 {
		return x.Prior
	}
	mean := sum / n
	square := float64(mean * mean)
	squares = max(squares, float64(n*square))
	prior := float64(priorVisits * (square + float64(x.Prior*x.Prior)))
	return math.Sqrt(max(0, (prior+squares)/(priorVisits+n-1)-square))
}

// none reports whether C is the same at all nodes.
func (x Exploration) none() bool { return x.Log == 0 && x.Spread == 0 }

func (x Exploration) validate() error {
	switch {
	case !(x.Log >= 0) || math.IsInf(x.Log, 1):
		return fmt.Errorf("search: growth of c is %g; a number of at least 0 is wanted", x.Log)
	case x.Log > 0 && (!(x.Base > 0) || math.IsInf(x.Base, 1)):
		return fmt.Errorf("search: base of the growth of c is %g; a number greater than 0 is wanted", x.Base)
	case !(x.Spread >= 0 && x.Spread <= 1):
		return fmt.Errorf("search: scaling of c by the spread is %g; a number from 0 to 1 is wanted", x.Spread)
	case x.Spread > 0 && (!(x.Prior > 0) || math.IsInf(x.Prior, 1)):
		return fmt.Errorf("search: usual spread is %g; a number greater than 0 is wanted", x.Prior)
	}
	return nil
}
