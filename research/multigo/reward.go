package multigo

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"

	"tengen/arena"
	"tengen/game"
	"tengen/player"
	"tengen/research"
	"tengen/search"
)

// Reward compares the two rewards that the paper describes in its section 2: the score and the win.
// The paper prints no figures.
type Reward struct {
	research.Made `json:"made"`
	Iterations    int         `json:"iterations"`        // of training, each
	Minutes       float64     `json:"minutes,omitempty"` // of training, each; 0: not limited
	Seeds         int         `json:"seeds"`
	Arms          []RewardArm `json:"arms"`
}

// RewardArm is how the networks of one reward play: means over the seeds' means.
type RewardArm struct {
	Reward string `json:"reward"`
	// By seat, against two of another player: points (the score) and shares of the win.
	UCTPoints   []Cell `json:"against_uct_points"`
	UCTWins     []Cell `json:"against_uct_wins"`
	OtherPoints []Cell `json:"against_other_points"` // two of the other reward, same seed
	OtherWins   []Cell `json:"against_other_wins"`
}

// Rewards says how the two rewards are compared.
type Rewards struct {
	Matches
	Dir        string // of the runs
	Iterations int    // of each run's training
	// Minutes, if above 0, end each run's training too, so that runs have equal time; Iterations
	// should be more than fit.
	Minutes     float64
	Seeds       int
	Simulations int
	Set         []string // keys changed in every run
}

// rewards are the games of the two arms.
var rewards = []string{"score", "win"}

// Reward trains the networks and plays the games. If the games are interrupted, it returns the
// means so far and an error.
func (m *Rewards) Reward(
	ctx context.Context, made research.Made, log *slog.Logger,
) (*Reward, error) {
	r := &Reward{Made: made, Iterations: m.Iterations, Minutes: m.Minutes, Seeds: m.Seeds}
	r.Opening = opening
	t := &research.Training{
		Dir: m.Dir, Preset: "quick", Device: m.Device, Log: log,
		Set: append([]string{
			fmt.Sprintf("training.iterations=%d", m.Iterations), "evaluation.every=0",
			"checkpoints.keep_last=1",
		}, m.Set...),
	}
	if m.Minutes > 0 {
		t.Set = append([]string{fmt.Sprintf("training.minutes=%g", m.Minutes)}, t.Set...)
	}
	players := make([][]player.Player, len(rewards)) // [reward][seed]
	for seed := 1; seed <= m.Seeds; seed++ {
		for i, reward := range rewards {
			arm := research.Arm{
				Name: reward, Set: []string{"game=" + PaperGame + ",reward=" + reward},
			}
			run, err := t.Train(ctx, arm, seed)
			if err != nil {
				return nil, err
			}
			players[i] = append(players[i],
				variant{
					run.Plan.NetworkPlayer(fmt.Sprintf("%s-%d", reward, seed), run.Weights,
						m.Simulations), run.Plan.Game,
				})
		}
	}
	for i, reward := range rewards {
		r.Arms = append(r.Arms, RewardArm{Reward: reward})
		a := &r.Arms[i]
		var err error
		if a.UCTPoints, a.UCTWins, err = m.bySeed(ctx, r, reward, players[i],
			func(int) player.Player { return uct(player.Points).Player }, 0); err != nil {
			return r, err
		}
		if a.OtherPoints,
			a.OtherWins, err = m.bySeed(ctx, r, reward, players[i], func(seed int) player.Player {
			return players[1-i][seed]
		}, opening); err != nil {
			return r, err
		}
	}
	return r, nil
}

// bySeed plays the networks of a reward, which are by seed, in each seat against two others. It
// returns the means over seeds in points and in shares of the win, and counts the games in r. An
// interruption is as in versus.
func (m *Rewards) bySeed(
	ctx context.Context, r *Reward, reward string, players []player.Player,
	other func(seed int) player.Player, opening int,
) (points, wins []Cell, err error) {
	g := game.Must(game.New(PaperGame))
	means, shares := make([]arena.Stat, g.Players()), make([]arena.Stat, g.Players())
	for seed := 0; seed < m.Seeds && err == nil; seed++ {
		v := arena.Versus{
			Game: g, Player: players[seed], Baseline: other(seed), Games: m.Games,
			BaselineGames: -1,
			Opening:       opening, Seed: m.Seed + uint64(seed), Workers: runtime.GOMAXPROCS(0),
			GamesPerWorker: m.gamesPerWorker(),
		}
		what := fmt.Sprintf("%s, seed %d, against %s", reward, seed+1, v.Baseline.Name())
		var report *arena.Report
		report, err = v.Play(ctx, func(finished, all int) {
			if m.Progress != nil {
				m.Progress(what, finished, all)
			}
		})
		if err = r.Interrupt(what, err); err != nil &&
			(report == nil || report.Seats[0].Points.N < fewest) {
			break
		}
		r.Count(report.Games, report.Distinct)
		for p, s := range report.Seats {
			means[p].Add(s.Points.Mean)
			shares[p].Add(100 * s.Wins.Mean)
		}
	}
	if means[0].N == 0 {
		return nil, nil, err
	}
	return overSeeds(means), overSeeds(shares), err
}

// overSeeds makes cells of the means of networks, with intervals by Student's t: each is a mean of
// many games.
func overSeeds(stats []arena.Stat) []Cell {
	list := make([]Cell, len(stats))
	for i, s := range stats {
		list[i] = Cell{N: s.N, Mean: s.Mean, SD: s.SD()}
		if s.Interval().Known() {
			list[i].CI = s.CI()
		}
	}
	return list
}

// Complete implements research.Part.
func (r *Reward) Complete(string) error {
	if n := len(r.Arms); n != len(rewards) {
		return fmt.Errorf("%d arms; %d are wanted", n, len(rewards))
	}
	for _, a := range r.Arms {
		if err := complete(a.UCTPoints, a.UCTWins, a.OtherPoints, a.OtherWins); err != nil {
			return err
		}
	}
	return nil
}

// rewardPart is the part of the page for runs of equal iterations; equalTime ends the name of that
// of equal minutes.
const (
	rewardPart = "reward"
	equalTime  = "-minutes"
)

// Part returns the part of the page.
func (m *Rewards) Part() string {
	if m.Minutes > 0 {
		return rewardPart + equalTime
	}
	return rewardPart
}

// length tells how long each run was trained.
func (r *Reward) length() string {
	if r.Minutes > 0 {
		return fmt.Sprintf("%g minutes (at most %d iterations)", r.Minutes, r.Iterations)
	}
	return fmt.Sprintf("%d iterations", r.Iterations)
}

// Markdown implements research.Part.
func (r *Reward) Markdown(string, string) string {
	b := new(strings.Builder)
	title := "The two rewards"
	if r.Minutes > 0 {
		title += " in equal time"
	}
	fmt.Fprintf(b, `
## %s

The paper keeps the score as reward, and gives no figures. Here networks are trained on score and win by the preset quick,
%s each, from %d seeds; then one plays in each seat against two of another player, and each searches by its own reward.
Points are means over seeds with 95 %% intervals by Student's t, beside the share of wins.

| learned | in the others | %s |
| --- | --- | --- | --- | --- |
`, title, r.length(), r.Seeds, strings.Join(seatNames, " | "))
	for i, a := range r.Arms {
		other := rewards[1-i]
		fmt.Fprintf(b, "| %s | UCT (points) | %s |\n", a.Reward, withWins(a.UCTPoints, a.UCTWins))
		fmt.Fprintf(b, "| %s | %s | %s |\n", a.Reward, other, withWins(a.OtherPoints, a.OtherWins))
	}
	return b.String()
}

// withWins returns the points of the seats, each with its share of wins.
func withWins(points, wins []Cell) string {
	words := strings.Split(means(points), " | ")
	for i := range min(len(wins), len(words)) {
		words[i] += fmt.Sprintf(" (%.0f %%)", wins[i].Mean)
	}
	return strings.Join(words, " | ")
}

// variant is a player that plays a game by the rules of another one with the same actions. Its
// agents follow the game in a state of that other game and search from there.
type variant struct {
	player.Player
	game game.Game
}

// NewAgent makes an agent that plays the variant.
func (v variant) NewAgent(game.Game) player.Agent {
	return &variantAgent{Agent: v.Player.NewAgent(v.game), game: v.game, state: v.game.NewState()}
}

// NewEvaluator makes the evaluator for the variant's states.
func (v variant) NewEvaluator(_ game.Game, capacity int) search.Evaluator {
	return v.Player.NewEvaluator(v.game, capacity)
}

type variantAgent struct {
	player.Agent
	game  game.Game
	state game.State
}

func (a *variantAgent) Begin(rng *rand.Rand) {
	a.state.CopyFrom(a.game.NewState())
	a.Agent.Begin(rng)
}

func (a *variantAgent) Think(_ game.State, requests search.Requests) (game.Action, bool) {
	return a.Agent.Think(a.state, requests)
}

func (a *variantAgent) Played(action game.Action) {
	a.Agent.Played(action)
	a.state.Apply(action)
}
