package turtlerace

import "fmt"

// strategies are the paper's strategies in the order of its tables, by their names in the game.
// letters are their letters in the tables.
var strategies = []string{"fast", "efficient", "hybrid", "dummy"}

var letters = []string{"F", "E", "H", "D"}

// The paper's searches.
const (
	mcts      = "MCTS"
	minimax   = "minimax"
	alphaBeta = "alpha-beta"
)

// paperTable is a table of the paper: how many of 100 games the algorithm and strategy of a row win
// against those of a column. If the algorithms are the same, no strategy plays itself.
type paperTable struct {
	number  string // in the paper
	row     string // algorithm
	column  string
	percent [4][4]float64
}

// paperGames is the number of games of a cell in the paper.
const paperGames = 100

// noGames marks a cell without games.
const noGames = -1

// paperTables are Tables I to VI of Przybylski and Król (2017).
var paperTables = [6]paperTable{
	{"I", mcts, mcts,
		[4][4]float64{
			{noGames, 47, 38, 52}, {53, noGames, 46, 40}, {62, 54, noGames, 46},
			{48, 60, 54, noGames},
		}},
	{"II", minimax, minimax,
		[4][4]float64{
			{noGames, 53, 46, 81}, {47, noGames, 43, 78}, {54, 57, noGames, 80},
			{19, 22, 20, noGames},
		}},
	{"III", alphaBeta, alphaBeta,
		[4][4]float64{
			{noGames, 66, 41, 76}, {34, noGames, 47, 67}, {59, 53, noGames, 81},
			{24, 33, 19, noGames},
		}},
	{"IV", mcts, alphaBeta,
		[4][4]float64{{27, 26, 21, 50}, {29, 27, 18, 57}, {32, 28, 34, 45}, {20, 27, 24, 53}}},
	{"V", mcts, minimax,
		[4][4]float64{{24, 21, 19, 51}, {27, 28, 37, 51}, {25, 26, 26, 55}, {24, 23, 32, 52}}},
	{"VI", alphaBeta, minimax,
		[4][4]float64{{49, 58, 59, 74}, {42, 58, 36, 74}, {65, 50, 59, 76}, {20, 21, 26, 42}}},
}

// twice reports whether rows and columns have the same algorithm, so that two cells are of the same
// match.
func (t *paperTable) twice() bool { return t.row == t.column }

// cells returns the pairs of strategies that play, as rows and columns. If the algorithms are the
// same it returns each pair once.
func (t *paperTable) cells() (list [][2]int) {
	for i := range strategies {
		for j := range strategies {
			if !t.twice() || i < j {
				list = append(list, [2]int{i, j})
			}
		}
	}
	return list
}

// Settings of the searches that the paper does not give.
const (
	searchDepth      = 4  // turns that minimax and alpha-beta look ahead
	determinizations = 20 // of minimax and alpha-beta
	mctsC            = 0.7
	mctsEpsilon      = 0.1 // part of the actions of a rollout that are drawn
)

// searches returns the player of an algorithm with a strategy; simulations are those of MCTS. To
// Dummy all actions have the same value, so that minimax and alpha-beta choose at random: the
// random player replaces them. MCTS ends a search once its choice is certain, which changes no
// choice. Alpha-beta has no transposition table: at so small a depth it is faster without one, and
// chooses the same.
func searches(algorithm, strategy string, simulations int) string {
	switch {
	case algorithm == mcts:
		return fmt.Sprintf(
			"uct:simulations=%d,early_stop=true,c=%g,utility=unit,rollout=%s,epsilon=%g",
			simulations, mctsC, strategy, mctsEpsilon)
	case strategy == "dummy":
		return "random"
	case algorithm == minimax:
		return fmt.Sprintf("minimax:depth=%d,strategy=%s,determinizations=%d",
			searchDepth, strategy, determinizations)
	}
	return fmt.Sprintf("alphabeta:depth=%d,strategy=%s,determinizations=%d,tt=0",
		searchDepth, strategy, determinizations)
}
