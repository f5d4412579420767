package selfplay

import (
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"tengen/game"
	"tengen/replay"
	"tengen/search"
)

const smallTurtle = "turtle:squares=4,hand=3,max_turns=60"

// Games with hidden hands are the same on any workers, and their records replay.
func TestHiddenInformation(t *testing.T) {
	s := settings(smallTurtle)
	job := Job{Games: numbers(12), Iteration: 3, Step: 9, Epsilon: 0.4, Weights: weights(t, s.Game)}
	want, _ := play(t, s, job, 1, 1)
	if got, _ := play(t, s, job, 2, 5); !reflect.DeepEqual(got, want) {
		t.Error("2 workers, slates of 5: other games than with one of each")
	}
	kinds := map[replay.SeatKind]int{}
	for _, g := range want {
		state := s.Game.NewState()
		for i, m := range g.Moves {
			if mover := state.CurrentPlayer(); mover != m.Mover || mover >= 0 && !slices.Contains(state.LegalActions(nil), m.Action) {
				t.Fatalf("game %d, move %d: %+v is not legal", g.Number, i, m)
			}
			for _, v := range m.Visits {
				if !slices.Contains(state.LegalActions(nil), v.Action) {
					t.Fatalf("game %d, move %d: a visit of %d, which is not legal", g.Number, i, v.Action)
				}
			}
			if len(m.Value) > 0 {
				kinds[g.Seats[m.Mover].Kind]++
			}
			state.Apply(m.Action)
		}
		if state.CurrentPlayer() != game.Nobody {
			t.Errorf("game %d is unfinished", g.Number)
		}
	}
	if kinds[replay.Network] < 20 || kinds[replay.UCT] < 20 {
		t.Errorf("decisions by kind of seat: %v", kinds)
	}
}

// watcher stands before a learner and looks at what it is handed.
type watcher struct {
	learner
	t           *testing.T
	table       *table
	seen, truth int
}

func (w *watcher) think(s game.State) {
	state, mover := w.table.state, w.table.state.CurrentPlayer()
	if s == state || s.(game.ImperfectInformation).InformationStateKey(mover) != state.(game.ImperfectInformation).InformationStateKey(mover) {
		w.t.Fatal("the learner is handed the true state, or what can't be true")
	}
	w.seen++
	if s.Hash() == state.Hash() {
		w.truth++
	}
	w.learner.think(s)
	if z := w.learner.(*alphaZero); len(z.tree.Children(nil)) > 0 {
		w.t.Fatal("the learner has kept its search")
	}
}

// TestLearnersNeverSeeTheTruth: a learner is handed copies that are true as rarely as
// drawings are, and keeps nothing from one decision to the next.
func TestLearnersNeverSeeTheTruth(t *testing.T) {
	s := settings("turtle")
	s.PUCT.Simulations = 2
	job := Job{Games: numbers(12), Weights: weights(t, s.Game)}
	finished := make(chan *replay.Game, 12)
	w := &worker{ctx: t.Context(), settings: s, job: &job, next: &atomic.Int64{}, counters: &Counters{}, finished: finished, uct: newUCTSeat(s)}
	w.prepare(1, 12)
	x := w.slates[0].Tasks[0].(*table)
	spy := &watcher{learner: x.learner, t: t, table: x}
	x.learner = spy
	if err := search.DriveGroups(t.Context(), w.slates...); err != nil {
		t.Fatal(err)
	}
	if len(finished) != 12 || spy.seen < 200 || spy.truth > spy.seen/50 {
		t.Errorf("%d games; of %d copies %d are the truth", len(finished), spy.seen, spy.truth)
	}
}
