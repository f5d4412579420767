package experiments

import "fmt"

// turtleStrategies are the paper's strategies, in the order of its tables, as the game calls
// them, and their letters there.
var turtleStrategies = []string{"fast", "efficient", "hybrid", "dummy"}

var turtleLetters = []string{"F", "E", "H", "D"}

// The paper's searches.
const (
	turtleMCTS      = "MCTS"
	turtleMinimax   = "minimax"
	turtleAlphaBeta = "alpha-beta"
)

// paperTurtle is a table of the paper: the algorithm and the strategy of a row win so
// many of 100 games against those of a column. A strategy does not play itself where the
// algorithms are the same.
type paperTurtle struct {
	number  string // as the paper counts
	row     string // algorithm
	column  string
	percent [4][4]float64
}

// paperTurtleGames are the games of a cell there.
const paperTurtleGames = 100

// noGames is a cell that has none.
const noGames = -1

// paperTurtles are Tables I to VI of Przybylski and Król (2017).
var paperTurtles = [6]paperTurtle{
	{"I", turtleMCTS, turtleMCTS, [4][4]float64{{noGames, 47, 38, 52}, {53, noGames, 46, 40}, {62, 54, noGames, 46}, {48, 60, 54, noGames}}},
	{"II", turtleMinimax, turtleMinimax, [4][4]float64{{noGames, 53, 46, 81}, {47, noGames, 43, 78}, {54, 57, noGames, 80}, {19, 22, 20, noGames}}},
	{"III", turtleAlphaBeta, turtleAlphaBeta, [4][4]float64{{noGames, 66, 41, 76}, {34, noGames, 47, 67}, {59, 53, noGames, 81}, {24, 33, 19, noGames}}},
	{"IV", turtleMCTS, turtleAlphaBeta, [4][4]float64{{27, 26, 21, 50}, {29, 27, 18, 57}, {32, 28, 34, 45}, {20, 27, 24, 53}}},
	{"V", turtleMCTS, turtleMinimax, [4][4]float64{{24, 21, 19, 51}, {27, 28, 37, 51}, {25, 26, 26, 55}, {24, 23, 32, 52}}},
	{"VI", turtleAlphaBeta, turtleMinimax, [4][4]float64{{49, 58, 59, 74}, {42, 58, 36, 74}, {65, 50, 59, 76}, {20, 21, 26, 42}}},
}

// twice says whether both players search alike, so that a cell is the other side of another.
func (t *paperTurtle) twice() bool { return t.row == t.column }

// cells are the pairs of strategies that play, as rows and columns: each of those of one
// algorithm once.
func (t *paperTurtle) cells() (list [][2]int) {
	for i := range turtleStrategies {
		for j := range turtleStrategies {
			if !t.twice() || i < j {
				list = append(list, [2]int{i, j})
			}
		}
	}
	return list
}

// Settings of the paper's searches that it does not give.
const (
	turtleDepth  = 4  // turns that minimax and alpha-beta look ahead
	turtleWorlds = 20 // determinizations of minimax and alpha-beta
	turtleC      = 0.7
	turtleDraws  = 0.1 // part of the actions of a rollout that are drawn
)

// searches writes the player that an algorithm and a strategy make, MCTS with so many
// simulations. Minimax and alpha-beta by Dummy, to which all actions are alike, choose any
// of them, as the random player does at once. Alpha-beta goes to its depth without a
// transposition table: it chooses as with one, and is quicker at so little depth.
func searches(algorithm, strategy string, simulations int) string {
	switch {
	case algorithm == turtleMCTS:
		return fmt.Sprintf("uct:simulations=%d,c=%g,utility=unit,rollout=%s,epsilon=%g", simulations, turtleC, strategy, turtleDraws)
	case strategy == "dummy":
		return "random"
	case algorithm == turtleMinimax:
		return fmt.Sprintf("minimax:depth=%d,strategy=%s,determinizations=%d", turtleDepth, strategy, turtleWorlds)
	}
	return fmt.Sprintf("alphabeta:depth=%d,strategy=%s,determinizations=%d,tt=0", turtleDepth, strategy, turtleWorlds)
}
