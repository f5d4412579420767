package evaluation

import (
	"context"
	"fmt"
	"math"

	"tengen/arena"
	"tengen/internal/random"
	"tengen/metrics"
	"tengen/player"
	"tengen/run"
)

// found is the result of an evaluation.
type found struct {
	iteration int
	report    *arena.Report // against UCT
	strength  *run.Strength
	games     []run.EvaluationGame
	rounds    int // of these games, in paired matches
}

// log adds the games of the match of two players. A round that repeats an earlier one of the match
// has the number of that one.
func (f *found) log(r *pairedResult, names ...string) {
	for i, games := range r.rounds {
		for s, g := range games {
			x := logGame(g, r.seatings[s], names, len(f.games))
			x.Round = f.rounds + r.first[i] + 1
			f.games = append(f.games, x)
		}
	}
	f.rounds += len(r.rounds)
}

// play plays the games of an evaluation: the network in each seat against UCT in all
// others, UCT against itself (once per run), and the network against the one before and an anchor.
func (e *Series) play(
	ctx context.Context, n Network, opponent *Network, workers int, progress func(done, all int),
) (*found, error) {
	c := &e.o.Evaluation
	self := e.o.Contestant(n.Weights)
	v := arena.Versus{
		Remote: e.o.Remote(self, arena.Contestant{Player: e.o.Baseline.Name()}),
		Game:   e.o.Game, Player: e.player(n), Baseline: e.o.Baseline, Games: c.Games,
		BaselineGames: -1,
		Seed:          e.o.Seed + uint64(n.Iteration), Workers: workers,
		GamesPerWorker: e.o.GamesPerWorker,
	}
	against := c.Games * e.o.Game.Players()
	if e.base == nil {
		v.BaselineGames = 2 * c.Games // once per run
		against += v.BaselineGames
	}
	d := pairedMatch{
		game: e.o.Game, rounds: e.earlierGames(), workers: workers,
		gamesPerWorker: v.GamesPerWorker,
	}
	paired := e.anchorRounds()
	if opponent != nil {
		paired += d.rounds
	}
	done, all := 0, against+paired*len(d.seatings())
	count := func() {
		done++
		e.o.Metrics.EvaluationGames.Inc()
		progress(done, all)
	}
	progress(0, all)
	report, err := v.Play(ctx, func(int, int) { count() })
	if err != nil {
		return nil, err
	}
	f := &found{iteration: n.Iteration, report: report, games: logReport(report, n.name())}
	f.strength = &run.Strength{
		Sum: report.Sum.Mean, SumCI: run.Width(report.Sum.CI()), Games: c.Games,
		Against: report.Baseline,
	}
	if e.base == nil {
		for _, seat := range report.Seats {
			e.base = append(e.base, seat.Base.Mean)
		}
	}
	f.strength.Baseline = e.base
	for _, seat := range report.Seats {
		f.strength.Points = append(f.strength.Points, seat.Points.Mean)
		f.strength.CI = append(f.strength.CI, run.Width(seat.Points.CI()))
	}
	meet := func(opponent player.Player, as arena.Contestant, name string) (*pairedResult, error) {
		d.players = [2]player.Player{v.Player, opponent}
		d.remote = e.o.Remote(self, as)
		played, err := d.play(ctx, count)
		if err == nil {
			f.log(played, n.name(), name)
		}
		return played, err
	}
	if opponent != nil {
		d.seed = e.matchSeed(earlierMatch, n.Iteration, opponent.Iteration)
		played, err := meet(e.player(*opponent), e.o.Contestant(opponent.Weights), opponent.name())
		if err != nil {
			return nil, err
		}
		mean, half := meanDifference(played.differences())
		f.strength.Earlier = append(f.strength.Earlier, run.Earlier{
			Iteration: opponent.Iteration, Difference: mean, CI: run.Width(half),
			Games:  played.games(),
			Rounds: len(played.rounds), Distinct: len(played.differences()),
			Opening: played.opening,
		})
	}
	if e.o.Ladder != nil {
		anchor, opponent, err := e.anchor()
		if err != nil {
			return nil, err
		}
		d.rounds = e.anchorRounds()
		d.seed = e.matchSeed(anchorMatch, n.Iteration, anchor.Simulations)
		played, err := meet(opponent, arena.Contestant{Player: anchor.Player}, anchor.Player)
		if err != nil {
			return nil, err
		}
		mean, half := meanDifference(played.differences())
		f.strength.Anchor = &run.Anchor{
			Player: anchor.Player, Elo: anchor.Elo, Difference: mean, CI: run.Width(half),
			Games: played.games(), Rounds: len(played.rounds),
		}
	}
	f.strength.Elapsed = e.o.Elapsed().Seconds()
	return f, nil
}

// anchorRounds returns the number of rounds of the match against an anchor of the anchor ladder.
func (e *Series) anchorRounds() int {
	if e.o.Ladder == nil {
		return 0
	}
	return e.o.RulerGames
}

// anchor returns the anchor to play against: the weakest that is as strong as the last network that
// was rated, but not the baseline, against which every network plays.
func (e *Series) anchor() (*arena.Anchor, player.Player, error) {
	elo := math.Inf(-1)
	if n := len(e.ratings.Networks); n > 0 {
		elo = e.ratings.Networks[n-1].Rating
	}
	anchor := &e.o.Ladder.Anchors[max(1, e.o.Ladder.Above(elo, maxAnchor))]
	p, err := player.Parse(e.o.Game, anchor.Player)
	return anchor, p, err
}

// The purposes of matches. They are the first element of the path to a match's seed.
const (
	earlierMatch uint64 = iota + 2
	anchorMatch
)

// matchSeed returns the seed of a match of the network of an iteration against an opponent.
func (e *Series) matchSeed(kind uint64, iteration, opponent int) uint64 {
	seed, _ := random.Seeds(e.o.Seed, random.Arena, kind, uint64(iteration), uint64(opponent))
	return seed
}

// player returns a network as a player.
func (e *Series) player(n Network) player.Player {
	return e.o.Player(fmt.Sprintf("%s@%d", e.o.Folder.Folder, n.Iteration), n.Weights)
}

// Observe records an evaluation. seats names the seats in order.
func Observe(m *metrics.Metrics, seats []string, iteration int, s *run.Strength) {
	m.EvaluationIteration.Set(float64(iteration))
	for i, name := range seats[:min(len(seats), len(s.Points), len(s.CI))] {
		m.Points(name, s.Points[i], float64(s.CI[i]))
	}
	for i, name := range seats[:min(len(seats), len(s.Baseline))] {
		m.Anchor(name, s.Baseline[i])
	}
	if s.Elo != nil {
		low, high := s.Elo.Bounds()
		m.Rating.Set(s.Elo.Rating, low, high)
	}
}

// logStrength returns the attributes of the log line of an evaluation, whose scores are in unit.
func logStrength(iteration int, s *run.Strength, unit string) []any {
	list := []any{
		"iteration", iteration, unit, s.Seats(), "sum", s.Total(), "games_a_seat",
		s.Games, "against", s.Against,
	}
	for _, x := range s.Earlier {
		list = append(list, "against_"+run.IterationName(x.Iteration),
			fmt.Sprintf("%+.3f ± %.3f", x.Difference, float64(x.CI)))
	}
	if r := s.Anchor; r != nil {
		list = append(list, "against_"+r.Player,
			fmt.Sprintf("%+.3f ± %.3f", r.Difference, float64(r.CI)))
	}
	if s.Elo != nil {
		list = append(list, "rating", s.Elo.String())
	}
	return list
}
