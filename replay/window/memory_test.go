package window

import (
	"testing"
	"unsafe"

	"tengen/game"
	"tengen/internal/random"
	"tengen/replay/record"
)

// searched returns random games of three-player 5×5 Go in which each decision has what a search
// records at most: a root value for each player, and a policy target of all legal actions.
func searched(t testing.TB, n int) (game.Game, []*record.Game) {
	t.Helper()
	g := game.Must(game.New("go:size=5,players=3"))
	var games []*record.Game
	for number := range uint64(n) {
		rec := playGame(t, g, number)
		rng := random.New(13, random.Test, number)
		for i := range rec.Moves {
			m := &rec.Moves[i]
			if !m.Choice {
				continue
			}
			for range g.Players() {
				m.Value = append(m.Value, rng.Float32())
			}
			policy := make([]float32, len(m.Visits))
			for k := range policy {
				policy[k] = 1e-6 + rng.Float32()
				m.Visits[k].N = rng.Uint32N(4)
			}
			m.Policy = record.AppendPolicy(nil, policy)
		}
		games = append(games, rec)
	}
	return g, games
}

// bytesOf returns what a window keeps of its games, and their plies.
func bytesOf(w *Window) (bytes, plies int) {
	var p record.Packed
	for i := range w.entries {
		w.open(i, &p)
		bytes += int(w.entries[i].place.size)
		plies += p.Plies()
	}
	return bytes + w.Len()*int(unsafe.Sizeof(entry{})+2*unsafe.Sizeof(uint64(0))), plies
}

// TestBytesOfAPly: a game of three-player 5×5 Go takes at most 48 bytes a ply in a window, with
// policy targets of all legal actions, root values and auxiliary targets.
func TestBytesOfAPly(t *testing.T) {
	g, games := searched(t, 100)
	w, err := New(g, Config{Capacity: len(games), Auxiliary: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	for _, rec := range games {
		if err := w.Add(rec); err != nil {
			t.Fatal(err)
		}
	}
	bytes, plies := bytesOf(w)
	a := float64(bytes) / float64(plies)
	t.Logf("%d games of %d plies: %.1f bytes a ply", w.Len(), plies/w.Len(), a)
	if a > 48 {
		t.Errorf("%.1f bytes a ply", a)
	}
}
