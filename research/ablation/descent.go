package ablation

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"runtime"
	"strings"

	"tengen/arena"
	"tengen/internal/interval"
	"tengen/player"
	"tengen/research"
)

// Ablation compares what Descent learns from (every state of its search trees, the states played
// with the value of their search, or the states played with the final result), and Descent with
// unbounded best-first minimax as the search of self-play. Run trains each arm for the same time,
// one after another, from several seeds; then each network plays each network of the other arms.
type Ablation struct {
	Dir     string  `json:"-"`            // where the runs are kept
	Game    string  `json:"-"`            // a game for two; "": the preset's
	Minutes float64 `json:"minutes"`      // of training of each network
	Seeds   int     `json:"seeds"`        // from 1 on
	Games   int     `json:"games_a_pair"` // between two networks
	Opening int     `json:"opening"`      // decisions drawn at random at the start of each game
	// of a move, of unbounded best-first minimax, in these games
	Search int      `json:"iterations"`
	Seed   uint64   `json:"seed"`          // of these games
	Set    []string `json:"set,omitempty"` // keys of the configuration changed in every arm

	Device research.Device `json:"-"` // trains and evaluates
}

// Pool is a set of arms that are compared with each other.
type Pool struct {
	Question  string
	Arms      []research.Arm
	Published []string // what the literature reports for each arm, in %
}

// pools returns the experiment. The first arm of both pools is the same.
func pools() []Pool {
	tree := research.Arm{Name: "tree"}
	return []Pool{
		{
			Question: "What is learned",
			Arms: []research.Arm{
				tree, {Name: "root", Set: []string{"descent.targets=root"}},
				{Name: "terminal", Set: []string{"descent.targets=terminal"}},
			},
			Published: []string{"78", "46–51", "14–22"},
		},
		{
			Question:  "The search of self-play",
			Arms:      []research.Arm{tree, {Name: "ubfm", Set: ubfm}},
			Published: []string{"86.5", "72.5"},
		},
	}
}

// ubfm are the keys with which unbounded best-first minimax expands about as many states a move as
// the preset's Descent.
var ubfm = []string{"descent.search=ubfm", "descent.iterations=24"}

// Result is the result of an Ablation.
type Result struct {
	Experiment *Ablation    `json:"experiment"`
	Game       string       `json:"game"`
	Pools      []PoolResult `json:"pools"`
	CPU        int          `json:"cpus"`
	Distinct   int          `json:"distinct_games"`
	Played     int          `json:"games"`
	// Interrupted says which games count if the games were interrupted.
	Interrupted *arena.Interrupted `json:"interrupted,omitempty"`
}

// PoolResult is the result of a pool.
type PoolResult struct {
	Question string      `json:"question"`
	Arms     []ArmResult `json:"arms"`
}

// ArmResult is the result of an arm.
type ArmResult struct {
	Name      string `json:"name"`
	Published string `json:"published_percent"`
	// against the pool's other arms, a draw counted as half a win
	Wins Percent `json:"wins_percent"`
	// Against is the same against each arm of the pool; the element of the arm itself is zero.
	Against []Percent `json:"against_percent"`
	// Means over the seeds.
	TrainingGames float64 `json:"training_games"`
	Steps         float64 `json:"training_steps"`
	Evaluations   float64 `json:"evaluations"`
}

// Percent is a mean over pairs of networks, in %, with half its 95 % interval.
// Games of one network are not independent: the interval is computed by Student's t from the
// means of the arm's networks, one for each seed. After an interruption the mean is over those
// networks that have played.
type Percent struct {
	Mean float64  `json:"mean"`
	CI   *float64 `json:"ci95"` // null with one seed, and where all networks win as much
	N    int      `json:"games"`
}

// Run trains the networks that are not yet trained and plays the games. If the games are
// interrupted, it returns the result so far and an *arena.Interrupted.
func (a *Ablation) Run(
	ctx context.Context, log *slog.Logger, progress func(what string, finished, all int),
) (*Result, error) {
	runs := map[string][]*research.Trained{}
	set := []string{fmt.Sprintf("training.minutes=%g", a.Minutes)}
	if a.Game != "" {
		set = append(set, "game="+a.Game)
	}
	t := &research.Training{
		Dir: a.Dir, Preset: "descent-ablation", Set: append(set, a.Set...),
		Device: a.Device, Log: log,
	}
	for seed := 1; seed <= a.Seeds; seed++ {
		for _, pool := range pools() {
			for _, arm := range pool.Arms {
				if len(runs[arm.Name]) == seed {
					continue
				}
				r, err := t.Train(ctx, arm, seed)
				if err != nil {
					return nil, err
				}
				if n := r.Plan.Game.Players(); n != 2 {
					return nil, fmt.Errorf("%s has %d players: the comparison is of two",
						r.Plan.Game.Name(), n)
				}
				runs[arm.Name] = append(runs[arm.Name], r)
			}
		}
	}
	result := &Result{
		Experiment: a, Game: runs["tree"][0].Plan.Game.Name(), CPU: runtime.GOMAXPROCS(0),
	}
	for _, pool := range pools() {
		p := PoolResult{Question: pool.Question}
		table, err := a.play(ctx, pool, runs, result, progress)
		if result.Interrupted = arena.InterruptedBy(err); err != nil && result.Interrupted == nil {
			return nil, err
		}
		for i, arm := range pool.Arms {
			x := ArmResult{
				Name: arm.Name, Published: pool.Published[i],
				Against: make([]Percent, len(pool.Arms)),
			}
			var all []seedMeans
			for j := range pool.Arms {
				if j != i {
					x.Against[j] = percent([]seedMeans{table[i][j]}, a)
					all = append(all, table[i][j])
				}
			}
			x.Wins = percent(all, a)
			for _, r := range runs[arm.Name] {
				x.TrainingGames += float64(r.Progress.Games) / float64(a.Seeds)
				x.Steps += float64(r.Progress.Steps) / float64(a.Seeds)
				x.Evaluations += float64(r.Progress.Evaluations) / float64(a.Seeds)
			}
			p.Arms = append(p.Arms, x)
		}
		result.Pools = append(result.Pools, p)
		if result.Interrupted != nil {
			return result, result.Interrupted
		}
	}
	return result, nil
}

// seedMeans are the wins of an arm's networks, by seed, against another arm.
type seedMeans []seedMean

// seedMean is the wins of a network against those of another arm: their sum, divided by the number
// of games that are to be played, and the number of games played.
type seedMean struct {
	share float64
	games int
}

// mean returns the mean wins of a network that has played, 0 to 1.
func (m seedMean) mean(a *Ablation) float64 {
	if all := a.Games * a.Seeds; m.games != all {
		return m.share * float64(all) / float64(m.games)
	}
	return m.share
}

// play plays each network of a pool against each network of the pool's other arms. table[i][j]
// are the wins of arm i's networks against arm j's. If it is interrupted, it returns the wins so
// far and an *arena.Interrupted.
func (a *Ablation) play(
	ctx context.Context, pool Pool, runs map[string][]*research.Trained, result *Result,
	progress func(string, int, int),
) ([][]seedMeans, error) {
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
						Game: x.Plan.Game,
						Players: []player.Player{
							x.Plan.NetworkPlayer("x", x.Weights, a.Search),
							y.Plan.NetworkPlayer("y", y.Weights, a.Search),
						},
						Seatings: [][]int{{0, 1}, {1, 0}}, Games: a.Games,
						Seed:    a.Seed + uint64(result.Played),
						Workers: runtime.GOMAXPROCS(0), GamesPerWorker: a.Device.GamesPerWorker(16),
						Opening: a.Opening,
					}
					games, err := m.Play(ctx, func(finished int) {
						progress(pool.Question, done+finished, all)
					})
					result.Played += len(games)
					result.Distinct += arena.Distinct(games)
					for _, g := range games {
						won := research.Won(&g) / float64(a.Games*a.Seeds)
						table[i][j][s].share += won
						table[i][j][s].games++
						table[j][i][u].share += 1/float64(a.Games*a.Seeds) - won
						table[j][i][u].games++
					}
					if ended := arena.InterruptedBy(err); ended != nil {
						return table, ended.And(done, all)
					}
					if err != nil {
						return nil, err
					}
					done += a.Games
				}
			}
		}
	}
	return table, nil
}

// percent returns the mean of an arm's networks over its opponents.
func percent(against []seedMeans, a *Ablation) Percent {
	var stat arena.Stat
	var p Percent
	for s := range a.Seeds {
		mean, opponents := 0.0, 0
		for _, m := range against {
			if m[s].games > 0 {
				opponents++
				p.N += m[s].games
			}
		}
		for _, m := range against {
			if m[s].games > 0 {
				mean += 100 * m[s].mean(a) / float64(opponents)
			}
		}
		if opponents > 0 {
			stat.Add(mean)
		}
	}
	p.Mean = stat.Mean
	p.CI = interval.OrNull(stat.CI())
	return p
}

// WriteMarkdown writes the result as tables. command is the command that produced them, machine
// the machine that it ran on.
func (r *Result) WriteMarkdown(w io.Writer, command, machine string) error {
	e := r.Experiment
	b := new(strings.Builder)
	fmt.Fprintf(b, `# What Descent learns from, and how it searches

Cohen-Solal (*Learning to Play Two-Player Perfect-Information Games without Knowledge*, 2020) claims that learning from all states
of the search trees wins 78 %% of games, from the states played 46–51 %% (with their searches' values) or 14–22 %% (with the
result), and that Descent in self-play wins 86.5 %% where unbounded best-first minimax wins 72.5 %%.
%s
Intervals are by Student's t over %d seeds on one small game, after %g minutes of training each on %s.
Then each network played %d games against each of the other variants: unbounded best-first minimax with %d iterations, the first %d
decisions drawn at random; %d games, %d of them distinct. A draw counts as half a win.

    %s

Machine: %s.
`, r.found(), e.Seeds, e.Minutes, "`"+r.Game+"`", e.Games, e.Search, e.Opening, r.Played, r.Distinct, command, machine)
	if r.Interrupted != nil {
		fmt.Fprintf(b, "\n%s.\n", r.Interrupted.Note())
	}
	for _, p := range r.Pools {
		fmt.Fprintf(b, "\n## %s\n\n| variant | wins | published |", p.Question)
		for _, arm := range p.Arms {
			fmt.Fprintf(b, " against %s |", arm.Name)
		}
		b.WriteString(
			" games learned from | training steps | network evaluations |\n| --- | --- | --- |")
		b.WriteString(strings.Repeat(" --- |", len(p.Arms)+3) + "\n")
		for i, arm := range p.Arms {
			fmt.Fprintf(b, "| %s | %v | %s |", arm.Name, arm.Wins, arm.Published)
			for j, x := range arm.Against {
				if i == j {
					b.WriteString(" |")
					continue
				}
				fmt.Fprintf(b, " %v |", x)
			}
			fmt.Fprintf(b, " %.0f | %.0f | %.0f |\n", arm.TrainingGames, arm.Steps, arm.Evaluations)
		}
	}
	b.WriteString(`
- tree: all states of the search trees with their minimax values; root: the states played with the values of their searches;
  terminal: the states played with the game's result. Self-play searches with Descent, 2 iterations a move.
- ubfm: as tree, but self-play searches with unbounded best-first minimax, 24 iterations a move.
- Published: mean wins over nine games for two, with runs of days.
`)
	_, err := io.WriteString(w, b.String())
	return err
}

// found says in a sentence how the first arm of each pool fares against the others, and which of
// the differences the intervals show.
func (r *Result) found() string {
	var all, shown []string
	intervals := false
	for _, p := range r.Pools {
		for i, arm := range p.Arms {
			if i == 0 || i >= len(p.Arms[0].Against) {
				continue
			}
			if x := p.Arms[0].Against[i]; x.N > 0 {
				pair := p.Arms[0].Name + " against " + arm.Name
				all = append(all, fmt.Sprintf("%s %v %%", pair, x))
				intervals = intervals || x.CI != nil
				if x.CI != nil && math.Abs(x.Mean-50) > *x.CI {
					shown = append(shown, pair)
				}
			}
		}
	}
	switch {
	case len(all) == 0:
		return "Nothing has been played here."
	case !intervals:
		return "Here the first of each pair wins: " + strings.Join(all, ", ") +
			"; one seed gives no interval."
	case len(shown) == 0:
		return "Here the first of each pair wins: " + strings.Join(all, ", ") +
			"; every interval contains 50 %."
	}
	return "Here the first of each pair wins: " + strings.Join(all, ", ") +
		"; intervals that exclude 50 %: " + strings.Join(shown, ", ") + "."
}

// String is "62.5 ± 8.1", "–" without games.
func (p Percent) String() string {
	if p.N == 0 {
		return "–"
	}
	if p.CI == nil {
		return fmt.Sprintf("%.1f", p.Mean)
	}
	return fmt.Sprintf("%.1f ± %.1f", p.Mean, *p.CI)
}
