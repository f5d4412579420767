package v1

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/nn"
	"tengen/run"
	"tengen/run/history"
	"tengen/web/board"
)

// runView describes the run; except for Status and Networks it does not change.
type runView struct {
	Name   string `json:"name"`
	Folder string `json:"folder"`
	// the command that shows the run when this server has ended
	Reopen    string        `json:"reopen"`
	Game      string        `json:"game"`
	Algorithm string        `json:"algorithm"`
	Network   string        `json:"network"`
	Seats     []string      `json:"seats"`
	Tokens    []board.Shape `json:"tokens"` // of the seats, as board.Layout has them
	Unit      string        `json:"unit"`   // of scores: points or results
	Scale     float64       `json:"scale"`  // points for a utility of one
	Policy    bool          `json:"policy"` // the network has one
	Hidden    bool          `json:"hidden"` // the game has hidden information
	Play      playLimits    `json:"play"`
	Status    *statusView   `json:"status"`
	Networks  []int         `json:"networks"` // iterations whose networks can be played against
	// Opponents are the kinds of players that can play on the page.
	Opponents []opponentView `json:"opponents"`
	Rules     rulesView      `json:"rules"`
}

type playLimits struct {
	Simulations    int `json:"simulations"` // as in the run's evaluations
	MaxSimulations int `json:"max_simulations"`
}

// statusView is the status of the run at one moment.
type statusView struct {
	// State is training (in this process), stopping (it was asked to, and commits what is
	// finished), elsewhere (in another process), finished, stopped or waiting (not begun).
	State string `json:"state"`
	// of the run: after a restart another one may be served at the same address
	Folder     string `json:"folder"`
	Message    string `json:"message,omitempty"` // why it stopped, who trains
	Iteration  int    `json:"iteration"`
	Iterations int    `json:"iterations"`
	// of the run that is done, 0 to 1: see configs.Config.Share
	Share     float64     `json:"share"`
	Limit     float64     `json:"limit_seconds"` // of the run's time; 0: none
	Stages    []stageView `json:"stages"`
	Games     float64     `json:"games"`
	Rate      float64     `json:"games_per_second"`
	Evals     float64     `json:"evaluations_per_second"`
	CacheHits float64     `json:"cache_hits"`
	Elapsed   float64     `json:"elapsed_seconds"`
	Left      float64     `json:"left_seconds"` // 0: unknown
	Warnings  []warning   `json:"warnings"`
	Version   int         `json:"version"` // of the history: another number, other figures
}

// stageView is one stage of an iteration.
type stageView struct {
	Name   string `json:"name"`
	Unit   string `json:"unit"` // of done and all
	Active bool   `json:"active"`
	Done   int    `json:"done"`
	All    int    `json:"all"`            // 0: not known
	Note   string `json:"note,omitempty"` // which network is measured beside the run
}

// run describes the run for the page's head.
func (api *API) run() *runView {
	c := api.config
	_, hidden := api.game.NewState().(game.ImperfectInformation)
	v := &runView{
		Name: api.folder.Name(), Folder: string(api.folder),
		Reopen: notation.Command("serve", notation.Path(string(api.folder))), Game: api.game.Name(),
		Algorithm: string(c.Algorithm),
		Seats:     game.SeatNames(api.game),
		Tokens:    api.drawer.Layout().Seats, Scale: game.PointsPerUtility(api.game),
		Hidden: hidden, Unit: game.ScoreUnit(api.game),
		Play: playLimits{
			min(maxSimulations, cmp.Or(c.Evaluation.Simulations, 180)), maxSimulations,
		},
		Networks: api.models.iterations(), Status: api.status(),
	}
	v.Network, v.Policy = networkOf(c, api.game)
	v.Opponents, v.Rules = api.opponents(v.Policy), rulesOf(api.game)
	return v
}

func networkOf(c *configs.Config, g game.Game) (name string, policy bool) {
	spec, err := run.NetworkSpec(c, g)
	if err != nil {
		return "", false
	}
	return spec.Size(), spec.Policy != nn.PolicyNone
}

// status returns the current status: from this process if it trains the run, else from the run's
// folder.
func (api *API) status() *statusView {
	h, done, err := api.history()
	defer done()
	if err != nil {
		api.options.Log.Warn("the live page lacks what has just happened", "reason", err)
	}
	v := &statusView{
		Folder: string(api.folder), Iteration: h.Iteration(), Warnings: warningsOf(h),
		Version: h.Version,
	}
	v.Games, _ = h.Iterations.Last("games")
	v.Iterations = api.config.Training.Iterations
	v.Elapsed, v.Limit = h.Took(), 60*api.config.Training.Minutes
	var now run.Status
	if api.options.Status != nil {
		now = api.options.Status()
	}
	switch {
	case now.State == run.Complete:
		v.State = "finished" // also where the event log can't be written
	case now.State == run.Stopped:
		v.State, v.Message = "stopped", now.Message
	case h.Last.Kind == run.EventStop:
		v.State, v.Message = "stopped", h.Last.Message
		if h.State() == history.Complete {
			v.State, v.Message = "finished", ""
		}
	case api.options.Status != nil && now.Iterations > 0:
		v.State = "training"
		if now.State == run.Stopping {
			v.State = "stopping"
		}
		v.Iteration, v.Iterations = now.Iteration, now.Iterations
		v.Rate, v.Evals, v.CacheHits = now.GamesPerSecond, now.EvaluationsPerSecond, now.CacheHits
		v.Elapsed = h.Elapsed(api.options.Now())
		v.Left = max(0, now.Left.Seconds())
	case api.options.Status != nil || h.Last.Kind == "":
		v.State = "waiting"
	default:
		v.State, v.Message = api.elsewhere(h.Last.Time)
		if v.State == "stopped" && v.Iterations > 0 && v.Iteration >= v.Iterations {
			v.State, v.Message = "finished", ""
		}
		if v.State == "elsewhere" {
			left, _ := h.Left(v.Iterations, api.options.Now())
			v.Left = left.Seconds()
		}
	}
	v.Share = h.Share(v.Elapsed)
	if v.State == "finished" {
		v.Share = 1
	}
	for _, s := range run.Stages() {
		x := stageView{Name: s.Title(), Unit: s.Unit()}
		if v.State == "training" && now.Stage == s {
			x.Active, x.Done, x.All = true, now.Done, now.All
		}
		if b := now.Concurrent; v.State == "training" && b != nil && s == run.StageEvaluation {
			x.Active, x.Done, x.All, x.Note = true, b.Done, b.All,
				fmt.Sprintf("of iteration %d", b.Iteration)
		}
		v.Stages = append(v.Stages, x)
	}
	return v
}

// elsewhere reports whether another process trains in the folder.
func (api *API) elsewhere(last time.Time) (state, message string) {
	holder, err := api.folder.Holder()
	switch {
	case err != nil && !errors.Is(err, errors.ErrUnsupported):
		return "stopped", ""
	case err != nil && api.options.Now().Sub(last) < 15*time.Minute:
		return "elsewhere", "" // no locks here: judged by when it was last heard of
	case holder != nil:
		return "elsewhere", holder.Describe(api.options.Now())
	}
	return "stopped", "interrupted"
}
