package selfplay

import (
	"math"
	"reflect"
	"testing"
	"time"

	"tengen/descent"
	"tengen/game"
	"tengen/mcts"
	"tengen/nn/nntest"
	"tengen/player"
	"tengen/replay"
)

// population returns two past networks and, where they can play the game, guests of three kinds.
func population(t *testing.T, g game.Game, share float64) *Population {
	t.Helper()
	puct := mcts.PUCT{Simulations: 8, C: 0.8, Reuse: true}
	past := func(step uint64) Member {
		return Member{
			Player: &player.AlphaZero{Weights: weights(t, g), PUCT: puct, Temperature: 1, Plies: 4},
			Seat:   replay.SeatRecord{Kind: replay.Past, Step: step}, Values: true,
		}
	}
	guest := func(name string, p player.Player) []Member {
		return []Member{{Player: p, Seat: replay.SeatRecord{Kind: replay.Guest, Name: name}}}
	}
	p := &Population{Share: share, Groups: [][]Member{{past(3), past(4)}, guest("uct", player.UCT{Simulations: 8, C: 0.8, Utility: player.Unit})}}
	puct.Leaves = 3
	p.Groups = append(p.Groups, guest("az", &player.AlphaZero{Weights: weights(t, g), PUCT: puct}))
	if o := (descent.Options{BestFirst: true, Iterations: 4}); descent.Check(g, o) == nil {
		p.Groups = append(p.Groups, guest("ubfm", &player.Descent{Weights: valueWeights(t, g), Options: o, Safe: true}))
	}
	return p
}

// TestPopulation: members of the population play the seats that the game's stream gives them, as
// often as they should, without policy targets; past networks give values. Games are the same on
// any number of workers, with evaluators that work beside the search too.
func TestPopulation(t *testing.T) {
	for name, games := range map[string]int{"go:size=3,players=3": 16, "tictactoe": 24, "tcg": 4, smallTurtle: 8} {
		if testing.Short() && name != "go:size=3,players=3" {
			continue
		}
		for _, learns := range []string{"alphazero", "descent"} {
			s := settings(name)
			job := Job{Games: numbers(games), Iteration: 3, Step: 9, Epsilon: 0.3, Weights: weights(t, s.Game), Population: population(t, s.Game, 0.5)}
			if learns == "descent" {
				if descent.Check(s.Game, descent.Options{Iterations: 2}) != nil {
					continue
				}
				s = descentSettings(name, descent.Options{Iterations: 2}, Ordinal)
				job.Weights, job.Exploration = valueWeights(t, s.Game), 0.5
			}
			want, counters := playJob(t, s, job, 1, 1)
			for _, c := range [][2]int{{1, 5}, {4, 2}} {
				if got, _ := playJob(t, s, job, c[0], c[1]); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s: %d workers, groups of %d: other games than with one of each", name, learns, c[0], c[1])
				}
			}
			window, err := replay.NewWindow(s.Game, replay.WindowConfig{Capacity: 24, Trees: learns == "descent"})
			if err != nil {
				t.Fatal(err)
			}
			seats, kinds := map[string]int{}, map[replay.SeatKind]int{}
			all := 0
			for _, g := range want {
				if err := window.Add(g); err != nil {
					t.Fatalf("%s, %s: %v", name, learns, err)
				}
				for _, seat := range g.Seats {
					seats[seat.String()]++
					kinds[seat.Kind]++
					all++
				}
				for ply, m := range g.Moves {
					if m.Mover < 0 {
						continue
					}
					switch kind := g.Seats[m.Mover].Kind; {
					case kind == replay.Guest && len(m.Value) > 0, kind != replay.Network && len(m.Visits) > 0:
						t.Errorf("%s, %s, game %d, ply %d: a %v gives targets: %+v", name, learns, g.Number, ply, kind, m)
					case kind == replay.Past && learns == "alphazero" && len(m.Value) == 0 && decides(s.Game, g, ply):
						t.Errorf("%s, game %d, ply %d: a past network gives no value", name, g.Number, ply)
					}
				}
			}
			// Each is drawn with probability 0.5 of what UCT leaves.
			share := float64(kinds[replay.Past]+kinds[replay.Guest]) / float64(all-kinds[replay.UCT])
			if math.Abs(share-0.5) > 2.5*math.Sqrt(0.25/float64(all-kinds[replay.UCT])) || len(seats) < 4 {
				t.Errorf("%s, %s: %v, a share of %g", name, learns, seats, share)
			}
			if counters.UCTSeats.Load() != uint64(kinds[replay.UCT]) {
				t.Errorf("%s: %d seats of UCT are counted, of %d", name, counters.UCTSeats.Load(), kinds[replay.UCT])
			}
		}
	}
}

// decides reports whether a player has a choice at a ply of a game.
func decides(g game.Game, r *replay.Game, ply int) bool {
	s := g.NewState()
	for _, m := range r.Moves[:ply] {
		s.Apply(m.Action)
	}
	return len(s.LegalActions(nil)) > 1
}

// TestPopulationOnADevice: the games are those of the processor, and nothing is left open.
func TestPopulationOnADevice(t *testing.T) {
	s := settings("go:size=3,players=3")
	job := Job{Games: numbers(16), Iteration: 3, Step: 9, Epsilon: 0.3, Weights: weights(t, s.Game), Population: population(t, s.Game, 0.5)}
	want, _ := playJob(t, s, job, 1, 1)
	devices := []*nntest.Device{{Network: weights(t, s.Game)}, {Network: weights(t, s.Game), Delay: 50 * time.Microsecond}}
	job.Weights = devices[0]
	past := job.Population.Groups[0][1].Player.(*player.AlphaZero)
	past.Weights = devices[1]
	for _, c := range [][2]int{{1, 5}, {2, 8}} {
		if got, _ := playJob(t, s, job, c[0], c[1]); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers, groups of %d: other games than on the processor", c[0], c[1])
		}
		for i, d := range devices {
			if n, _ := d.Batches(); n == 0 || d.Open() != 0 {
				t.Errorf("device %d: %d batches, %d evaluators are left open", i, n, d.Open())
			}
		}
	}
}

// TestNoPopulation: a population without a share, and one where UCT takes all seats, play no seat.
func TestNoPopulation(t *testing.T) {
	s := settings("tictactoe")
	job := Job{Games: numbers(8), Step: 9, Epsilon: 1, Weights: weights(t, s.Game)}
	want, _ := playJob(t, s, job, 1, 1)
	job.Population = population(t, s.Game, 1)
	if got, _ := playJob(t, s, job, 2, 3); !reflect.DeepEqual(got, want) {
		t.Error("with UCT in all seats the population changes games")
	}
	job.Epsilon, job.Population = 0, population(t, s.Game, 0)
	games, _ := playJob(t, s, job, 2, 3)
	for _, g := range games {
		for _, seat := range g.Seats {
			if seat.Kind != replay.Network {
				t.Errorf("game %d: %v plays", g.Number, seat)
			}
		}
	}
}
