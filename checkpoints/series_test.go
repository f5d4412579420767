package checkpoints

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/vfs/vfstest"
)

// slowKeeps is Policy.Keeps by its definition: octave k has the distances from c·2^k to c·2^(k+1),
// of which the multiples of 2^k stay, and all are nearer than that.
func slowKeeps(p *Policy, iteration, newest int) bool {
	for _, n := range p.Keep {
		if n == iteration {
			return true
		}
	}
	for i := newest; i > newest-p.KeepLast || i == newest; i-- {
		if i == iteration {
			return true
		}
	}
	if p.PerOctave == 0 {
		return false
	}
	for octave, apart := 0, 1; ; octave, apart = octave+1, 2*apart {
		if from := p.PerOctave * apart; octave == 0 && newest-iteration < from {
			return true
		} else if newest-iteration >= from && newest-iteration < 2*from {
			return iteration%apart == 0
		}
	}
}

// TestSeries: over a run of some hundred iterations, what is left after each is what the policy
// selects of all iterations until then, for each policy as for the definition; a smaller number an
// octave leaves a part of it; and there are never more than Most.
func TestSeries(t *testing.T) {
	rng := random.New(1, random.Test)
	for trial := range 60 {
		p := Policy{KeepLast: rng.IntN(12), PerOctave: rng.IntN(6)}
		switch trial % 4 {
		case 0:
			p.Keep = []int{rng.IntN(300), 0}
		case 1:
			p.KeepLast = 100 + rng.IntN(300)
		}
		var left []int
		peak := 0
		all := 1 + rng.IntN(700)
		for n := 1; n <= all; n++ {
			left = append(left, n)
			peak = max(peak, len(left))
			left = slices.DeleteFunc(left, func(i int) bool { return !p.Keeps(i, n) })
			thinner := Policy{KeepLast: p.KeepLast, PerOctave: p.PerOctave / 2, Keep: p.Keep}
			var want []int
			for i := 1; i <= n; i++ {
				if slowKeeps(&p, i, n) {
					want = append(want, i)
				} else if thinner.Keeps(i, n) && p.PerOctave%2 == 0 {
					t.Fatalf("%+v: of %d, %d is kept by half of it alone", p, n, i)
				}
			}
			if !slices.Equal(left, want) {
				t.Fatalf("%+v: after %d iterations %v are left, want %v", p, n, left, want)
			}
		}
		if most := p.Most(all); peak > most || most > peak+5+len(p.Keep) {
			t.Errorf("%+v: %d iterations: at most %d, and there were %d", p, all, most, peak)
		}
	}
}

// TestSeriesIsBounded: the number grows with the logarithm of the number of iterations, since each
// doubling of the distance has as many.
func TestSeriesIsBounded(t *testing.T) {
	p := Policy{KeepLast: 5, PerOctave: PerOctave}
	for n, want := range map[int]int{20_000: 52, 1_000_000: 75} { // docs/formats/checkpoint.md
		count := 0
		for i := 1; i <= n; i++ {
			if p.Keeps(i, n) {
				count++
			}
		}
		if count != want {
			t.Errorf("of %d iterations %d are kept, want %d", n, count, want)
		}
	}
	rng := random.New(2, random.Test)
	for n := 1000; n <= 1_000_000; n *= 10 {
		most := 0
		for range 5 {
			newest := n - rng.IntN(n/2)
			count, octaves := 0, map[int]int{}
			for i := 1; i <= newest; i++ {
				if p.Keeps(i, newest) {
					count++
					octaves[spacing(newest-i, PerOctave)]++
				}
			}
			for s, k := range octaves {
				switch full := 2*PerOctave*s <= newest; {
				case s == 1 && k != 2*PerOctave, s > 1 && full && k != PerOctave,
					s > 1 && !full && k > PerOctave:
					t.Errorf("of %d iterations %d are kept at distances with steps of %d", newest, k, s)
				}
			}
			if count > p.Most(newest) {
				t.Errorf("of %d iterations %d are kept, at most %d", newest, count, p.Most(newest))
			}
			most = max(most, count)
		}
		if limit := map[int]int{1000: 40, 10_000: 54, 100_000: 67, 1_000_000: 80}[n]; most > limit {
			t.Errorf("up to %d iterations keep %d checkpoints, want at most %d", n, most, limit)
		}
		t.Logf("up to %d iterations: %d checkpoints, at most %d at a time", n, most, p.Most(n))
	}
}

// TestKeeper: a keeper lists its folder once, however many checkpoints it saves and removes, reads
// none, and leaves what the policy selects.
func TestKeeper(t *testing.T) {
	fsys := vfstest.NewFaulty(vfstest.NewMemory(), nil)
	s := Store{FS: fsys, Dir: "c"}
	k := s.Keeper()
	p := Policy{KeepLast: 2, PerOctave: 1, Keep: []int{3}}
	count := func(n int) map[vfstest.Kind]int {
		fsys.Inject(nil)
		if _, err := k.Save(sample(t, n)); err != nil {
			t.Fatal(err)
		}
		if err := k.Retain(p); err != nil {
			t.Fatal(err)
		}
		kinds := map[vfstest.Kind]int{}
		for _, op := range fsys.Log() {
			for _, kind := range []vfstest.Kind{vfstest.List, vfstest.Read, vfstest.Stat} {
				if strings.HasPrefix(op, kind.String()+" ") {
					kinds[kind]++
				}
			}
		}
		return kinds
	}
	for n := 1; n <= 50; n++ {
		kinds := count(n)
		if n > 1 && (kinds[vfstest.List] > 0 || kinds[vfstest.Stat] > 2) ||
			kinds[vfstest.Read] > 0 {
			t.Errorf("iteration %d: the folder is looked at %v times", n, kinds)
		}
		want := ""
		for i := 1; i <= n; i++ {
			if slowKeeps(&p, i, n) {
				want += fmt.Sprintf(" %d", i)
			}
		}
		if got := " " + iterations(t, s); got != want {
			t.Fatalf("iteration %d: %s are left, want %s", n, got, want)
		}
	}
	// Another process finds the same.
	k = s.Keeper()
	if c, _, err := k.Latest(); err != nil || c.Iteration != 50 {
		t.Fatalf("%v, %v", c, err)
	}
	if list, err := k.Excess(p); err != nil || len(list) > 0 {
		t.Errorf("%v, %v are to be removed again", list, err)
	}
}

// TestKeeperSurvivesEveryFault: whichever operation of saving and removing fails, the same keeper
// goes on with the next attempt, and another one after a crash, and both come to what was to be
// left; no checkpoint is incomplete meanwhile, and nothing newer than the newest is lost.
func TestKeeperSurvivesEveryFault(t *testing.T) {
	p := Policy{KeepLast: 1, PerOctave: 1}
	const all = 9
	run := func(k *Keeper, from int) (done int, err error) {
		for n := from; n <= all; n++ {
			if _, err := k.Save(sample(t, n)); err != nil {
				return n - 1, err
			}
			if err := k.Retain(p); err != nil {
				return n, err
			}
		}
		return all, nil
	}
	for _, mode := range []vfstest.Mode{vfstest.Once, vfstest.Torn, vfstest.Dead} {
		for n := 1; ; n++ {
			disk := vfstest.NewMemory()
			fsys := vfstest.NewFaulty(disk, nil)
			s := Store{FS: fsys, Dir: "c"}
			k := s.Keeper()
			fsys.Inject(vfstest.At(n, mode))
			done, err := run(k, 1)
			failed := fsys.Failed()
			fsys.Inject(nil)
			where := fmt.Sprintf("mode %d, operation %d (%v), error %v", mode, n, failed, err)
			if mode == vfstest.Dead {
				disk.PowerCut(random.New(uint64(n), random.Test))
				k = s.Keeper()
			}
			newest := 0
			if c, passedOver, err := k.Latest(); err == nil && len(passedOver) == 0 {
				newest = c.Iteration
			} else if done > 0 {
				t.Fatalf("%s: %v, passed over %v", where, err, passedOver)
			}
			if newest < done {
				t.Fatalf("%s: %d were saved, the newest is %d", where, done, newest)
			}
			if _, err := run(k, newest+1); err != nil {
				t.Fatalf("%s: going on: %v", where, err)
			}
			if err := k.Retain(p); err != nil {
				t.Fatalf("%s: going on: %v", where, err)
			}
			entries, _ := fsys.ReadDir("c")
			if got := iterations(t, s); got != "4 6 8 9" || len(entries) != 4 {
				t.Fatalf("%s: in the end %s are left of %v", where, got, entries)
			}
			if failed == nil {
				if n < 200 {
					t.Fatalf("only %d operations were made", n-1)
				}
				break
			}
		}
	}
}

// TestAbsent: a checkpoint that is not there is told apart from a damaged one, with the nearest.
func TestAbsent(t *testing.T) {
	dir := t.TempDir()
	s := onDisk(dir)
	if _, err := LoadModel(filepath.Join(dir, Name(1))); err == nil ||
		s.Absent(1) != "" || s.absent(filepath.Join(dir, "x")) != "" {
		t.Errorf("without checkpoints: %v, %q", err, s.Absent(1))
	}
	save(t, s, 4, 8, 9)
	for iteration, want := range map[int]string{
		1: "there is none of iteration 1, since older ones are thinned out; the nearest is of 4",
		7: "there is none of iteration 7, since older ones are thinned out; " +
			"the nearest are of 4 and 8",
		10: "there is none of iteration 10; the newest is of 9",
		8:  "",
	} {
		if got := s.Absent(iteration); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		path := filepath.Join(dir, Name(iteration))
		_, err := s.Load(path)
		_, other := LoadModel(path)
		for kind, err := range map[error]error{ErrMissing: err, ErrNone: other} {
			if want == "" && err != nil || want != "" && (!errors.Is(err, kind) ||
				!strings.HasSuffix(err.Error(), ": "+want)) {
				t.Errorf("iteration %d: %v", iteration, err)
			}
		}
	}
}
