package cuda_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
	"tengen/vfs"
)

// hollow opens a device whose kernels do nothing, with two plans of each way, and returns its log.
func hollow(t *testing.T, cache string) (*fake.Driver, *cuda.Device, *bytes.Buffer) {
	t.Helper()
	api, log := fake.New(nil), &bytes.Buffer{}
	d, err := cuda.Open(api, 0, cuda.Options{
		Unchecked: true, Candidates: 2, Cache: cache, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return api, d, log
}

// TestMemoryIsNotTheKernelsFault checks that kernels are not passed over because memory runs out
// while they are tried: the error says so, in place of a slow network.
func TestMemoryIsNotTheKernelsFault(t *testing.T) {
	for _, call := range []string{"Alloc", "AllocHost", "OpenSeparate"} {
		api, d, _ := hollow(t, "")
		api.Fail(call, 1, &driver.MemoryError{Wanted: 1 << 30, Free: 1 << 20})
		_, err := d.Load(nntest.Random(nntest.Specs()[5], random.New(1, random.Test)), kernels.BF16)
		if !errors.As(err, new(*driver.MemoryError)) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", call, err)
		}
	}
}

// TestChoiceIsKeptIfSettled checks that a choice is stored only if all faster plans were tried.
func TestChoiceIsKeptIfSettled(t *testing.T) {
	for _, c := range []struct {
		what string
		err  error
		kept int
	}{
		{"nothing fails", nil, 1},
		{"a plan does not compile", &driver.CompileError{Name: "tower.cu", Log: "error: no"}, 1},
		{"the compiler is missing", &driver.LibraryError{
			Library: "libnvrtc.so", Advice: "install it",
		}, 0},
	} {
		cache := t.TempDir()
		api, d, log := hollow(t, cache)
		if c.err != nil {
			api.Fail("Compile", 1, c.err)
		}
		w, err := d.Load(nntest.Random(nntest.Specs()[5], random.New(1, random.Test)), kernels.BF16)
		if err != nil {
			t.Fatal(err)
		}
		if w.Way() == kernels.Layers {
			t.Errorf("%s: %s is used:\n%s", c.what, w.Way(), log)
		}
		if files, _ := filepath.Glob(filepath.Join(cache, "*.choice")); len(files) != c.kept {
			t.Errorf("%s: %d choices are kept, want %d", c.what, len(files), c.kept)
		}
	}
}

// TestTrialsLeaveTheDeviceAlone checks that choosing kernels allocates nothing in the device's own
// context, and that a loss in a trial leaves it as it is.
func TestTrialsLeaveTheDeviceAlone(t *testing.T) {
	api, d, _ := hollow(t, "")
	p, err := d.Session().Alloc(1000)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Prepare(nntest.Specs()[5], kernels.BF16); err != nil {
		t.Fatal(err)
	}
	if err := d.Session().Fill(p, 1, 1000, 0); err != nil {
		t.Error(err)
	}
	for _, left := range api.Left() {
		if strings.HasPrefix(left, "context 2") {
			t.Errorf("the trial leaves %s", left)
		}
	}
	if n := api.Calls("OpenSeparate"); n != 1 {
		t.Errorf("%d contexts were opened for trials, want 1", n)
	}
}

// TestTrialsAreRecorded checks what a process does that finds the record of another's trial.
func TestTrialsAreRecorded(t *testing.T) {
	cache := t.TempDir()
	_, d, _ := hollow(t, cache)
	info := d.Info()
	plan, err := kernels.NewInference(nntest.Specs()[5], kernels.BF16, kernels.MMA, &info)
	if err != nil {
		t.Fatal(err)
	}
	source := plan.Source()
	file := filepath.Join(cache, source.Key()+".trial")
	begin := func() (func(error), error) { return cuda.BeginTrial(d, plan) }
	// While one process tries, another passes the kernels over, whatever its process number.
	other, err := vfs.OS{}.Lock(file+".lock", "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := begin(); err == nil ||
		!strings.Contains(err.Error(), "another process tries these kernels") {
		t.Errorf("beside another: error %v", err)
	}
	other.Close()
	// Devices of one process try them at the same time; the record is there until the last ends.
	end, err := begin()
	if err != nil {
		t.Fatal(err)
	}
	beside, err := begin()
	if err != nil {
		t.Fatal(err)
	}
	end(nil)
	if text, err := os.ReadFile(file); err != nil || string(text) != "1" {
		t.Errorf("while a device tries, the record is %q, %v", text, err)
	}
	beside(nil)
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a trial that ended leaves its record: %v", err)
	}
	// Processes that ended in a trial: one may have been interrupted, after two the kernels are
	// blamed.
	for begun, want := range map[string]string{
		"": "", "1": "", "2": "2 processes ended while they tried these kernels",
	} {
		if err := os.WriteFile(file, []byte(begun), 0o644); err != nil {
			t.Fatal(err)
		}
		end, err := begin()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("after %q: error %v", begun, err)
		}
		if err == nil {
			end(nil)
		}
	}
	os.Remove(file)
	if end, err = begin(); err != nil {
		t.Fatal(err)
	}
	if beside, err = begin(); err != nil {
		t.Fatal(err)
	}
	end(&driver.LostError{Device: "fake", Code: 719})
	if _, err := begin(); err == nil ||
		!strings.Contains(err.Error(), "they lost another device") {
		t.Errorf("while a device is lost: error %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "lost" {
		t.Errorf("when a device is lost, the record is %q, %v", text, err)
	}
	beside(nil)
	if _, err := begin(); err == nil ||
		!strings.Contains(err.Error(), "they lost the device in an earlier process") {
		t.Errorf("after a loss: error %v", err)
	}
	// The lock is of the system: it ends with its holder.
	lock, err := vfs.OS{}.Lock(file+".lock", "test")
	if err != nil {
		t.Fatal(err)
	}
	lock.Close()
}

// TestKernelsAheadNeedNoCompiler loads a network on a device without a compiler whose kernels were
// compiled ahead: nothing is compiled, and of a shape for which only the kernels without a shape
// are there, these are used, in fp32 where there are none in the precision.
func TestKernelsAheadNeedNoCompiler(t *testing.T) {
	device := emulate.Hopper()
	spec, other := nntest.Specs()[1], nntest.Specs()[2]
	plan, err := kernels.NewInference(spec, kernels.BF16, kernels.WGMMA, &device)
	if err != nil {
		t.Fatal(err)
	}
	source, heads := plan.Source(), kernels.HeadsSource(kernels.BF16)
	images := map[string][]byte{
		driver.AheadName(&source, "sm_90"): []byte("tower"),
		driver.AheadName(&heads, "sm_90"):  []byte("heads"),
	}
	for _, s := range append(kernels.GeneralInferenceSources(kernels.TF32),
		kernels.LayeredSource()) {
		images[driver.AheadName(&s, "compute_80")] = []byte("general")
	}
	var file bytes.Buffer
	if err := driver.WriteAhead(&file, images); err != nil {
		t.Fatal(err)
	}
	ahead, err := driver.OpenAhead(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	api, log := fake.New(nil), &bytes.Buffer{}
	d, err := cuda.Open(fake.Wrap(api, func(c driver.Context) driver.Context { return bare{c} }), 0,
		cuda.Options{
			Unchecked: true, Candidates: 2, Ahead: ahead, Cache: t.TempDir(),
			Log: slog.New(slog.NewTextHandler(log, nil)),
		})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, c := range []struct {
		spec      nn.Spec
		precision kernels.Precision
		way       kernels.Way
	}{
		{spec, kernels.BF16, kernels.WGMMA}, {other, kernels.TF32, kernels.AnyShape},
		{other, kernels.BF16, kernels.Layers},
	} {
		w, err := d.Load(nntest.Random(c.spec, random.New(1, random.Test)), c.precision)
		if err != nil {
			t.Fatal(err)
		}
		if w.Way() != c.way {
			t.Errorf("%s is used, want %s:\n%s", w.Way(), c.way, log)
		}
	}
	if n := strings.Count(log.String(), `kernels="compiled ahead"`); n != 3 {
		t.Errorf("the log names %d kernels that were compiled ahead, want 3:\n%s", n, log)
	}
	contains(t, log, "libnvrtc was not found")
}

// bare is a context of a device that is not emulated, without a compiler.
type bare struct{ driver.Context }

func (b bare) Device() driver.Device {
	d := b.Context.Device()
	d.Emulated = false
	return d
}

func (bare) Compile(driver.Source) (image []byte, remarks string, err error) {
	return nil, "", &driver.LibraryError{Library: "libnvrtc", Advice: "install it"}
}

// real is a context of a device that is not emulated, whose towers of 128 threads take a time.
type real struct {
	driver.Context
	few     time.Duration
	threads *int // of the widest launch since Elapsed
}

func (r real) Device() driver.Device {
	d := r.Context.Device()
	d.Emulated = false
	return d
}

func (r real) Launch(f driver.Function, g driver.Grid, s driver.Stream, a *driver.Args) error {
	*r.threads = max(*r.threads, g.Threads[0])
	return r.Context.Launch(f, g, s, a)
}

func (r real) Elapsed(_, _ driver.Event) (time.Duration, error) {
	threads := *r.threads
	*r.threads = 0
	if threads == 128 {
		return r.few, nil
	}
	return time.Millisecond, nil
}

// TestSlowTowerForFewRows checks that a tower for few rows is used only if it is measured to be as
// fast as the other.
func TestSlowTowerForFewRows(t *testing.T) {
	params := nntest.Random(nntest.Presets()["paper-alphazero"], random.New(1, random.Test))
	for _, few := range []time.Duration{time.Millisecond, time.Millisecond + 1} {
		threads := 0
		d, err := cuda.Open(fake.Wrap(fake.New(nil), func(c driver.Context) driver.Context {
			return real{c, few, &threads}
		}), 0, cuda.Options{Unchecked: true, Candidates: 2})
		if err != nil {
			t.Fatal(err)
		}
		w, err := d.Load(params, kernels.BF16)
		if err != nil {
			t.Fatal(err)
		}
		if used := cuda.Towers(w, true); used != (few <= time.Millisecond) {
			t.Errorf("a tower of %v is used: %v", few, used)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
