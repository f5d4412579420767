package board

import "tengen/game"

// tones are the seats of games whose seats have no colours of their own.
var tones = [game.MaxPlayers]Tone{Black, Red, Blue, Green, Gold, White, Felt, Wood}

// words is a game without a picture.
type words struct{ layout Layout }

func newWords(g game.Game) *words {
	d := &words{Layout{Name: g.Name(), Ground: []Shape{}, Spots: []Spot{}}}
	for p := range g.Players() {
		d.layout.Seats = append(d.layout.Seats, Shape{Kind: Dot, Tone: tones[p], R: 1, Of: game.SeatName(g, game.Player(p))})
	}
	return d
}

func (d *words) Layout() *Layout { return &d.layout }

// Draw is the terminal's text, for a player of a game with hidden information what it
// may see. Where the game can't draw that, only those see it who see everything.
func (d *words) Draw(s game.State, viewer game.Player) Frame {
	if t, ok := s.(game.SeatDrawn); ok && viewer != game.Nobody {
		return Frame{Text: t.DrawFor(viewer, false)}
	}
	if _, hidden := s.(game.ImperfectInformation); hidden && viewer != game.Nobody {
		return Frame{Text: "(this game's positions have no drawing that keeps what others may not see)\n"}
	}
	if t, ok := s.(game.Drawn); ok {
		return Frame{Text: t.Draw(false)}
	}
	return Frame{}
}
