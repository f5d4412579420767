package selfplay

import (
	"reflect"
	"slices"
	"testing"

	"tengen/game"
	"tengen/replay/record"
	"tengen/replay/window"
)

// TestOpenings: games begin with 0 to RandomPlies random moves, of any number about equally often,
// which are no samples and have no targets; they follow from the game's number, whoever plays it.
func TestOpenings(t *testing.T) {
	const plies = 4
	for _, name := range []string{"go:size=3,players=3", "tictactoe", "tcg"} {
		games := 200
		if name == "tcg" {
			if testing.Short() {
				continue // long, and like the others
			}
			games = 40
		}
		s := settings(name)
		s.RandomPlies = plies
		job := Job{Games: numbers(games), Epsilon: 0.2, Step: 1, Weights: weights(t, s.Game)}
		played, _ := playJob(t, s, job, 1, 3)
		if again, _ := playJob(t, s, job, 3, 2); !reflect.DeepEqual(again, played) {
			t.Errorf("%s: other games on three workers", name)
		}
		w, err := window.New(s.Game, window.Config{Capacity: games})
		if err != nil {
			t.Fatal(err)
		}
		count, firsts := make([]int, plies+1), map[game.Action]int{}
		for _, g := range played {
			before := w.Positions(false)
			if err := w.Add(g); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for k := range w.Positions(false) - before {
				x := w.At(false, before+k)
				if int(x.Ply) < g.Prefix {
					t.Errorf("%s, game %d: ply %d of %d random ones is a sample",
						name, g.Number, x.Ply, g.Prefix)
				}
			}
			count[g.Prefix]++
			if g.Prefix > 0 {
				firsts[g.Moves[0].Action]++
			}
			if err := job.Check(s, g); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			without := *s
			without.RandomPlies = 0
			if err := job.Check(&without, g); (err == nil) != (g.Prefix == 0) {
				t.Errorf("%s: without openings a game that begins with %d random moves: %v",
					name, g.Prefix, err)
			}
		}
		for n, c := range count {
			if c < games/(plies+1)/3 {
				t.Errorf("%s: %d of %d games begin with %d random moves", name, c, games, n)
			}
		}
		if len(firsts) < 3 {
			t.Errorf("%s: the first moves are %v", name, firsts)
		}
	}
}

// TestOpeningsEndNoGame: a game that the random moves would end begins with fewer.
func TestOpeningsEndNoGame(t *testing.T) {
	s := settings("tictactoe")
	s.RandomPlies = 30
	job := Job{Games: numbers(60), Step: 1, Weights: weights(t, s.Game)}
	games, _ := playJob(t, s, job, 1, 4)
	for _, g := range games {
		if g.Prefix >= len(g.Moves) {
			t.Errorf("game %d is over after its %d random moves", g.Number, g.Prefix)
		}
	}
}

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

// TestCheckRefuses: a game that was begun otherwise than its job says is refused.
func TestCheckRefuses(t *testing.T) {
	s := settings("tictactoe")
	s.RandomPlies = 3
	job := Job{Games: numbers(20), Step: 9, Epsilon: 0.5, Weights: weights(t, s.Game)}
	games, _ := playJob(t, s, job, 1, 4)
	openings := 0
	for _, g := range games {
		if err := job.Check(s, g); err != nil {
			t.Error(err)
		}
		refused := func(what string, change func(g *record.Game)) {
			t.Helper()
			lie := *g
			lie.Moves, lie.Seats = slices.Clone(g.Moves), slices.Clone(g.Seats)
			if change(&lie); job.Check(s, &lie) == nil {
				t.Errorf("game %d with %s is accepted", g.Number, what)
			}
		}
		refused("another number", func(g *record.Game) { g.Number += 1000 })
		refused("a longer opening", func(g *record.Game) { g.Prefix++ })
		refused("another player", func(g *record.Game) { g.Seats[1].Kind = record.Random })
		refused("another network", func(g *record.Game) { g.Seats[0].Step += 1 })
		if g.Prefix == 0 {
			continue
		}
		openings++
		refused("a shorter opening", func(g *record.Game) { g.Prefix-- })
		refused("another opening", func(g *record.Game) {
			g.Moves[g.Prefix-1].Action = (g.Moves[g.Prefix-1].Action + 1) % 9
		})
		refused("less than its opening", func(g *record.Game) { g.Moves = g.Moves[:g.Prefix-1] })
	}
	if openings < 5 {
		t.Errorf("only %d games have openings", openings)
	}
}

// TestCountsEvaluations: if they are to, the games say how many evaluations they asked for.
func TestCountsEvaluations(t *testing.T) {
	s := settings("tictactoe")
	job := Job{Games: numbers(12), Epsilon: 0.3, Weights: weights(t, s.Game)}
	for _, count := range []bool{false, true} {
		s.CountEvaluations = count
		games, c := playJob(t, s, job, 1, 4)
		sum := uint64(0)
		for _, g := range games {
			sum += uint64(g.Evaluations)
		}
		if want := c.Evaluations.Load(); want == 0 || count && sum != want || !count && sum != 0 {
			t.Errorf("count %v: the games asked for %d evaluations, of %d", count, sum, want)
		}
	}
}
