package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"tengen/game"
	"tengen/internal/atomicfile"
	"tengen/replay"
)

// foundReplay is what the games of a segment, or of a folder of segments, are.
// A game counts unless a later segment replaces it.
type foundReplay struct {
	Segments int            `json:"segments"`
	Bytes    int64          `json:"bytes"`
	Games    int            `json:"games"`    // that count
	Replaced int            `json:"replaced"` // games that don't
	First    *uint64        `json:"first"`    // number of the first game that counts; null where there is none
	Last     *uint64        `json:"last"`
	Plies    int64          `json:"plies"`  // of the games that count, chance and forced moves among them
	States   int64          `json:"states"` // in their trees
	Of       []string       `json:"of"`     // names of the games played
	List     []foundSegment `json:"list,omitempty"`
}

// foundSegment is one segment, with --all.
type foundSegment struct {
	Path     string  `json:"path"`
	Bytes    int64   `json:"bytes"`
	Games    int     `json:"games"` // that count
	Replaced int     `json:"replaced"`
	First    *uint64 `json:"first"`
	Last     *uint64 `json:"last"`
}

func (f *foundReplay) figures() []figure {
	list := []figure{{"games", "none"}}
	if f.First != nil {
		list = []figure{{"games", fmt.Sprintf("%s, numbers %s", grouped(float64(f.Games)), numbers(f.First, f.Last))}}
	}
	if f.Replaced > 0 {
		list = append(list, figure{"replaced", fmt.Sprintf("%s games, played again after a resume", grouped(float64(f.Replaced)))})
	}
	if f.Games > 0 {
		list = append(list, figure{"plies", fmt.Sprintf("%s, %.1f a game", grouped(float64(f.Plies)), float64(f.Plies)/float64(f.Games))})
	}
	if f.States > 0 {
		list = append(list, figure{"states of trees", fmt.Sprintf("%s, %.1f a game", grouped(float64(f.States)), float64(f.States)/float64(f.Games))})
	}
	for _, name := range f.Of {
		list = append(list, figure{"game", inLine(name)})
	}
	list = append(list, figure{"segments", fmt.Sprintf("%d, %s bytes", f.Segments, grouped(float64(f.Bytes)))})
	for _, s := range f.List {
		text := "no games"
		if s.First != nil {
			text = fmt.Sprintf("%d games, %s", s.Games, numbers(s.First, s.Last))
		}
		if s.Replaced > 0 {
			text += fmt.Sprintf("; %d replaced", s.Replaced)
		}
		list = append(list, figure{filepath.Base(s.Path), text})
	}
	return list
}

func numbers(first, last *uint64) string { return fmt.Sprintf("%d to %d", *first, *last) }

// part is what was read of one segment.
type part struct {
	foundSegment
	lowest  uint64 // number of the first game, whether it counts or not
	any     bool   // lowest holds
	gap     string // which games are missing between two that count, "" where none are
	damages []*replay.Damage
	lost    int // damages beyond those kept
}

// segment looks at one segment by itself.
func (i *inspector) segment(path string) error {
	f := &foundReplay{Segments: 1}
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

// replay looks at a folder of segments, which may be missing. want is the number
// of games that a checkpoint counts, nil where that is not known.
func (i *inspector) replay(dir string, want *uint64) error {
	segments, err := replay.Segments(atomicfile.OS{}, dir)
	if err != nil {
		return err
	}
	f := &foundReplay{}
	i.found.Replay = f
	var parts []part // newest first: what a segment holds replaces what earlier ones do
	before := uint64(math.MaxUint64)
	for k, s := range slices.Backward(segments) {
		p, err := i.read(s.Path, before, f)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the run that is going has removed it
		}
		if err != nil {
			return err
		}
		if p.any {
			before = min(before, p.lowest)
		}
		parts = append(parts, p)
		i.progress.set(len(segments)-k, len(segments))
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
			f.List = append(f.List, p.foundSegment)
		}
	}
	i.judge(dir, parts, want)
	return nil
}

// judge tells which damages of a folder's segments matter. A segment that ends
// badly is what a crash leaves; it matters only where a game is missing there.
// That games are missing is told where no damage explains it.
func (i *inspector) judge(dir string, parts []part, want *uint64) {
	var ends []*replay.Damage // of segments, since the last game that counts
	explained := false        // other damage is there since then
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
			i.found.damaged(finding{Path: path, What: missing})
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
			i.found.damaged(finding{Path: p.Path, What: p.gap})
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

// foreign says whether a damage makes the whole file something else than a
// segment that was not written to its end.
func foreign(d *replay.Damage) bool {
	const header = 16
	return errors.Is(d, replay.ErrVersion) || d.Offset == 0 && d.Length >= header
}

func damagedPart(d *replay.Damage) finding {
	what := "damaged record"
	if d.Torn {
		what = "damaged tail"
	}
	return finding{Path: d.Path, Offset: &d.Offset, Length: &d.Length, What: fmt.Sprintf("%s after %d good games: %v", what, d.Good, d.Err)}
}

// read reads a segment through, one game at a time. Games from before on don't count.
func (i *inspector) read(path string, before uint64, f *foundReplay) (part, error) {
	p := part{foundSegment: foundSegment{Path: path}}
	info, err := os.Stat(path)
	if err != nil {
		return p, err
	}
	p.Bytes = info.Size()
	r, err := replay.OpenSegment(atomicfile.OS{}, path)
	if err != nil {
		return p, err
	}
	defer r.Close()
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
		number := g.Number // a pointer to the game's own would keep the game
		if p.First == nil {
			p.First = &number
		}
		p.Last = &number
		p.Games++
		f.Plies += int64(len(g.Moves))
		for _, t := range g.Trees {
			f.States += int64(len(t.Depths))
		}
		if !slices.Contains(f.Of, g.Name) && len(f.Of) < most {
			f.Of = append(f.Of, g.Name)
		}
	}
}

// rules has, by a game's name, a window that holds one game and refuses those
// against the rules; nil where this program does not know the game.
type rules map[string]*replay.Window

// play plays a game through by its rules, its trees too.
func (i *inspector) play(path string, g *replay.Game, check rules) {
	w, known := check[g.Name]
	if !known && len(check) < most {
		w = windowOf(g.Name)
		check[g.Name] = w
		if w == nil {
			i.found.note(finding{Path: path, What: fmt.Sprintf("game %d is of %q, which this program does not know: its moves are not checked", g.Number, g.Name)})
		}
	}
	if w == nil {
		return
	}
	if err := w.Add(g); err != nil {
		i.found.damaged(finding{Path: path, What: err.Error()})
	}
}

// windowOf is a window for one game at a time, nil where the game is not known.
func windowOf(name string) *replay.Window {
	g, err := game.New(name)
	if err != nil {
		return nil
	}
	w, err := replay.NewWindow(g, replay.WindowConfig{Capacity: 1, Trees: true})
	if err != nil {
		return nil
	}
	return w
}
