package replay

import (
	"fmt"
	"math"

	"tengen/game"
)

// MaxResign is the greatest threshold of a resignation: Game.Resign.
const MaxResign = 0.5

// Resigning follows a game in which players may resign, move by move.
//
// A player of kind Network has no hope while its own utility, as found by the search of its latest decision, is
// below a threshold. The game ends as soon as all players but one have no hope: with two players
// when the first one resigns, with more when all others would. The one that is left wins, with utility 1, and the others
// have 0. Players of other kinds, and those that have not decided yet, never resign.
type Resigning struct {
	latest  [game.MaxPlayers]float32 // utility at the latest decision; +Inf: none yet
	players int
}

// Start starts a game of a number of players.
func (r *Resigning) Start(players int) {
	r.players = players
	for p := range r.latest[:players] {
		r.latest[p] = float32(math.Inf(1))
	}
}

// Decided notes what the search of a player of kind Network found for that player. The game ends with
// every threshold above level, and winner is the one that is left then.
func (r *Resigning) Decided(p game.Player, utility float32) (level float32, winner game.Player) {
	r.latest[p] = utility
	for i, v := range r.latest[:r.players] {
		if v > r.latest[winner] {
			winner = game.Player(i)
		}
	}
	level = float32(math.Inf(-1))
	for i, v := range r.latest[:r.players] {
		if game.Player(i) != winner {
			level = max(level, v)
		}
	}
	return level, winner
}

// hopes calls f after each decision of a seat of kind Network with what Resigning makes of it, until f returns false.
func (g *Game) hopes(f func(ply int, level float32, winner game.Player) bool) {
	var r Resigning
	r.Start(len(g.Seats))
	for ply := range g.Moves {
		if !g.judges(ply) {
			continue
		}
		mover := g.Moves[ply].Mover
		level, winner := r.Decided(mover, g.Moves[ply].Value[mover])
		if !f(ply, level, winner) {
			return
		}
	}
}

// judges reports whether a network's search found a value at a ply.
func (g *Game) judges(ply int) bool {
	m := &g.Moves[ply]
	return m.Mover >= 0 && g.Seats[m.Mover].Kind == Network && len(m.Value) > 0
}

// checkResign checks that the game ends where players resign, and nowhere else. That a game without Resigned is over is left to
// who knows the rules.
func (g *Game) checkResign() error {
	switch {
	case g.Resign == 0 && !g.Resigned:
		return nil
	case !(g.Resign > 0 && g.Resign <= MaxResign):
		return fmt.Errorf("players resign below a utility of %v; must be above 0 and at most %v", g.Resign, MaxResign)
	case g.Resigned && (len(g.Outcome) > 0 || len(g.Trees) > 0):
		return fmt.Errorf("a game that ended by resignation has an outcome or trees")
	}
	at, left := -1, game.Nobody
	g.hopes(func(ply int, level float32, winner game.Player) bool {
		if level < g.Resign {
			at, left = ply, winner
		}
		return at < 0
	})
	last := len(g.Moves) - 1
	switch {
	case at >= 0 && at < last:
		return fmt.Errorf("ply %d: the game goes on after all players but one have resigned at ply %d, with utilities below %v", at+1, at, g.Resign)
	case !g.Resigned:
		return nil
	case at < 0:
		return fmt.Errorf("the game ended by resignation, but two players at least have a utility that is not below %v", g.Resign)
	}
	for p, u := range g.Returns {
		want := float32(0)
		if game.Player(p) == left {
			want = 1
		}
		if u != want {
			return fmt.Errorf("all but player %d have resigned, and player %d has the utility %v", left, p, u)
		}
		if g.Scores[p] != 0 {
			return fmt.Errorf("player %d has the score %v in a game that ended by resignation; must be 0", p, g.Scores[p])
		}
	}
	return nil
}

// CheckResignable returns an error if players can't resign in a game: it has one player, or results other than wins and shares of a win, so
// that the result of a game that is not played out is not known.
func CheckResignable(g game.Game) error {
	if g.Players() < 2 {
		return fmt.Errorf("%s has one player", g.Name())
	}
	support := g.Support()
	if len(support) == 0 || support[0] != 0 || support[len(support)-1] != 1 {
		return fmt.Errorf("the results of %s are not known to be wins or shares of a win", g.Name())
	}
	for _, u := range support[1:] {
		if k := math.Round(1 / float64(u)); k > float64(g.Players()) || math.Abs(float64(u)*k-1) > 1e-6 {
			return fmt.Errorf("a player of %s can have the utility %.4g, which is not a share of a win", g.Name(), u)
		}
	}
	return nil
}

// Resignation is what games that were played to their end tell of a threshold.
type Resignation struct {
	// Threshold is the utility below which a player has no hope, in [0, MaxResign]; 0: nobody resigns.
	Threshold float32
	Games     int // that were played to their end and tell of thresholds
	Resigned  int // of these, games that would have ended by resignation
	False     int // of these, games in which one that would have resigned did not lose
}

// Rate returns the share of resignations that would have been wrong, 0 without any.
func (r Resignation) Rate() float64 { return float64(r.False) / float64(max(1, r.Resigned)) }

// resignSteps is the number of thresholds in a unit of utility that are tried.
const resignSteps = 1000

// CalibrateResign returns the greatest threshold, in steps of 1/1000 and at most most, at which no greater share than rate of the
// resignations in the window would have been wrong: somebody who would have resigned had more than utility 0 in the end. One wrong
// resignation is added to those counted, so that few games say little: at least 1/rate - 1 resignations without a
// wrong one are needed. AlphaGo Zero chooses its threshold so (Silver et al. 2017, Methods, "Self-play": below
// 5 % of the games of which a tenth is played out).
//
// Only games with a seat of kind Network count in which nobody could resign (Game.Resign 0), held-out ones included. In the others it is
// not known how they would have ended. The result depends on the games of the window alone.
func (w *Window) CalibrateResign(rate, most float64) Resignation {
	n := int(math.Round(math.Min(most, MaxResign) * resignSteps))
	resigned, wrong := make([]int, n+1), make([]int, n+1) // by threshold
	games := 0
	for _, e := range w.entries {
		g := e.game
		if g.Resign > 0 {
			continue
		}
		told := false
		upper := n // thresholds above it end the game earlier
		g.hopes(func(_ int, level float32, winner game.Player) bool {
			told = true
			lost := true
			for p, u := range g.Returns {
				lost = lost && (game.Player(p) == winner || u == 0)
			}
			for upper > 0 && level < threshold(upper) {
				resigned[upper]++
				if !lost {
					wrong[upper]++
				}
				upper--
			}
			return upper > 0
		})
		if told {
			games++
		}
	}
	for k := n; k > 0; k-- {
		if float64(wrong[k]+1) <= rate*float64(resigned[k]+1) {
			return Resignation{threshold(k), games, resigned[k], wrong[k]}
		}
	}
	return Resignation{Games: games}
}

func threshold(k int) float32 { return float32(k) / resignSteps }
