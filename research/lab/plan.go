package lab

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"tengen/arena"
	"tengen/configs"
	"tengen/game"
	"tengen/nash"
	"tengen/player"
	"tengen/research"
	"tengen/run"
	"tengen/trainer"
)

// Lab is a checked file, and what follows from it.
type Lab struct {
	File *File
	Game game.Game
	Arms []Arm
	// Simulations and Opening are those of the matches.
	Simulations, Opening int

	opponents []opponent

	// For File.Exploit: the game's tree, the unit of NashConv, and what a utility is in it.
	tree       *nash.Tree
	unitOfNash string
	perUtility float64
}

// Arm is an arm with its configuration.
type Arm struct {
	Name   string
	Base   string
	Config configs.Config // the seed is that of no run
	// Keys are those that differ from the first arm.
	Keys []configs.Change
}

// opponent is an Opponent that can play.
type opponent struct {
	Opponent
	player player.Player
	digest string // of its network; "" without one
}

// New checks a file: the configurations of its arms, the players, the matches.
func New(f *File, d research.Device) (*Lab, error) {
	l := &Lab{File: f}
	for i := range f.Arms {
		arm, err := f.arm(i)
		if err != nil {
			return nil, err
		}
		p, err := arm.plan(f.Seeds[0], 1, d)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: arm %s: %w", f.Path, f.Arms[i].line, arm.Name, err)
		}
		if i == 0 {
			l.Game = p.Game
		} else {
			arm.Keys = configs.Changes(&l.Arms[0].Config, &arm.Config)
		}
		if unit, first := arm.budget().unit, l.unit(arm); unit != first {
			return nil, fmt.Errorf("%s:%d: arm %s ends by its %s and arm %s by its %s: one kind of budget is wanted (training.evaluations, .minutes or .iterations)", f.Path, f.Arms[i].line, arm.Name, unit, l.Arms[0].Name, first)
		}
		if name := p.Game.Name(); name != l.Game.Name() {
			return nil,
				fmt.Errorf("%s:%d: arm %s learns %s and arm %s %s: arms of one game are wanted",
					f.Path, f.Arms[i].line, arm.Name, name, l.Arms[0].Name, l.Game.Name())
		}
		l.Arms = append(l.Arms, *arm)
	}
	if l.Simulations = f.Match.Simulations; l.Simulations == 0 {
		l.Simulations = l.Arms[0].Config.Evaluation.Simulations
	}
	if err := l.prepareExploit(); err != nil {
		return nil, err
	}
	for _, o := range f.Against {
		p, err := d.Parse(l.Game, o.Player)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", f.Path, o.line, err)
		}
		digest, err := player.NetworkDigest(o.Player)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", f.Path, o.line, err)
		}
		l.opponents = append(l.opponents, opponent{o, p, digest})
	}
	if l.Opening = f.Match.Opening; l.Opening < 0 {
		// As in the gate's matches: so many decisions hardly ever repeat an opening.
		l.Opening = l.Game.Players() + 1
		if arena.DefaultOpening(l.Game, []player.Player{&player.AlphaZero{}}) == 0 {
			l.Opening = 0
		}
	}
	return l, nil
}

// unit returns the unit of the first arm's budget; arm is the first if there is none yet.
func (l *Lab) unit(arm *Arm) string {
	if len(l.Arms) > 0 {
		arm = &l.Arms[0]
	}
	return arm.budget().unit
}

// arm resolves the configuration of an arm. A run that ends by its evaluations or its time has as
// many iterations as it needs, unless the file says how many.
func (f *File) arm(i int) (*Arm, error) {
	keys := f.Arms[i]
	arm := &Arm{Name: keys.Name, Base: keys.Base}
	if arm.Base == "" {
		arm.Base = f.Base
	}
	o := configs.Options{Name: arm.Base, Layers: []configs.Layer{keys.keys}}
	if f.common.Keys != nil {
		o.Layers = slices.Insert(o.Layers, 0, f.common)
	}
	r, err := configs.Resolve(o)
	if err != nil {
		return nil, err
	}
	arm.Config = r.Config
	t := &arm.Config.Training
	if (t.Evaluations > 0 || t.Minutes > 0) && t.Schedule != "steps" &&
		r.Sources["training.iterations"].File != f.Path {
		t.Iterations = maxIterations
	}
	return arm, nil
}

// plan returns the plan of an arm's run from a seed, on a number of cores.
func (a *Arm) plan(seed uint64, cores int, d research.Device) (*trainer.Plan, error) {
	c := a.Config
	c.Seed = seed
	if c.SelfPlay.Workers == 0 {
		c.SelfPlay.Workers = cores
	}
	p, err := trainer.NewPlan(&c)
	if err != nil {
		return nil, err
	}
	p.Backend = d.Backend
	return p, nil
}

// differences returns the changes between two configurations that make another run.
func differences(a, b *configs.Config) []configs.Change {
	return slices.DeleteFunc(configs.Changes(a, b), func(c configs.Change) bool {
		group, _, _ := strings.Cut(c.Key, ".")
		return group == "selfplay" || group == "checkpoints" || group == "metrics"
	})
}

// Names in a lab's folder.
const (
	runsFolder    = "runs"
	matchesFolder = "matches"
	lockFile      = "LOCK"
)

// folder returns the folder of an arm's run from a seed: ARM-SEED, or if that holds a run of
// another configuration, the first of ARM-SEED.2, ARM-SEED.3 and so on that does not. changes are
// those since the run in the last folder that it passed over.
func (l *Lab) folder(
	dir string, arm int, seed uint64,
) (f run.Folder, changes []configs.Change, err error) {
	want := l.Arms[arm].Config
	want.Seed = seed
	name := filepath.Join(dir, runsFolder, fmt.Sprintf("%s-%d", l.Arms[arm].Name, seed))
	for k := 1; ; k++ {
		f = run.Folder(numberedName(name, k))
		if !f.Exists() {
			return f, changes, nil
		}
		written, err := f.ReadConfig()
		if err != nil {
			return f, nil, err
		}
		other := differences(written, &want)
		if len(other) == 0 {
			return f, nil, nil
		}
		changes = other
	}
}

// numberedName returns the name of the k-th of several folders with a name, from 1.
func numberedName(name string, k int) string {
	if k == 1 {
		return name
	}
	return fmt.Sprintf("%s.%d", name, k)
}

// network is a trained network of an arm.
type network struct {
	*research.Trained
	folder run.Folder
	digest string
	// nashConv is in Lab.unitOfNash; nil if it is not measured.
	nashConv *float64
}

func newNetwork(folder run.Folder, t *research.Trained) *network {
	return &network{Trained: t, folder: folder, digest: t.Params.Digest()}
}

// player returns the network as a player. Unless match.search is own, its search is the first
// arm's, so that what was learned is compared. The name says what distinguishes it from others of
// the lab, wherever its folder is.
func (l *Lab) player(n *network) player.Player {
	name := fmt.Sprintf("%s, %d simulations", n.folder.Name(), l.Simulations)
	plan, config := l.searching(n)
	if config == n.Plan.Config {
		return plan.SelfPlayer(name, n.Weights, l.Simulations)
	}
	if !reflect.DeepEqual(plan.SelfPlayer(name, n.Weights, l.Simulations),
		n.Plan.SelfPlayer(name, n.Weights, l.Simulations)) {
		name += ", search of " + l.Arms[0].Name
	}
	return plan.SelfPlayer(name, n.Weights, l.Simulations)
}

// searching returns the plan with whose search a network plays, and its configuration: the
// network's own, or that with the first arm's search.
func (l *Lab) searching(n *network) (*trainer.Plan, *configs.Config) {
	first, own := &l.Arms[0].Config, n.Plan.Config
	if l.File.Match.OwnSearch || first.Algorithm != own.Algorithm ||
		first.Algorithm == configs.AlgorithmDescent {
		return n.Plan, own
	}
	plan, config := *n.Plan, *own
	config.Search = first.Search
	// it is how the network is asked
	config.Search.Canonical, config.Search.Afterstates = own.Search.Canonical,
		own.Search.Afterstates
	plan.Config = &config
	return &plan, &config
}

// tournament returns the match of two networks, or of a network alone against an opponent.
func (l *Lab) tournament(
	m match, a *network, b *network, workers int, d research.Device,
) *arena.Tournament {
	t := &arena.Tournament{
		Game: l.Game, Seed: l.matchSeed(m), Opening: l.Opening, Anchor: 1,
		Games:   l.File.Match.Games,
		Workers: workers, GamesPerWorker: d.GamesPerWorker(16),
	}
	if m.opponent < 0 {
		t.Players, t.Networks = []player.Player{l.player(a), l.player(b)},
			[]string{a.digest, b.digest}
	} else {
		o := l.opponents[m.opponent]
		t.Players, t.Networks, t.Games, t.Alone = []player.Player{l.player(a), o.player},
			[]string{a.digest, o.digest}, o.Games, true
	}
	t.Games = max(t.Games, len(must(arena.Seatings(2, l.Game.Players()))))
	return t
}

func must[T any](x T, err error) T {
	if err != nil {
		panic("lab: a checked game was refused: " + err.Error())
	}
	return x
}

// matchSeed returns the seed of a match's games. It depends on the names of those who play, so that
// other arms or seeds in the file change nothing.
func (l *Lab) matchSeed(m match) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, l.matchName(m))
	return l.File.Match.Seed ^ h.Sum64()
}

// match is a pairing of two arms' networks, or of an arm's network and an opponent.
type match struct {
	arm, seed     int // indexes
	other, column int // arm and seed of the other network
	opponent      int // -1: another network
}

// matchName returns the name of a match, by arms and seeds.
func (l *Lab) matchName(m match) string {
	own := fmt.Sprintf("%s-%d", l.Arms[m.arm].Name, l.File.Seeds[m.seed])
	if m.opponent >= 0 {
		return own + " vs " + l.opponents[m.opponent].player.Name()
	}
	return own + " vs " + fmt.Sprintf("%s-%d", l.Arms[m.other].Name, l.File.Seeds[m.column])
}

// matches returns all matches, those of the first seeds first.
func (l *Lab) matches() []match {
	var list []match
	for s := range l.File.Seeds {
		for _, pair := range l.pairs() {
			for k := range s + 1 {
				list = append(list, match{pair[0], s, pair[1], k, -1})
				if k != s {
					list = append(list, match{pair[0], k, pair[1], s, -1})
				}
			}
		}
		for o := range l.opponents {
			for arm := range l.Arms {
				list = append(list, match{arm: arm, seed: s, opponent: o})
			}
		}
	}
	return list
}

// pairs returns the pairs of arms that play each other.
func (l *Lab) pairs() [][2]int {
	var list [][2]int
	for a := 1; a < len(l.Arms); a++ {
		for b := range a {
			if !l.File.Match.None && (b == 0 || l.File.Match.All) {
				list = append(list, [2]int{a, b})
			}
		}
	}
	return list
}

// stage returns the seeds' number, from 0, whose networks a match needs.
func (m match) stage() int { return max(m.seed, m.column) }

// DefaultDir returns the folder of a file's runs and matches: runs/lab/NAME.
func DefaultDir(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return filepath.Join("runs", "lab", name)
}

// exists reports whether a file or folder exists.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// budget is what limits an arm's runs: evaluations, time or iterations.
type budget struct {
	unit string
	all  int
	done func(run.Status) int
}

// Units of budgets.
const (
	unitEvaluations = "evaluations"
	unitSeconds     = "seconds"
	unitIterations  = "iterations"
)

func (a *Arm) budget() budget {
	switch t := a.Config.Training; {
	case t.Evaluations > 0:
		return budget{unitEvaluations, t.Evaluations, func(s run.Status) int {
			if s.Last == nil {
				return 0
			}
			return min(int(s.Last.Asked), t.Evaluations)
		}}
	case t.Minutes > 0:
		return budget{unitSeconds, int(60 * t.Minutes), func(s run.Status) int {
			if s.Last == nil {
				return 0
			}
			return min(int(s.Last.Elapsed), int(60*t.Minutes))
		}}
	default:
		return budget{unitIterations, t.Iterations, func(s run.Status) int { return s.Iteration }}
	}
}
