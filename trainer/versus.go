package trainer

import (
	"context"

	"tengen/arena"
	"tengen/game"
	"tengen/player"
)

// versus is arena.Versus against UCT, but gives its games away too.
type versus struct {
	game           game.Game
	player         player.Player
	games          int // for each seat
	alone          int // games with UCT in all seats
	seed           uint64
	workers, slate int
}

// all is the number of games.
func (v *versus) all() int { return v.games*v.game.Players() + v.alone }

// play plays the games and returns what arena.Versus would, and the games as
// they are logged, the player called name. progress is called after each game, by one
// goroutine at a time.
func (v *versus) play(ctx context.Context, name string, progress func()) (*arena.Report, []EvaluationGame, error) {
	n := v.game.Players()
	m := arena.Match{
		Game: v.game, Players: []player.Player{v.player, baseline},
		Games: v.games * n, Seed: v.seed, Workers: v.workers, Slate: v.slate,
	}
	for p := range n {
		seating := everywhere(n)
		seating[p] = 0
		m.Seatings = append(m.Seatings, seating)
	}
	names := []string{name, anchorName}
	results, err := m.Play(ctx, func(int) { progress() })
	if err != nil {
		return nil, nil, err
	}
	r := &arena.Report{
		Game: v.game.Name(), Player: v.player.Name(), Baseline: baseline.Name(), Seats: make([]arena.Seat, n),
		Distinct: arena.Distinct(results), Games: m.Games, Seed: v.seed,
	}
	points := make([]arena.Stat, n)
	for _, g := range results {
		r.Seats[g.Seating].Points.Add(float64(g.Scores[g.Seating]))
		r.Seats[g.Seating].Wins.Add(winShare(g.Scores, g.Seating))
	}
	for p := range n {
		r.Seats[p].Name = game.SeatName(v.game, game.Player(p))
		points[p] = r.Seats[p].Points
	}
	r.Sum = arena.SumOf(points)
	games := logged(results, m.Seatings, names, 0)
	if v.alone == 0 {
		return r, games, nil
	}
	m.Seatings, m.Games = [][]int{everywhere(n)}, v.alone
	if results, err = m.Play(ctx, func(int) { progress() }); err != nil {
		return nil, nil, err
	}
	base := make([]arena.Stat, n)
	var whole arena.Stat
	for _, g := range results {
		sum := 0.0
		for p, s := range g.Scores {
			base[p].Add(float64(s))
			sum += float64(s)
		}
		whole.Add(sum)
	}
	for p := range n {
		r.Seats[p].Base = &base[p]
	}
	r.BaseGames, r.BaseDistinct = v.alone, arena.Distinct(results)
	r.BaseSum = &arena.Sum{Mean: whole.Mean, CI: whole.CI()}
	return r, append(games, logged(results, m.Seatings, names, len(games))...), nil
}

// everywhere has the second player in all seats.
func everywhere(seats int) []int {
	seating := make([]int, seats)
	for i := range seating {
		seating[i] = 1
	}
	return seating
}

// winShare is 1 for a sole leader, 1/k each for k who lead together.
func winShare(scores []float32, seat int) float64 {
	leaders := 0
	for _, s := range scores {
		if s > scores[seat] {
			return 0
		}
		if s == scores[seat] {
			leaders++
		}
	}
	return 1 / float64(leaders)
}

// logged are games as they are logged, numbered from first on.
func logged(results []arena.Result, seatings [][]int, names []string, first int) []EvaluationGame {
	var list []EvaluationGame
	for _, r := range results {
		list = append(list, logGame(r, seatings[r.Seating], names, first+len(list)))
	}
	return list
}

func logGame(r arena.Result, seating []int, names []string, number int) EvaluationGame {
	g := EvaluationGame{Number: number, Scores: r.Scores}
	for _, p := range seating {
		g.Players = append(g.Players, names[p])
	}
	return g
}

// log are a duel's games as they are logged, numbered from first on, its rounds
// from round+1 on. A round that repeats an earlier one has that one's number.
func (r *duelResult) log(a, b network, first, round int) []EvaluationGame {
	names := []string{a.name(), b.name()}
	var list []EvaluationGame
	for i, games := range r.rounds {
		for s, g := range games {
			x := logGame(g, r.seatings[s], names, first+len(list))
			x.Round = round + r.first[i] + 1
			list = append(list, x)
		}
	}
	return list
}
