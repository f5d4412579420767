package v1

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/interval"
	"tengen/internal/machine"
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
func (api *API) run(ctx context.Context) *runView {
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
		Networks: api.models.iterations(), Status: api.status(ctx),
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
func (api *API) status(ctx context.Context) *statusView {
	h, done, err := api.history(ctx)
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

// Device is the readings of an accelerator; unknown ones are NaN.
type Device struct {
	Name        string  // "cuda:0"
	Utilization float64 // 0 to 1
	MemoryUsed  float64 // bytes
	MemoryTotal float64 // bytes
	Power       float64 // watts
	Temperature float64 // °C
	Lost        bool
}

// Samples of what training uses: at most one in sampleEvery, while somebody looks, and the last
// ones of them.
const (
	sampleEvery = 2 * time.Second
	maxSamples  = 600
)

// sampler samples what the process that trains uses. It is safe for concurrent use.
type sampler struct {
	now     func() time.Time
	usage   func(pid int) (machine.Usage, error)
	devices func() []Device // nil: there are none

	mu      sync.Mutex
	pid     int // of last
	last    machine.Usage
	at      time.Time // of last
	samples []sample
}

// sample is what was used up to a moment since the one before.
type sample struct {
	Time    time.Time `json:"time"`
	Cores   float64   `json:"cores"`  // busy
	Memory  uint64    `json:"memory"` // bytes
	Devices []float64 `json:"devices"`
}

// machineView is what the machine has and what training uses of it.
type machineView struct {
	Known     bool         `json:"known"` // a process trains, and what it uses is known
	Cores     int          `json:"cores"`
	Memory    uint64       `json:"memory"` // bytes, 0: unknown
	Available uint64       `json:"available"`
	Load      float64      `json:"load"`
	Devices   []deviceView `json:"devices"`
	Samples   []sample     `json:"samples"` // the oldest first
}

// deviceView is a Device, with null for what is unknown.
type deviceView struct {
	Name        string   `json:"name"`
	Utilization *float64 `json:"utilization"`
	MemoryUsed  *float64 `json:"memory_used"`
	MemoryTotal *float64 `json:"memory_total"`
	Power       *float64 `json:"power"`
	Temperature *float64 `json:"temperature"`
	Lost        bool     `json:"lost"`
}

// look samples what process pid uses, 0: none, and returns everything that is known.
func (m *sampler) look(pid int) *machineView {
	m.mu.Lock()
	defer m.mu.Unlock()
	has := machine.Has()
	v := &machineView{
		Cores: has.Cores, Memory: has.Memory, Available: has.Available, Load: has.Load,
		Devices: []deviceView{},
	}
	var devices []Device
	if m.devices != nil {
		devices = m.devices()
	}
	busy := []float64{}
	for _, d := range devices {
		x := deviceView{
			d.Name, interval.OrNull(d.Utilization), interval.OrNull(d.MemoryUsed),
			interval.OrNull(d.MemoryTotal), interval.OrNull(d.Power),
			interval.OrNull(d.Temperature), d.Lost,
		}
		v.Devices = append(v.Devices, x)
		if x.Utilization == nil {
			x.Utilization = new(float64)
		}
		busy = append(busy, *x.Utilization)
	}
	now := m.now()
	used, err := m.usage(pid)
	v.Known = pid != 0 && err == nil
	switch passed := now.Sub(m.at); {
	case !v.Known:
		m.pid = 0
	case pid != m.pid || passed < 0 || used.CPU < m.last.CPU:
		m.pid, m.last, m.at, m.samples = pid, used, now, nil // another process
	case passed >= sampleEvery:
		m.samples = append(m.samples,
			sample{now, float64(used.CPU-m.last.CPU) / float64(passed), used.Resident, busy})
		if n := len(m.samples); n > maxSamples {
			m.samples = slices.Clone(m.samples[n-maxSamples:])
		}
		m.last, m.at = used, now
	}
	v.Samples = append([]sample{}, m.samples...)
	return v
}

// trainer returns the process that trains the run on this machine, 0 if there is none.
func (api *API) trainer() int {
	if api.options.Status != nil {
		return os.Getpid()
	}
	holder, err := api.folder.Holder()
	if err != nil || holder == nil {
		return 0
	}
	if host, err := os.Hostname(); err != nil || host != holder.Host {
		return 0
	}
	return holder.PID
}

// getMachine answers with what training uses of the machine.
func (api *API) getMachine(w http.ResponseWriter, r *http.Request) {
	api.answer(w, r, api.machine.look(api.trainer()), nil)
}

// maxWorkers is the most workers that an answer lists. Those that are refused come first, then
// those that play, fastest first.
const maxWorkers = 200

// clusterView is what the page shows of workers on other machines.
type clusterView struct {
	run.Cluster
	// Known is false if this process has no workers on other machines; everything else is empty
	// then.
	Known   bool    `json:"known"`
	All     int     `json:"all"` // workers, the listed and the others
	Playing int     `json:"playing"`
	Rate    float64 `json:"evaluations_per_second"` // of all that play
	// Builds and Paths are the numbers of playing workers by build and by kernel path.
	Builds map[string]int `json:"builds"`
	Paths  map[string]int `json:"kernel_paths"`
}

func (api *API) getCluster(w http.ResponseWriter, r *http.Request) {
	api.answer(w, r, api.cluster(), nil)
}

func (api *API) cluster() *clusterView {
	v := &clusterView{Builds: map[string]int{}, Paths: map[string]int{}}
	if api.options.Cluster == nil {
		return v
	}
	v.Known, v.Cluster = true, api.options.Cluster()
	v.All = len(v.Workers)
	for i := range v.Workers {
		if x := &v.Workers[i]; x.Alive {
			v.Playing++
			v.Rate += x.Rate
			v.Builds[x.Build]++
			v.Paths[x.Kernels]++
		}
	}
	slices.SortStableFunc(v.Workers, func(a, b run.Worker) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(b.Rate, a.Rate))
	})
	v.Workers = v.Workers[:min(len(v.Workers), maxWorkers)]
	return v
}

func rank(w *run.Worker) int {
	switch {
	case w.Reason != "":
		return 0
	case w.Alive:
		return 1
	}
	return 2
}
