package lab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"tengen/arena"
	"tengen/configs"
	"tengen/game"
	"tengen/nash"
	"tengen/player"
	"tengen/run"
	"tengen/vfs"
)

// opened is a match with its store, nil if there is none yet.
type opened struct {
	*arena.Tournament
	missing int // games
}

// open opens a match of trained networks; nil if a network is missing. If create is not set and no
// folder holds a match of these players, it has no store. The store must be closed.
func (r *running) open(m match, create bool) (*opened, error) {
	r.mu.Lock()
	a, b := r.networks[place{m.arm, m.seed}], r.networks[place{m.other, m.column}]
	r.mu.Unlock()
	if a == nil || m.opponent < 0 && b == nil {
		return nil, nil
	}
	t := r.tournament(m, a, b, r.cores(), r.Device)
	if err := t.Validate(); err != nil {
		return nil, err
	}
	seatings := len(must(arena.Seatings(2, r.Game.Players())))
	if t.Alone {
		seatings = r.Game.Players()
	}
	x := &opened{Tournament: t, missing: (t.Games + seatings - 1) / seatings * seatings}
	other := ""
	if m.opponent >= 0 {
		other = fileName(r.opponents[m.opponent].player.Name())
	} else {
		other = b.folder.Name()
	}
	name := filepath.Join(r.Dir, matchesFolder, a.folder.Name()+"_vs_"+other)
	for k := 1; ; k++ {
		// Settings of a match that have changed since, such as its simulations, make another match.
		dir := numberedName(name, k)
		if !create && !exists(filepath.Join(dir, arena.MatchFile)) {
			return x, nil
		}
		store, err := arena.OpenStore(vfs.OS{}, dir, t)
		if errors.Is(err, arena.ErrOtherMatch) {
			continue
		}
		if err != nil {
			return nil, err
		}
		t.Store = store
		x.missing = max(0, x.missing-store.Len())
		return x, nil
	}
}

// close closes the store.
func (x *opened) close() error {
	return x.Store.Close()
}

// playMatch plays a match, or if play is not set reads it if all its games are there.
func (r *running) playMatch(
	ctx context.Context, m match, play bool, report func(done int),
) (err error) {
	t, err := r.open(m, play)
	if t == nil || err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	if !play && t.missing > 0 {
		return nil
	}
	if t.Store != nil {
		for _, err := range t.Store.Damaged {
			r.Log.Warn("a game of a match is damaged and is played again", "match",
				r.matchName(m), "reason", err)
		}
	}
	if play {
		t.Remote = r.remote(m)
	}
	s, err := t.Play(ctx, func(played, _ int) {
		if report != nil {
			report(played)
		}
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.standings[m] = s
	return nil
}

// shareMatches lets others play games of matches.
func (r *running) shareMatches(ctx context.Context) error {
	if r.Share == nil {
		return nil
	}
	plan, err := r.Arms[0].plan(r.File.Seeds[0], r.cores(), r.Device)
	if err == nil {
		err = r.Share(ctx, run.Folder(r.Dir), plan)
	}
	if err != nil {
		return fmt.Errorf("matches: %w", err)
	}
	r.remoteMatches = plan.Matches
	return nil
}

// remote returns who plays games of a match too; nil for nobody.
func (r *running) remote(m match) arena.RemoteWorkers {
	if r.remoteMatches == nil {
		return nil
	}
	r.mu.Lock()
	a, b := r.networks[place{m.arm, m.seed}], r.networks[place{m.other, m.column}]
	r.mu.Unlock()
	first, err := r.contestant(a)
	if err != nil {
		r.Log.Warn("a match is played here alone", "match", r.matchName(m), "reason", err)
		return nil
	}
	second := arena.Contestant{}
	if m.opponent < 0 {
		second, err = r.contestant(b)
	} else {
		second, err = r.opponents[m.opponent].contestant(r.Game)
	}
	if err != nil {
		r.Log.Warn("a match is played here alone", "match", r.matchName(m), "reason", err)
		return nil
	}
	return r.remoteMatches.Match([]arena.Contestant{first, second})
}

// contestant describes a network as a player to others.
func (l *Lab) contestant(n *network) (arena.Contestant, error) {
	_, config := l.searching(n)
	text, err := config.YAML()
	return arena.Contestant{Params: n.Params, Simulations: l.Simulations, Config: string(text)}, err
}

// contestant describes an opponent to others.
func (o *opponent) contestant(g game.Game) (x arena.Contestant, err error) {
	of, err := player.GameOf(o.Player)
	if err != nil {
		return x, err
	}
	if of != "" && of != g.Name() {
		return x, fmt.Errorf("the network of %s learned %s", o.Player, of)
	}
	text, config, err := player.Elsewhere(o.Player)
	if err != nil {
		return x, err
	}
	x = arena.Contestant{Player: text, Params: player.Parameters(o.player)}
	if config != nil {
		written, err := config.YAML()
		if err != nil {
			return x, err
		}
		x.Config = string(written)
	}
	return x, nil
}

// unfit are the characters of a player's name that are not taken into a file's.
var unfit = regexp.MustCompile(`[^A-Za-z0-9._=-]+`)

// fileName returns a player's name as a part of a file's.
func fileName(name string) string {
	name = unfit.ReplaceAllString(name, "_")
	return name[:min(len(name), 100)]
}

// NashConv is how far an arm's networks are from an equilibrium: the mean of their NashConv, each
// network playing all seats by its policy alone.
type NashConv struct {
	Mean float64 `json:"mean"` // in the unit of Result
	// Low and High bound the 95 % interval over networks, which does not reach below 0; null for
	// one network.
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
	// SD is the standard deviation from seed to seed; 0 for one network.
	SD       float64 `json:"sd"`
	Networks int     `json:"networks"`
	// Difference is to the first arm; null for that.
	Difference *NashConvDifference `json:"difference"`
}

// NashConvDifference is the difference of two arms' means.
type NashConvDifference struct {
	Mean float64  `json:"mean"`
	Low  *float64 `json:"low"` // of the 95 % interval by Welch; null if an arm has one network
	High *float64 `json:"high"`
}

// mostHistories is the greatest number of histories of a game whose networks are measured: each
// takes a second or two.
const mostHistories = 1_000_000

// prepareExploit enumerates the game, if the file wants NashConv.
func (l *Lab) prepareExploit() error {
	if !l.File.Exploit {
		return nil
	}
	for i := range l.Arms {
		if l.Arms[i].Config.Algorithm == configs.AlgorithmDescent {
			return fmt.Errorf("%s:%d: arm %s: exploit measures policies, and networks of algorithm=descent have none", l.File.Path, l.File.Arms[i].line, l.Arms[i].Name)
		}
	}
	tree, err := nash.Enumerate(context.Background(), l.Game, mostHistories)
	if err != nil {
		return fmt.Errorf("%s: exploit: %w", l.File.Path, err)
	}
	l.tree, l.unitOfNash, l.perUtility = tree, "utility", 1
	if staked, ok := l.Game.(game.Staked); ok {
		l.unitOfNash = "chips"
		l.perUtility, _ = staked.Chips()
	}
	return nil
}

// exploit measures a network.
func (l *Lab) exploit(n *network) error {
	if l.tree == nil {
		return nil
	}
	p := &player.RawPolicy{
		Label: n.folder.Name(), Weights: n.Weights, Canonical: n.Plan.Config.Search.Canonical,
		Temperature: 1,
	}
	seats := slices.Repeat([]player.Player{p}, l.Game.Players())
	all, err := player.PolicyOf(context.Background(), l.tree, seats, player.PolicyOptions{})
	if err != nil {
		return err
	}
	x := l.tree.NashConv(all).NashConv() * l.perUtility
	n.nashConv = &x
	return nil
}

// exploited completes the arms by the means of their runs.
func (x *Result) exploited() {
	var first *Difference
	for i := range x.Arms {
		a := &x.Arms[i]
		var list []float64
		for _, r := range a.Runs {
			if r.NashConv != nil {
				list = append(list, *r.NashConv)
			}
		}
		if len(list) == 0 {
			continue
		}
		d := mean(list)
		a.NashConv = &NashConv{Mean: d.Elo, High: d.High, SD: d.SD, Networks: d.Networks}
		if d.Low != nil {
			low := max(0, *d.Low)
			a.NashConv.Low = &low
		}
		if i == 0 {
			first = &d
		} else if first != nil {
			d := minus(d, *first)
			a.NashConv.Difference = &NashConvDifference{Mean: d.Elo, Low: d.Low, High: d.High}
		}
	}
}

// exploitTable writes the arms' NashConv.
func (x *Result) exploitTable(b *strings.Builder) {
	if x.NashUnit == "" {
		return
	}
	fmt.Fprintf(b, `
## Distance to an equilibrium

NashConv in %s: what the seats together would gain by best responses to a network that plays all seats by its policy alone, without
search; 0 in an equilibrium. It is exact. Intervals are by Student's t over seeds.

| arm | NashConv | 95 %% | to the first arm | 95 %% | by seed |
| --- | --- | --- | --- | --- | --- |
`, x.NashUnit)
	for _, a := range x.Arms {
		value, interval, difference, wide := "–", "–", "–", "–"
		if n := a.NashConv; n != nil {
			value, interval = fmt.Sprintf("%.3f", n.Mean), span("%.3f", n.Low, n.High)
			if d := n.Difference; d != nil {
				difference, wide = minusSign(fmt.Sprintf("%+.3f", d.Mean)),
					span("%+.3f", d.Low, d.High)
			}
		}
		var seeds []string
		for _, r := range a.Runs {
			if r.NashConv != nil {
				seeds = append(seeds, fmt.Sprintf("%.3f", *r.NashConv))
			}
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n",
			cell(a.Name), value, interval, difference, wide, strings.Join(seeds, " "))
	}
}

// span writes an interval, "–" without one.
func span(form string, low, high *float64) string {
	if low == nil || high == nil {
		return "–"
	}
	return minusSign(fmt.Sprintf(form, *low)) + " to " + minusSign(fmt.Sprintf(form, *high))
}

// minusSign puts the sign for the hyphen of a number.
func minusSign(text string) string { return strings.Replace(text, "-", "−", 1) }
