package board

import "tengen/game"

// tones are the colours of seats without colours of their own.
var tones = [game.MaxPlayers]Tone{Black, Red, Blue, Green, Gold, White, Felt, Wood}

// words draws a game without a picture.
type words struct{ layout Layout }

func newWords(g game.Game) *words {
	d := &words{Layout{Name: g.Name(), Ground: []Shape{}, Spots: []Spot{}}}
	for p := range g.Players() {
		d.layout.Seats = append(d.layout.Seats, Shape{
			Kind: Dot, Tone: tones[p], R: 1, Of: game.SeatName(g, game.Player(p)),
		})
	}
	return d
}

func (d *words) Layout() *Layout { return &d.layout }

// Draw returns the terminal's text. For a player of a game with hidden information it
// shows what that player may see; if the game can't draw that, nothing.
func (d *words) Draw(s game.State, viewer game.Player) Frame {
	if t, ok := s.(game.SeatDrawn); ok && viewer != game.Nobody {
		return Frame{Text: t.DrawFor(viewer, false)}
	}
	if _, hidden := s.(game.ImperfectInformation); hidden && viewer != game.Nobody {
		return Frame{
			Text: "(this game has no drawing of its positions that hides what a player may not see)\n",
		}
	}
	if t, ok := s.(game.Drawn); ok {
		return Frame{Text: t.Draw(false)}
	}
	return Frame{}
}
