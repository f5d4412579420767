package evaluation

import (
	"slices"
	"strconv"

	"tengen/arena"
	"tengen/arena/rating"
	"tengen/game"
	"tengen/run"
)

// maxAnchor is the number of simulations of the strongest anchor of an anchor ladder that
// evaluations play against: more would take longer than what they measure is worth.
const maxAnchor = 10_000

// maxRatedGames is the number of games, the last ones, that ratings are estimated from.
const maxRatedGames = 50_000

// maxRatedNetworks is the number of networks, those of the last iterations, that each
// evaluation rates. The time of an estimate grows with its square; the limit keeps it below a
// second.
const maxRatedNetworks = 100

// Rate estimates ratings from the last maxRatedGames games between UCT, which is the anchor, and
// the last maxRatedNetworks networks. The ratings of an anchor ladder's anchors are those of the
// ladder, which may be nil. If an evaluation was played twice, as after a crash, the later games
// count.
func Rate(
	g game.Game, anchor string, scale *arena.AnchorLadder, all []run.EvaluationGame,
) (*run.Ratings, error) {
	all = laterOnes(all)
	var iterations []int
	for _, x := range all {
		for _, name := range x.Players {
			if n, err := strconv.Atoi(name); err == nil {
				iterations = append(iterations, n)
			}
		}
	}
	slices.Sort(iterations)
	iterations = slices.Compact(iterations)
	iterations = iterations[max(0, len(iterations)-maxRatedNetworks):]
	index := map[string]int{run.UCTName: 0}
	for i, n := range iterations {
		index[run.IterationName(n)] = i + 1
	}
	fixed := map[int]float64{}
	if scale != nil {
		for _, anchor := range scale.Anchors[1:] {
			fixed[len(index)] = anchor.Elo
			index[anchor.Player] = len(index)
		}
	}
	var games []rating.Game
	type roundID struct{ evaluation, round int }
	groups := map[roundID]int{}
	for _, x := range all {
		r := rating.Game{
			Players: make([]int, len(x.Players)), Scores: make([]float64, len(x.Scores)),
		}
		known := true
		for seat, name := range x.Players {
			i, ok := index[name]
			known = known && ok
			r.Players[seat], r.Scores[seat] = i, float64(x.Scores[seat])
		}
		if !known {
			continue
		}
		if x.Round != 0 {
			id := roundID{x.Evaluation, x.Round}
			if groups[id] == 0 {
				groups[id] = len(groups) + 1
			}
			r.Group = groups[id]
		}
		games = append(games, r)
	}
	fit, err := rating.Fit(len(index), games, rating.Options{Anchor: 0, Seats: true, Fixed: fixed})
	if err != nil {
		return nil, err
	}
	r := &run.Ratings{Anchor: anchor, Games: len(games)}
	for i, n := range iterations {
		if x := fit.Ratings[i+1]; fit.Connected[i+1] {
			r.Networks = append(r.Networks, run.NetworkRating{
				Iteration: n, Games: x.Games, Elo: run.NewElo(x.Elo, x.Low, x.High),
			})
		}
	}
	for seat, x := range fit.Seats {
		r.Seats = append(r.Seats, run.SeatRating{
			Seat: game.SeatName(g, game.Player(seat)), Elo: run.NewElo(x.Elo, x.Low, x.High),
		})
	}
	return r, nil
}

// laterOnes returns the last maxRatedGames games in their order. Of games with the same
// evaluation and number it returns the last.
func laterOnes(all []run.EvaluationGame) []run.EvaluationGame {
	seen := map[[2]int]bool{}
	var list []run.EvaluationGame
	for _, x := range slices.Backward(all) {
		if len(list) == maxRatedGames {
			break
		}
		if id := [2]int{x.Evaluation, x.Number}; !seen[id] {
			seen[id] = true
			list = append(list, x)
		}
	}
	slices.Reverse(list)
	return list
}
