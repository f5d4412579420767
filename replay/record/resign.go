package record

import (
	"encoding/binary"
	"fmt"
	"math"

	"tengen/game"
)

// MaxResign is the greatest threshold of a resignation: Game.Resign.
const MaxResign = 0.5

// Resigning follows a game in which players may resign, move by move.
//
// A player of kind Network has no hope while its own utility, as found by the search of its latest
// decision, is below a threshold. The game ends as soon as all players but one have no hope: with
// two players when the first one resigns, with more when all others would. The one that is left
// wins, with utility 1, and the others have 0. Players of other kinds, and those that have not
// decided yet, never resign.
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

// Decided notes what the search of a player of kind Network found for that player. The game ends
// with every threshold above level, and winner is the one that is left then.
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

// Hopes calls f after each decision of a seat of kind Network with what Resigning makes of it,
// until f returns false.
func (g *Game) Hopes(f func(ply int, level float32, winner game.Player) bool) {
	var r Resigning
	r.Start(len(g.Seats))
	for ply := range g.Moves {
		if !g.Judges(ply) {
			continue
		}
		mover := g.Moves[ply].Mover
		level, winner := r.Decided(mover, g.Moves[ply].Value[mover])
		if !f(ply, level, winner) {
			return
		}
	}
}

// Hopes is Game.Hopes.
func (p *Packed) Hopes(f func(ply int, level float32, winner game.Player) bool) {
	var r Resigning
	var values [game.MaxPlayers]float32
	r.Start(p.players)
	for ply := range p.plies {
		if !p.Judges(ply) {
			continue
		}
		mover := p.Mover(ply)
		p.Values(ply, values[:p.players])
		level, winner := r.Decided(mover, values[mover])
		if !f(ply, level, winner) {
			return
		}
	}
}

// Judges reports whether a network's search found a value at a ply.
func (g *Game) Judges(ply int) bool {
	m := &g.Moves[ply]
	return m.Mover >= 0 && g.Seats[m.Mover].Kind == Network && len(m.Value) > 0
}

// checkResign checks that the game ends where players resign, and nowhere else. That a game without
// Resigned is over is left to who knows the rules.
func (g *Game) checkResign() error {
	switch {
	case g.Resign == 0 && !g.Resigned:
		return nil
	case !(g.Resign > 0 && g.Resign <= MaxResign):
		return fmt.Errorf("players resign below a utility of %v; must be above 0 and at most %v",
			g.Resign, MaxResign)
	case g.Resigned && (len(g.Outcome) > 0 || len(g.Trees) > 0):
		return fmt.Errorf("a game that ended by resignation has an outcome or trees")
	}
	at, left := -1, game.Nobody
	g.Hopes(func(ply int, level float32, winner game.Player) bool {
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
			return fmt.Errorf("all but player %d have resigned, and player %d has the utility %v",
				left, p, u)
		}
		if g.Scores[p] != 0 {
			return fmt.Errorf(
				"player %d has the score %v in a game that ended by resignation; must be 0",
				p, g.Scores[p])
		}
	}
	return nil
}

// CheckResignable returns an error if players can't resign in a game: it has one player, or results
// other than wins and shares of a win, so that the result of a game that is not played out is not
// known.
func CheckResignable(g game.Game) error {
	if g.Players() < 2 {
		return fmt.Errorf("%s has one player", g.Name())
	}
	support := g.Support()
	if len(support) == 0 || support[0] != 0 || support[len(support)-1] != 1 {
		return fmt.Errorf("the results of %s are not known to be wins or shares of a win", g.Name())
	}
	for _, u := range support[1:] {
		if k := math.Round(1 / float64(u)); k > float64(g.Players()) ||
			math.Abs(float64(u)*k-1) > 1e-6 {
			return fmt.Errorf(
				"a player of %s can have the utility %.4g, which is not a share of a win",
				g.Name(), u)
		}
	}
	return nil
}

// readResign reads how players resigned. Game.Check sees to the rest.
func (p *Packed) readResign(d *decoder) {
	b := d.bytes(5)
	if b == nil {
		return
	}
	p.Resign = math.Float32frombits(binary.LittleEndian.Uint32(b))
	if !(p.Resign > 0 && p.Resign <= MaxResign) {
		d.fail(fmt.Errorf("players resign below a utility of %v; must be above 0 and at most %v",
			p.Resign, MaxResign))
		return
	}
	if b[4] > 1 {
		d.fail(fmt.Errorf("the flag of a resignation is %d", b[4]))
		return
	}
	p.Resigned = b[4] == 1
}
