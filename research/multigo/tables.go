package multigo

import (
	"context"
	"fmt"

	"tengen/game"
	"tengen/player"
	"tengen/research"
)

// Table3 is the paper's Table 3: UCT in all seats.
type Table3 struct {
	research.Made `json:"made"`
	Points        []Cell `json:"points"` // by seat, UCT on points, the paper's scale
	Unit          []Cell `json:"unit"`   // by seat, UCT on utilities
}

// paperTable3 are the paper's figures by seat.
var paperTable3 = []string{"11.5 ± 1.0", "7.1 ± 0.9", "6.3 ± 0.9"}

// Table3 plays the games. If it is interrupted, it returns the cells so far and an error.
func (m *Matches) Table3(ctx context.Context, made research.Made) (*Table3, error) {
	t := &Table3{Made: made}
	for _, scale := range []struct {
		utility string
		cells   *[]Cell
	}{{player.Points, &t.Points}, {player.Unit, &t.Unit}} {
		var err error
		if *scale.cells,
			err = m.alone(ctx, scale.utility, uct(scale.utility), 0, &t.Made); err != nil {
			return t, err
		}
	}
	return t, nil
}

// uct is the paper's UCT.
func uct(utility string) contestant {
	return contestant{Player: player.UCT{Simulations: 180, C: 0.8, Utility: utility}}
}

// Table4 is the paper's Table 4, Black against White and Red, repeated in every seat.
type Table4 struct {
	research.Made `json:"made"`
	Rows          []Table4Row `json:"rows"`
}

// Table4Row is one player in each seat against two of another.
type Table4Row struct {
	Player  string `json:"player"`
	Against string `json:"against"`
	Paper   string `json:"paper"` // as Black
	Seats   []Cell `json:"seats"`
}

// Table4 plays the players of AlphaZero and Descent against UCT, each other and themselves. If it
// is interrupted, it returns the rows so far and an error.
func (m *Matches) Table4(
	ctx context.Context, alphaZero, descent string, made research.Made,
) (*Table4, error) {
	g := game.Must(game.New(PaperGame))
	az, err := m.parse(g, alphaZero)
	if err != nil {
		return nil, err
	}
	d, err := m.parse(g, descent)
	if err != nil {
		return nil, err
	}
	t := &Table4{Made: made}
	t.Opening = opening
	for _, row := range []struct {
		folder  string
		a, b    contestant
		paper   string
		opening int
	}{
		{"alphazero-uct", az, uct(player.Points), "16.2 ± 0.3", 0},
		{"alphazero-alphazero", az, az, "13.3 ± 0.4", opening},
		{"alphazero-descent", az, d, "11 ± 0.2", opening},
		{"descent-uct", d, uct(player.Points), "12.7 ± 0.5", 0},
		{"descent-alphazero", d, az, "12.1 ± 0.6", opening},
		{"descent-descent", d, d, "11.9 ± 0.3", opening},
	} {
		r := Table4Row{Player: row.a.Name(), Against: row.b.Name(), Paper: row.paper}
		if row.a == row.b {
			r.Seats, err = m.alone(ctx, row.folder, row.a, row.opening, &t.Made)
		} else {
			r.Seats, err = m.versus(ctx, row.folder, row.a, row.b, row.opening, &t.Made)
		}
		if r.Seats != nil {
			t.Rows = append(t.Rows, r)
		}
		if err != nil {
			return t, fmt.Errorf("%s against %s: %w", r.Player, r.Against, err)
		}
	}
	return t, nil
}

// parse reads a player, with the digest of its network.
func (m *Matches) parse(g game.Game, text string) (c contestant, err error) {
	if c.Player, err = m.Device.Parse(g, text); err != nil {
		return c, err
	}
	c.network, err = player.NetworkDigest(text)
	return c, err
}
