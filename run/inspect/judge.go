package inspect

import (
	"errors"
	"fmt"

	"tengen/replay"
)

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
