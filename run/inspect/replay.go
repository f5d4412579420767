package inspect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"tengen/game"
	"tengen/internal/runid"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/vfs"
)

// Replay describes the games of a segment, or of a folder of segments. A game counts unless
// a later segment replaces it.
type Replay struct {
	Segments int   `json:"segments"`
	Bytes    int64 `json:"bytes"`
	Games    int   `json:"games"`    // that count
	Replaced int   `json:"replaced"` // games that do not count
	// number of the first game that counts; null if there is none
	First  *uint64  `json:"first"`
	Last   *uint64  `json:"last"`
	Plies  int64    `json:"plies"`  // of the games that count, with chance and forced moves
	States int64    `json:"states"` // in their trees
	Of     []string `json:"of"`     // names of the games played
	// Of the games that count, in which a network of the run played: the number of different
	// networks, and the training steps behind the first and the last of them.
	Networks  int     `json:"networks"`
	FirstStep *uint64 `json:"first_step,omitempty"`
	LastStep  *uint64 `json:"last_step,omitempty"`

	steps map[uint64]bool // of Networks
	List  []Segment       `json:"list,omitempty"` // with Options.All
}

// Segment is one segment among those of its folder.
type Segment struct {
	Path     string  `json:"path"`
	Bytes    int64   `json:"bytes"`
	Games    int     `json:"games"` // that count
	Replaced int     `json:"replaced"`
	First    *uint64 `json:"first"`
	Last     *uint64 `json:"last"`
}

// part is the content of one segment.
type part struct {
	Segment
	lowest  uint64 // number of the first game, even if it does not count
	any     bool   // lowest is set
	gap     string // the games that are missing between two that count; "" if none are
	damages []*replay.Damage
	lost    int // damages beyond those kept
	run     runid.ID
	header  bool // it can be read
	seeds   []uint64
}

// segment inspects a single segment.
func (i *inspector) segment(path string) error {
	f := &Replay{Segments: 1}
	i.found.Replay = f
	p, err := i.read(path, math.MaxUint64, f)
	if err != nil {
		return err
	}
	f.Games, f.First, f.Last, f.Bytes = p.Games, p.First, p.Last, p.Bytes
	for _, d := range p.damages {
		i.found.damaged(damagedPart(d))
	}
	i.found.Damages += p.lost
	return nil
}

// replay inspects a folder of segments, which may be missing. want is the number of games
// that the checkpoint counts, nil if it is unknown.
func (i *inspector) replay(dir string, want *uint64) error {
	segments, err := replay.Segments(vfs.OS{}, dir)
	if err != nil {
		return err
	}
	f := &Replay{}
	i.found.Replay = f
	var parts []part // newest first, since segments replace the games of earlier ones
	before := uint64(math.MaxUint64)
	for k, s := range slices.Backward(segments) {
		p, err := i.read(s.Path, before, f)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the run in progress has removed it
		}
		if err != nil {
			return err
		}
		if p.header {
			i.owner(s.Path, 0, p.run)
		}
		if i.seed != nil {
			for _, seed := range p.seeds {
				if seed != *i.seed {
					i.found.damaged(Finding{
						Path: s.Path,
						What: fmt.Sprintf("%v: games were played with seed %d, this run's is %d",
							runid.ErrOtherRun, seed, *i.seed),
					})
				}
			}
		}
		if p.any {
			before = min(before, p.lowest)
		}
		parts = append(parts, p)
		if i.progress != nil {
			i.progress(len(segments)-k, len(segments))
		}
	}
	slices.Reverse(parts)
	f.Segments = len(parts)
	for _, p := range parts {
		f.Bytes += p.Bytes
		f.Games += p.Games
		f.Replaced += p.Replaced
		if p.First != nil {
			if f.First == nil {
				f.First = p.First
			}
			f.Last = p.Last
		}
		if i.all {
			f.List = append(f.List, p.Segment)
		}
	}
	i.judge(dir, parts, want)
	return nil
}

// read reads a segment, one game at a time. Games with numbers from before on do not count.
func (i *inspector) read(path string, before uint64, f *Replay) (p part, err error) {
	p.Path = path
	info, err := os.Stat(path)
	if err != nil {
		return p, err
	}
	p.Bytes = info.Size()
	r, err := replay.OpenSegment(vfs.OS{}, path)
	if err != nil {
		return p, err
	}
	defer r.Close()
	defer func() { p.run = r.Run() }()
	p.header = true
	check := rules{}
	for {
		if err := i.ctx.Err(); err != nil {
			return p, err
		}
		g, err := r.Next()
		var d *replay.Damage
		switch {
		case err == io.EOF:
			return p, nil
		case errors.As(err, &d):
			p.header = p.header && d.Offset > 0
			if len(p.damages) < most {
				p.damages = append(p.damages, d)
			} else {
				p.lost++
			}
			continue
		case err != nil:
			return p, err
		}
		if !p.any {
			p.lowest, p.any = g.Number, true
		}
		if len(p.seeds) < 2 && !slices.Contains(p.seeds, g.Seed) {
			p.seeds = append(p.seeds, g.Seed)
		}
		if i.all {
			i.play(path, g, check)
		}
		if g.Number >= before {
			p.Replaced++
			continue
		}
		if p.Last != nil && g.Number != *p.Last+1 && p.gap == "" {
			p.gap = lacking(*p.Last+1, g.Number)
		}
		number := g.Number // a pointer into the game would keep all of it in memory
		if p.First == nil {
			p.First = &number
		}
		p.Last = &number
		p.Games++
		f.Plies += int64(len(g.Moves))
		f.played(g)
		for _, t := range g.Trees {
			f.States += int64(len(t.Depths))
		}
		if !slices.Contains(f.Of, g.Name) && len(f.Of) < most {
			f.Of = append(f.Of, g.Name)
		}
	}
}

// played counts the networks of a game.
func (f *Replay) played(g *record.Game) {
	if f.steps == nil {
		f.steps = map[uint64]bool{}
	}
	for _, s := range g.Seats {
		if s.Kind != record.Network {
			continue
		}
		if f.steps[s.Step] = true; f.FirstStep == nil || s.Step < *f.FirstStep {
			f.FirstStep = &s.Step
		}
		if f.LastStep == nil || s.Step > *f.LastStep {
			f.LastStep = &s.Step
		}
	}
	f.Networks = len(f.steps)
}

// rules maps the name of a game to what checks its records; nil
// if this program does not know the game.
type rules map[string]*record.Checker

// play checks a game and its trees against the rules.
func (i *inspector) play(path string, g *record.Game, check rules) {
	c, known := check[g.Name]
	if !known && len(check) < most {
		c = checkerOf(g.Name)
		check[g.Name] = c
		if c == nil {
			i.found.note(Finding{
				Path: path,
				What: fmt.Sprintf(
					"game %d is of %q, which this program does not know: its moves are not checked",
					g.Number, g.Name),
			})
		}
	}
	if c == nil {
		return
	}
	if err := c.Check(g); err != nil {
		i.found.damaged(Finding{Path: path, What: err.Error()})
	}
}

// checkerOf returns what checks records of a game, nil if the game is unknown.
func checkerOf(name string) *record.Checker {
	g, err := game.New(name)
	if err != nil {
		return nil
	}
	return record.NewChecker(g)
}

// judge reports the damage in a folder's segments that matters. A torn end of a segment is
// left by crashes; it matters only if a game is missing there. Missing games are reported if
// no damage explains them.
func (i *inspector) judge(dir string, parts []part, want *uint64) {
	var ends []*replay.Damage // torn ends since the last game that counts
	explained := false        // there is other damage since then
	settle := func(path, missing string) {
		for _, d := range ends {
			f := damagedPart(d)
			if missing != "" {
				i.found.damaged(f)
				explained = true
				continue
			}
			f.What = "what a crash left, and no game is missing: " + f.What
			i.found.note(f)
		}
		if missing != "" && !explained {
			i.found.damaged(Finding{Path: path, What: missing})
		}
		ends, explained = nil, false
	}
	var last *uint64
	for _, p := range parts {
		inside := p.lost
		var end *replay.Damage
		for _, d := range p.damages {
			if d.Torn && !foreign(d) {
				end = d
				continue
			}
			i.found.damaged(damagedPart(d))
			inside++
		}
		i.found.Damages += p.lost
		explained = explained || inside > 0
		if p.First != nil {
			missing := ""
			if last != nil && *p.First != *last+1 {
				missing = lacking(*last+1, *p.First)
			}
			settle(p.Path, missing)
			last = p.Last
		}
		if end != nil {
			ends = append(ends, end)
		}
		if p.gap != "" && inside == 0 {
			i.found.damaged(Finding{Path: p.Path, What: p.gap})
		}
	}
	next := uint64(0)
	if last != nil {
		next = *last + 1
	}
	missing := ""
	switch {
	case want != nil && next < *want:
		missing = lacking(next, *want) + ", which the newest checkpoint counts"
	case want == nil && len(ends) > 0:
		missing = "no checkpoint says how many games there should be"
	}
	settle(dir, missing)
}

func lacking(from, to uint64) string {
	if to == from+1 {
		return fmt.Sprintf("game %d is missing", from)
	}
	return fmt.Sprintf("games %d to %d are missing", from, to-1)
}

// foreign reports whether a damage means that the file is not a segment at all, rather than
// one that was not completed.
func foreign(d *replay.Damage) bool {
	const header = 16
	return errors.Is(d, replay.ErrVersion) || d.Offset == 0 && d.Length >= header
}

func damagedPart(d *replay.Damage) Finding {
	what := "damaged record"
	if d.Torn {
		what = "damaged tail"
	}
	return Finding{
		Path: d.Path, Offset: &d.Offset, Length: &d.Length,
		What: fmt.Sprintf("%s after %d good games: %v", what, d.Good, d.Err),
	}
}
