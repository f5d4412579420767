package experiments

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"runtime"

	"tengen/arena"
	"tengen/player"
)

// DescentAblation compares what Descent learns from (every state of its search
// trees, the states played with their search's value, or these with the final
// result), and Descent with unbounded best-first minimax as the search of
// self-play. Each arm is trained for the same time, one after the other, from
// several seeds; then every network plays every network of the other arms.
type DescentAblation struct {
	Dir     string   `json:"-"`             // where the runs are kept
	Game    string   `json:"-"`             // a game for two; "": the preset's
	Minutes float64  `json:"minutes"`       // of training, each
	Seeds   int      `json:"seeds"`         // from 1 on
	Games   int      `json:"games_a_pair"`  // between each two networks
	Opening int      `json:"opening"`       // decisions drawn at the start of each game
	Search  int      `json:"iterations"`    // a move, of unbounded best-first minimax, in these games
	Seed    uint64   `json:"seed"`          // of these games
	Set     []string `json:"set,omitempty"` // keys of the configuration changed in every arm
}

// Pool is a number of arms that are compared with one another.
type Pool struct {
	Question  string
	Arms      []Arm
	Published []string // what the literature reports for each arm, in %
}

// descentPools are the experiment. The first arm of both is the same.
func descentPools() []Pool {
	tree := Arm{Name: "tree"}
	return []Pool{
		{
			Question:  "What is learned",
			Arms:      []Arm{tree, {"root", []string{"descent.targets=root"}}, {"terminal", []string{"descent.targets=terminal"}}},
			Published: []string{"78", "46–51", "14–22"},
		},
		{
			Question:  "The search of self-play",
			Arms:      []Arm{tree, {"ubfm", ubfm}},
			Published: []string{"86.5", "72.5"},
		},
	}
}

// ubfm expands about as many states a move as the preset's Descent does.
var ubfm = []string{"descent.search=ubfm", "descent.iterations=24"}

// AblationResult is what came of a DescentAblation.
type AblationResult struct {
	Experiment *DescentAblation `json:"experiment"`
	Game       string           `json:"game"`
	Pools      []PoolResult     `json:"pools"`
	CPU        int              `json:"cpus"`
	Distinct   int              `json:"distinct_games"`
	Played     int              `json:"games"`
}

// PoolResult is a pool's.
type PoolResult struct {
	Question string      `json:"question"`
	Arms     []ArmResult `json:"arms"`
}

// ArmResult is an arm's.
type ArmResult struct {
	Name      string  `json:"name"`
	Published string  `json:"published_percent"`
	Wins      Percent `json:"wins_percent"` // against the pool's other arms, a draw as half a win
	// Against is the same against each arm of the pool; the one against itself is empty.
	Against []Percent `json:"against_percent"`
	// Means over the seeds.
	TrainingGames float64 `json:"training_games"`
	Steps         float64 `json:"training_steps"`
	Evaluations   float64 `json:"evaluations"`
}

// Percent is a mean over pairs of networks, in %, with half its 95 % interval.
// Games of one network are not independent: the interval is reckoned from the
// means of the arm's networks, one a seed, by Student's t.
type Percent struct {
	Mean float64  `json:"mean"`
	CI   *float64 `json:"ci95"` // null with one seed
	N    int      `json:"games"`
}

// Run trains what is not yet trained and plays the games.
func (a *DescentAblation) Run(ctx context.Context, log *slog.Logger, progress func(what string, finished, all int)) (*AblationResult, error) {
	runs := map[string][]*trained{}
	set := []string{fmt.Sprintf("training.minutes=%g", a.Minutes)}
	if a.Game != "" {
		set = append(set, "game="+a.Game)
	}
	t := &training{dir: a.Dir, preset: "descent-ablation", set: append(set, a.Set...), log: log}
	pools := descentPools()
	for seed := 1; seed <= a.Seeds; seed++ {
		for _, pool := range pools {
			for _, arm := range pool.Arms {
				if len(runs[arm.Name]) == seed {
					continue
				}
				r, err := t.train(ctx, arm, seed)
				if err != nil {
					return nil, err
				}
				if n := r.plan.Game.Players(); n != 2 {
					return nil, fmt.Errorf("%s has %d players: the comparison is of two", r.plan.Game.Name(), n)
				}
				runs[arm.Name] = append(runs[arm.Name], r)
			}
		}
	}
	result := &AblationResult{Experiment: a, Game: runs["tree"][0].plan.Game.Name(), CPU: runtime.NumCPU()}
	for _, pool := range pools {
		p := PoolResult{Question: pool.Question}
		table, err := a.play(ctx, pool, runs, result, progress)
		if err != nil {
			return nil, err
		}
		for i, arm := range pool.Arms {
			x := ArmResult{Name: arm.Name, Published: pool.Published[i], Against: make([]Percent, len(pool.Arms))}
			var all []seedMeans
			for j := range pool.Arms {
				if j != i {
					x.Against[j] = percent([]seedMeans{table[i][j]}, a)
					all = append(all, table[i][j])
				}
			}
			x.Wins = percent(all, a)
			for _, r := range runs[arm.Name] {
				x.TrainingGames += float64(r.progress.Games) / float64(a.Seeds)
				x.Steps += float64(r.progress.Steps) / float64(a.Seeds)
				x.Evaluations += float64(r.progress.Evaluations) / float64(a.Seeds)
			}
			p.Arms = append(p.Arms, x)
		}
		result.Pools = append(result.Pools, p)
	}
	return result, nil
}

// seedMeans are the mean wins of an arm's networks, by seed, against another arm.
type seedMeans []float64

// play has every network of a pool play every one of the other arms. table[i][j]
// are the wins of arm i's networks against arm j's.
func (a *DescentAblation) play(ctx context.Context, pool Pool, runs map[string][]*trained, result *AblationResult, progress func(string, int, int)) ([][]seedMeans, error) {
	n := len(pool.Arms)
	table := make([][]seedMeans, n)
	for i := range table {
		table[i] = make([]seedMeans, n)
		for j := range table[i] {
			table[i][j] = make(seedMeans, a.Seeds)
		}
	}
	all := n * (n - 1) / 2 * a.Seeds * a.Seeds * a.Games
	done := 0
	for i := range n {
		for j := i + 1; j < n; j++ {
			for s, x := range runs[pool.Arms[i].Name] {
				for u, y := range runs[pool.Arms[j].Name] {
					m := arena.Match{
						Game:     x.plan.Game,
						Players:  []player.Player{x.plan.Learner("x", x.weights, a.Search), y.plan.Learner("y", y.weights, a.Search)},
						Seatings: [][]int{{0, 1}, {1, 0}}, Games: a.Games, Seed: a.Seed + uint64(result.Played),
						Workers: runtime.NumCPU(), GamesPerWorker: 16, Opening: a.Opening,
					}
					games, err := m.Play(ctx, func(finished int) {
						progress(pool.Question, done+finished, all)
					})
					if err != nil {
						return nil, err
					}
					done += a.Games
					result.Played += a.Games
					result.Distinct += arena.Distinct(games)
					for _, g := range games {
						won := wins(&g) / float64(a.Games*a.Seeds)
						table[i][j][s] += won
						table[j][i][u] += 1/float64(a.Games*a.Seeds) - won
					}
				}
			}
		}
	}
	return table, nil
}

// wins is 1 where the first player of the match won, 1/2 for a draw.
func wins(r *arena.Result) float64 {
	seat := r.Seating // the first player sits in seat 0 in the first seating, in 1 in the second
	switch own, other := r.Returns[seat], r.Returns[1-seat]; {
	case own > other:
		return 1
	case own < other:
		return 0
	}
	return 0.5
}

// percent is the mean of an arm's networks over its opponents.
func percent(against []seedMeans, a *DescentAblation) Percent {
	var stat arena.Stat
	for s := range a.Seeds {
		mean := 0.0
		for _, m := range against {
			mean += 100 * m[s] / float64(len(against))
		}
		stat.Add(mean)
	}
	p := Percent{Mean: stat.Mean, N: len(against) * a.Seeds * a.Seeds * a.Games}
	if a.Seeds > 1 {
		ci := arena.Student(a.Seeds-1) * stat.SD() / math.Sqrt(float64(a.Seeds))
		p.CI = &ci
	}
	return p
}
