package cudabackend

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/cuda/training"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

// mixed is a driver of eight devices: the first is too old, the fourth of another kind than the
// rest.
type mixed struct{ *fake.Driver }

func (m mixed) Devices() ([]driver.Device, error) {
	list, err := m.Driver.Devices()
	if err == nil {
		list[0].Name, list[0].Major, list[0].Minor = "an old one", 7, 0
		list[3].Name = "another"
	}
	return list, err
}

// TestTakesAllOfAKind checks that auto and cuda open all devices of a kind, and that the log has a
// line for each other device and why; and that a listed device is opened alone.
func TestTakesAllOfAKind(t *testing.T) {
	for _, c := range []struct {
		text, name string
		left       []string
	}{
		{"auto", "cuda:1,2,4-7", []string{"cuda:0", "cuda:3"}},
		{"cuda", "cuda:1,2,4-7", []string{"cuda:0", "cuda:3"}},
		{"cuda:train=4-6", "cuda:1,2,4-7,train=4-6", []string{"cuda:0", "cuda:3"}},
		{"cuda:training=bf16,train=6", "cuda:1,2,4-7,train=6,training=bf16",
			[]string{"cuda:0", "cuda:3"}},
		{"cuda:3", "cuda:3", nil},
		{"cuda:4-7", "cuda:4-7", nil},
	} {
		var log bytes.Buffer
		b, err := New(mixed{fake.WithDevices(8)}, must(backend.Parse(c.text)), Options{
			Unchecked: true, Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if b.Name() != c.name {
			t.Errorf("%s opens %s, want %s", c.text, b.Name(), c.name)
		}
		var lines []string
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, `"device left out"`) {
				lines = append(lines, line)
			}
		}
		if len(lines) != len(c.left) {
			t.Fatalf("%s: the log is\n%s", c.text, &log)
		}
		for i, why := range []string{"at least 7.5 (Turing) is wanted", "it is of another kind"} {
			if i < len(lines) && (!strings.Contains(lines[i], "name="+c.left[i]+" ") ||
				!strings.Contains(lines[i], why)) {
				t.Errorf("%s: %s", c.text, lines[i])
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestTrainRefusals checks that a device that can't train alone is refused in one line, and nothing
// is left open.
func TestTrainRefusals(t *testing.T) {
	for _, c := range []struct {
		text    string
		devices int
		want    string
	}{
		{"cuda:train=3", 8, "train=3: device 3 is not among those in use, cuda:1,2,4-7"},
		{"cuda:train=2,3", 8, "train=2,3: device 3 is not among those in use, cuda:1,2,4-7"},
		{"cuda:train=9", 8, "train=9: device 9 is not among those in use, cuda:1,2,4-7"},
		{"cuda:train=0", 1, "train=0: no device is left to play; cuda:0 uses the device for both"},
	} {
		api := fake.WithDevices(c.devices)
		var all driver.API = api
		if c.devices > 1 {
			all = mixed{api}
		}
		b, err := New(all, must(backend.Parse(c.text)), Options{Unchecked: true})
		if err == nil || err.Error() != c.want || b != nil {
			t.Errorf("%s: %v, %v; want %s", c.text, b, err, c.want)
		}
		if left := api.Left(); len(left) > 0 {
			t.Errorf("%s: left open: %v", c.text, left)
		}
	}
}

// evaluators returns evaluators of a network, and the devices that they use.
func evaluators(n nn.Network, number int) (list []*spreadEvaluator, at []int) {
	for range number {
		e := n.NewEvaluator().(*spreadEvaluator)
		list, at = append(list, e), append(at, e.at.index)
	}
	return list, at
}

// TestTrainsAlone checks that one of eight devices trains and evaluates nothing as long as another
// can.
func TestTrainsAlone(t *testing.T) {
	b, err := New(fake.WithDevices(8), must(backend.Parse("cuda:0-7,train=5")), Options{
		Unchecked: true, Again: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	d := b.(*devices)
	if evaluate, trained := d.InUse(); evaluate != 7 || trained != 1 {
		t.Errorf("%d devices evaluate and %d train", evaluate, trained)
	}
	p := nntest.Random(spec, rand.New(rand.NewPCG(1, 2)))
	n, err := b.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	players := []int{0, 1, 2, 3, 4, 6, 7}
	list, at := evaluators(n, 14)
	for i := range at {
		if at[i] != players[i%7] {
			t.Fatalf("evaluators are on %v", at)
		}
	}
	if n.(*spread).slots[5].weights != nil {
		t.Error("the device that trains has the network")
	}
	c := train.DefaultConfig()
	c.Batch = 8
	trainer, err := b.NewTrainer(p, c)
	if err != nil {
		t.Fatal(err)
	}
	defer train.Close(trainer)
	l := trainer.(*lasting)
	if l.trainer.at[0].index != 5 {
		t.Errorf("device %d trains", l.trainer.at[0].index)
	}
	evaluate := func(e *spreadEvaluator, want int) {
		t.Helper()
		x := &nn.Batch{}
		for x = range e.shadows {
			break
		}
		if len(e.shadows) == 0 {
			x = e.NewBatch(2)
		}
		x.N = 2
		if err := e.Evaluate(x); err != nil {
			t.Fatal(err)
		}
		if e.at.index != want {
			t.Errorf("device %d evaluates, want %d", e.at.index, want)
		}
	}
	lose := func(i int) { d.lose(d.list[i].Load(), lostFirst) }
	evaluate(list[4], 4)
	lose(4)
	evaluate(list[4], 6)
	for _, i := range []int{0, 1, 2, 3, 6} {
		lose(i)
	}
	evaluate(list[4], 7)
	lose(7)
	evaluate(list[4], 5)
	if again, err := b.Load(p); err != nil {
		t.Error(err)
	} else {
		late, at := evaluators(again, 2)
		if at[0] != 5 || at[1] != 5 {
			t.Errorf("the last device is to evaluate, not %v", at)
		}
		for _, e := range late {
			e.Close()
		}
	}
	for _, e := range list {
		e.Close()
	}
}

// TestAnotherTrains checks that another device trains if the one for it alone is lost.
func TestAnotherTrains(t *testing.T) {
	b, err := New(fake.WithDevices(8), must(backend.Parse("cuda:train=5")), Options{
		Unchecked: true, Again: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c := train.DefaultConfig()
	c.Batch = 8
	trainer, err := b.NewTrainer(nntest.Random(spec, rand.New(rand.NewPCG(1, 2))), c)
	if err != nil {
		t.Fatal(err)
	}
	defer train.Close(trainer)
	d, l := b.(*devices), trainer.(*lasting)
	d.lose(d.list[5].Load(), lostFirst)
	calls := 0
	if err := l.do(func(*training.Trainer) error {
		if calls++; calls == 1 {
			return lostFirst
		}
		return nil
	}); err != nil || l.trainer.at[0].index != 6 {
		t.Errorf("%v; device %d trains", err, l.trainer.at[0].index)
	}
}

// TestSeveralTrain checks that three of eight devices share steps and evaluate nothing, which the
// log says once; that another device takes the part of one that is lost, and the last one all
// parts; that all devices do both where all train; and that a batch is refused that can't be
// divided.
func TestSeveralTrain(t *testing.T) {
	log := &logged{}
	open := func(text string) *devices {
		b, err := New(fake.WithDevices(8), must(backend.Parse(text)), Options{
			Unchecked: true, Again: -1, Log: slog.New(slog.NewTextHandler(log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b.(*devices)
	}
	d := open("cuda:0-7,train=2-4")
	p := nntest.Random(spec, rand.New(rand.NewPCG(1, 2)))
	n, err := d.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	list, at := evaluators(n, 5)
	if !slices.Equal(at, []int{0, 1, 5, 6, 7}) {
		t.Errorf("evaluators are on %v", at)
	}
	for _, e := range list {
		e.Close()
	}
	if evaluate, trained := d.InUse(); evaluate != 5 || trained != 3 {
		t.Errorf("%d devices evaluate, %d train", evaluate, trained)
	}
	c := train.DefaultConfig()
	c.Batch = 8
	if _, err := d.NewTrainer(p, c); err == nil ||
		!strings.Contains(err.Error(), "8 rows can't be divided by 3; 6 or 9 rows would do") {
		t.Errorf("8 rows on 3 devices: error %v", err)
	}
	c.Batch = 9
	trainer, err := d.NewTrainer(p, c)
	if err != nil {
		t.Fatal(err)
	}
	defer train.Close(trainer)
	l := trainer.(*lasting)
	where := func(want ...int) {
		t.Helper()
		var got []int
		for _, o := range l.trainer.at {
			got = append(got, o.index)
		}
		if !slices.Equal(got, want) {
			t.Errorf("devices %v train, want %v", got, want)
		}
	}
	where(2, 3, 4)
	// lose loses the device of a part, which the trainer notices there.
	lose := func(part int) {
		t.Helper()
		calls := 0
		if err := l.do(func(*training.Trainer) error {
			if calls++; calls == 1 {
				return &training.DeviceError{Index: part, Err: lostFirst}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	lose(1)
	where(2, 5, 4)
	for _, i := range []int{6, 7, 0, 1} {
		d.lose(d.list[i].Load(), lostFirst)
	}
	lose(0) // then 4 and 5 are left
	where(5, 4, 4)
	if evaluated, err := d.Load(p); err != nil {
		t.Error(err)
	} else if _, at := evaluators(evaluated, 2); at[0] != 5 || at[1] != 5 {
		t.Errorf("evaluators are on %v", at)
	}
	lose(2)
	where(5, 5, 5)
	if strings.Count(log.String(), "share each training step") != 1 {
		t.Errorf("the log is\n%s", log)
	}
	for i, o := range d.all {
		want := 0
		if i == 5 {
			want = 3 + 2 // parts and evaluators
		}
		if o.users != want {
			t.Errorf("device %d has %d users, want %d", i, o.users, want)
		}
	}

	all := open("cuda:0-7,train=0-7")
	if n, err = all.Load(p); err != nil {
		t.Fatal(err)
	}
	if _, at := evaluators(n, 8); !slices.Equal(at, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("all train, and evaluators are on %v", at)
	}
	if evaluate, trained := all.InUse(); evaluate != 8 || trained != 8 {
		t.Errorf("%d of all devices evaluate, %d train", evaluate, trained)
	}
}

// priorities is a context that records which streams are urgent.
type priorities struct {
	driver.Context
	urgent *[]bool
}

func (p priorities) NewStream(urgent bool) (driver.Stream, error) {
	*p.urgent = append(*p.urgent, urgent)
	return p.Context.NewStream(urgent)
}

// TestEvaluationsAreUrgent checks that the streams of evaluations are urgent, and no others.
func TestEvaluationsAreUrgent(t *testing.T) {
	var urgent []bool
	b, err := New(fake.Wrap(fake.WithDevices(1), func(x driver.Context) driver.Context {
		return priorities{x, &urgent}
	}), backend.Spec{Kind: backend.CUDA}, Options{Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := nntest.Random(spec, rand.New(rand.NewPCG(1, 2)))
	n, err := b.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	urgent = nil
	e := n.NewEvaluator()
	defer nn.Close(e)
	e.NewBatch(4)
	if len(urgent) == 0 || slices.Contains(urgent, false) {
		t.Errorf("the streams of an evaluator are urgent: %v", urgent)
	}
	urgent = nil
	c := train.DefaultConfig()
	c.Batch = 8
	trainer, err := b.NewTrainer(p, c)
	if err != nil {
		t.Fatal(err)
	}
	defer train.Close(trainer)
	if len(urgent) == 0 || slices.Contains(urgent, true) {
		t.Errorf("the streams of a trainer are urgent: %v", urgent)
	}
}

// gathering is a context whose first compilation waits until as many others as are prepared at once
// compile too.
type gathering struct {
	driver.Context
	all      *gathered
	compiled bool
	first    bool // of all
}

// gathered is how the contexts of a driver compiled.
type gathered struct {
	mu       sync.Mutex
	contexts int  // that compiled
	beside   bool // the first compiled after others began
	inside   int  // others that wait
	most     int  // at the same time
	opens    sync.Once
	open     chan struct{} // closed when as many wait as are prepared at once
}

func (g *gathering) Compile(s driver.Source) (image []byte, remarks string, err error) {
	if g.arrive() {
		select {
		case <-g.all.open:
		case <-time.After(2 * time.Minute): // they come in turn
		}
		g.all.mu.Lock()
		g.all.inside--
		g.all.mu.Unlock()
	}
	return g.Context.Compile(s)
}

// arrive counts a compilation and reports whether it is to wait.
func (g *gathering) arrive() bool {
	a := g.all
	a.mu.Lock()
	defer a.mu.Unlock()
	before := g.compiled
	if !before {
		g.compiled, g.first = true, a.contexts == 0
		a.contexts++
	}
	if g.first {
		a.beside = a.beside || a.contexts > 1
		return false
	}
	if before {
		return false
	}
	a.inside++
	if a.most = max(a.most, a.inside); a.inside == 8 {
		a.opens.Do(func() { close(a.open) })
	}
	return true
}

// TestPreparesAtOnce checks that the first of twelve devices makes kernels alone, and the others at
// the same time, no more than a number of them.
func TestPreparesAtOnce(t *testing.T) {
	for name, prepare := range map[string]func(d *devices) error{
		"Prepare": func(d *devices) error { return d.Prepare(spec) },
		"Load": func(d *devices) error {
			_, err := d.Load(nntest.Random(spec, rand.New(rand.NewPCG(1, 2))))
			return err
		},
		"NewTrainer": func(d *devices) error {
			c := train.DefaultConfig()
			c.Batch = 12
			x, err := d.NewTrainer(nntest.Random(spec, rand.New(rand.NewPCG(1, 2))), c)
			if err == nil {
				train.Close(x)
			}
			return err
		},
	} {
		all := &gathered{open: make(chan struct{})}
		api := fake.Wrap(fake.WithDevices(12), func(c driver.Context) driver.Context {
			return &gathering{Context: c, all: all}
		})
		b, err := New(api, must(backend.Parse("cuda:0-11,train=0-11")),
			Options{Unchecked: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := prepare(b.(*devices)); err != nil {
			t.Fatal(err)
		}
		// Its kernels of training are made after all that the devices need for inference.
		beside := all.beside && name != "NewTrainer"
		if all.contexts != 12 || beside || all.most != 8 {
			t.Errorf("%s: %d devices compile, the first beside others: %v; of these %d at once",
				name, all.contexts, beside, all.most)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// failingLoad is a context whose modules can't be loaded.
type failingLoad struct {
	driver.Context
	err error
}

func (f failingLoad) Load([]byte) (driver.Module, error) { return 0, f.err }

// TestPrepareErrors checks that a device that is lost is left out, whichever it is, and that the
// error is that of the first device that fails otherwise.
func TestPrepareErrors(t *testing.T) {
	lost := &driver.LostError{Device: "fake", Call: "cuModuleLoadData", Code: 719}
	memory := func(n int64) error { return &driver.MemoryError{Wanted: n, Free: 1} }
	for _, c := range []struct {
		what string
		fail map[int]error
		want error
		lost []int
	}{
		{"nothing", nil, nil, nil},
		{"the first is lost", map[int]error{0: lost}, nil, []int{0}},
		{"two are lost", map[int]error{0: lost, 3: lost}, nil, []int{0, 3}},
		{"one of the others is lost", map[int]error{5: lost}, nil, []int{5}},
		{"two fail", map[int]error{2: memory(2), 6: memory(6), 4: lost}, memory(2), []int{4}},
		{"the first fails", map[int]error{0: memory(7), 1: memory(8)}, memory(7), nil},
		{"all are lost", map[int]error{0: lost, 1: lost, 2: lost, 3: lost, 4: lost, 5: lost,
			6: lost, 7: lost}, errAllLost, []int{0, 1, 2, 3, 4, 5, 6, 7}},
	} {
		opened := 0
		api := fake.Wrap(fake.WithDevices(8), func(x driver.Context) driver.Context {
			opened++
			if err := c.fail[opened-1]; err != nil {
				return failingLoad{x, err}
			}
			return x
		})
		b, err := New(api, must(backend.Parse("cuda:0-7")), Options{Unchecked: true, Again: -1})
		if err != nil {
			t.Fatal(err)
		}
		d := b.(*devices)
		err = d.Prepare(spec)
		if (err == nil) != (c.want == nil) || err != nil && !strings.Contains(err.Error(),
			c.want.Error()) {
			t.Errorf("%s: error %v, want %v", c.what, err, c.want)
		}
		for i, r := range backend.Readings(b) {
			if got := r.Lost == 1; got != slices.Contains(c.lost, i) {
				t.Errorf("%s: device %d is lost: %v", c.what, i, got)
			}
		}
		for i := range d.list {
			if o := d.list[i].Load(); o.users != 0 {
				t.Errorf("%s: device %d has %d users", c.what, i, o.users)
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}
