package selfplay

import (
	"reflect"
	"testing"

	"tengen/replay/record"
)

// TestResign: where players resign a game is the beginning of what it would be otherwise, it keeps
// the rules of resignations, and some games are played to their end; none of it depends on the
// workers.
func TestResign(t *testing.T) {
	for _, name := range []string{
		"go:size=3,players=2,reward=win", "go:size=3,players=3,reward=win", "tictactoe",
	} {
		s := settings(name)
		az(s).SelfPlay.FastSimulations, az(s).SelfPlay.FullProbability, s.PlayedOut = 4, 0.5, 0.25
		job := Job{Games: numbers(40), Step: 9, Epsilon: 0.1, Weights: weights(t, s.Game)}
		whole, _ := playJob(t, s, job, 1, 4)
		job.Resign = 0.3
		played, _ := playJob(t, s, job, 1, 4)
		if other, _ := playJob(t, s, job, 3, 2); !reflect.DeepEqual(other, played) {
			t.Errorf("%s: other games with other workers", name)
		}
		checker, resigned, out := record.NewChecker(s.Game), 0, 0
		for i, g := range played {
			if err := checker.Check(g); err != nil {
				t.Fatal(err)
			}
			if err := job.Check(s, g); err != nil {
				t.Error(err)
			}
			if g.Resign == 0 {
				out++
			}
			want := *whole[i]
			want.Resign = g.Resign
			if g.Resigned {
				resigned++
				want.Moves, want.Scores, want.Returns, want.Resigned = want.Moves[:len(g.Moves)],
					g.Scores, g.Returns, true
			}
			if !reflect.DeepEqual(g, &want) {
				t.Errorf("%s, game %d differs from the one in which nobody resigns before it ends",
					name, g.Number)
			}
			lie := *g
			if lie.Resign = 0.2; job.Check(s, &lie) == nil {
				t.Errorf("%s, game %d: another threshold is accepted", name, g.Number)
			}
		}
		if resigned < 3 || resigned > 37 || out < 3 || out > 20 {
			t.Errorf(
				"%s: %d of 40 games ended by resignation, and %d were to be played to their end",
				name, resigned, out)
		}
	}
}
