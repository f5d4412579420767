package selfplay

import (
	"reflect"
	"slices"
	"testing"

	"tengen/game"
	"tengen/player"
	"tengen/replay/record"
	"tengen/search"
)

const smallTurtle = "turtle:squares=4,hand=3,max_turns=60"

// Games with hidden hands do not depend on the number of workers, and their records can be
// replayed.
func TestHiddenInformation(t *testing.T) {
	s := settings(smallTurtle)
	job := Job{Games: numbers(12), Iteration: 3, Step: 9, Epsilon: 0.4, Weights: weights(t, s.Game)}
	want, _ := playJob(t, s, job, 1, 1)
	if got, _ := playJob(t, s, job, 2, 5); !reflect.DeepEqual(got, want) {
		t.Error("2 workers, groups of 5: other games than with one of each")
	}
	kinds := map[record.SeatKind]int{}
	for _, g := range want {
		state := s.Game.NewState()
		for i, m := range g.Moves {
			if mover := state.CurrentPlayer(); mover != m.Mover ||
				mover >= 0 && !slices.Contains(state.LegalActions(nil), m.Action) {
				t.Fatalf("game %d, move %d: %+v is not legal", g.Number, i, m)
			}
			for _, v := range m.Visits {
				if !slices.Contains(state.LegalActions(nil), v.Action) {
					t.Fatalf("game %d, move %d: a visit of %d, which is not legal",
						g.Number, i, v.Action)
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
	if kinds[record.Network] < 20 || kinds[record.UCT] < 20 {
		t.Errorf("decisions by kind of seat: %v", kinds)
	}
}

// watcher checks what a network agent is shown.
type watcher struct {
	player.ActorAgent
	t           *testing.T
	task        *gameTask
	thinking    bool
	seen, truth int
}

func (w *watcher) Think(s game.State, requests search.Requests) (game.Action, bool) {
	if !w.thinking {
		state, mover := w.task.game.State(), w.task.game.State().CurrentPlayer()
		if s == state ||
			s.(game.ImperfectInformation).InformationStateKey(mover) !=
				state.(game.ImperfectInformation).InformationStateKey(mover) {
			w.t.Fatal("the agent is shown the true state, or what can't be true")
		}
		w.seen++
		if s.Hash() == state.Hash() {
			w.truth++
		}
	}
	a, decided := w.ActorAgent.Think(s, requests)
	if decided && w.Result().Stats().Kept > 0 {
		w.t.Fatal("the agent has kept its search")
	}
	w.thinking = !decided
	return a, decided
}

// TestAgentsNeverSeeTheTruth: the copies that a network agent is shown equal the true state
// only as often as random determinizations do, and the agent keeps nothing from one decision to
// the next.
func TestAgentsNeverSeeTheTruth(t *testing.T) {
	s := settings("turtle")
	az(s).PUCT.Simulations = 2
	job := Job{Games: numbers(12), Weights: weights(t, s.Game)}
	p := NewPool(s, &oneJob{job: &job}, 1, 1, &Counters{})
	p.finished = make(chan finished, 12)
	w := newWorker(p, &job, p.wakers[0])
	x := w.groups[0].Tasks[0].(*gameTask)
	spy := &watcher{ActorAgent: x.network, t: t, task: x}
	x.network = spy
	if err := search.DriveGroups(t.Context(), w.groups...); err != nil {
		t.Fatal(err)
	}
	if len(p.finished) != 12 || spy.seen < 200 || spy.truth > spy.seen/50 {
		t.Errorf("%d games; of %d copies %d are the truth", len(p.finished), spy.seen, spy.truth)
	}
}
