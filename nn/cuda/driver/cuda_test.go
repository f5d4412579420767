//go:build gpu && linux

package driver

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"tengen/internal/machine"
)

// stub is a driver library that records its arguments (testdata/cuda.c).
type stub struct {
	*cuda
	notes, fail uintptr
	began       string // what was recorded when it was opened
}

var buildStub = sync.OnceValues(func() (string, error) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "tengen-stub-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "stub.so")
	if log, err := exec.Command(gcc, "-std=gnu11", "-O1", "-shared", "-fPIC", "-o",
		path, "testdata/cuda.c").CombinedOutput(); err != nil {
		return "", errors.New(string(log))
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := buildStub(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// openStub opens the stub as driver and compiler.
func openStub(t testing.TB) *stub {
	t.Helper()
	path, err := buildStub()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("gcc was not found")
	}
	if err != nil {
		t.Fatal(err)
	}
	before := cudaLibraries
	cudaLibraries = []string{path}
	t.Setenv("TENGEN_NVRTC", path)
	compiler.nvrtc = nil
	t.Cleanup(func() { cudaLibraries, compiler.nvrtc = before, nil })
	c, err := openCUDA()
	if err != nil {
		t.Fatal(err)
	}
	h, err := purego.Dlopen(path, purego.RTLD_NOW)
	if err != nil {
		t.Fatal(err)
	}
	s := &stub{cuda: c}
	for name, p := range map[string]*uintptr{"stub_notes": &s.notes, "stub_fail": &s.fail} {
		if *p, err = purego.Dlsym(h, name); err != nil {
			t.Fatal(err)
		}
	}
	s.began = s.noted()
	return s
}

// TestConnections checks that the driver is started with the most hardware queues, unless the user
// says how many.
func TestConnections(t *testing.T) {
	for _, c := range []struct{ user, want string }{{"", "init 32;"}, {"4", "init 4;"}} {
		t.Setenv(connections, c.user)
		if s := openStub(t); !strings.HasSuffix(s.began, c.want) {
			t.Errorf("the user says %q: recorded %q, want %q", c.user, s.began, c.want)
		}
	}
}

// noted returns the arguments recorded since the last call.
func (s *stub) noted() string {
	r, _, _ := purego.SyscallN(s.notes)
	return text(r)
}

// failing makes the next call of a function return a result.
func (s *stub) failing(name string, result int) {
	n := cstring(name)
	purego.SyscallN(s.fail, uintptr(unsafe.Pointer(&n[0])), uintptr(result))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestDevicesAreDescribed(t *testing.T) {
	s := openStub(t)
	all, err := s.Devices()
	must(t, err)
	want := Device{
		Ordinal: 1, Name: "Stub 41", UUID: "GPU-292a2b2c-2d2e-2f30-3132-333435363738",
		PCI:   "041a:409:40a.0",
		Major: 9, Minor: 0, SMs: 1016, Memory: 5 << 32, SharedBlock: 1097, SharedSM: 1081,
		Registers: 1082, ThreadsSM: 1039, L2: 1038, ClockKHz: 1013,
	}
	if len(all) != 2 || all[1] != want {
		t.Errorf("devices %+v, of which the second should be %+v", all, want)
	}
	if s.Version() != 12080 {
		t.Errorf("version %d", s.Version())
	}
	if _, err := s.Open(2); err == nil ||
		!strings.Contains(err.Error(), "there is no device 2; the machine has 2") {
		t.Errorf("a third device: error %v", err)
	}
}

// TestArguments checks that every call's arguments arrive in C's order.
func TestArguments(t *testing.T) {
	s := openStub(t)
	s.noted()
	x, err := s.Open(1)
	must(t, err)
	p, err := x.Alloc(1000)
	must(t, err)
	q, err := x.Alloc(1000)
	must(t, err)
	b, err := x.AllocHost(100)
	must(t, err)
	st, err := x.NewStream(false)
	must(t, err)
	e, err := x.NewEvent(false)
	must(t, err)
	timed, err := x.NewEvent(true)
	must(t, err)
	for i := range b {
		b[i] = byte(i)
	}
	must(t, x.CopyIn(p, b, st))
	must(t, x.Copy(q+50, p+20, 30, st))
	must(t, x.Fill(q+60, 7, 5, st))
	out := make([]byte, 30)
	must(t, x.CopyOut(out, q+50, st))
	for i, v := range out {
		want := byte(20 + i)
		if i >= 10 && i < 15 {
			want = 7
		}
		if v != want {
			t.Fatalf("byte %d came back as %d, not %d", i, v, want)
		}
	}
	must(t, x.Record(e, st))
	must(t, x.WaitEvent(st, e))
	must(t, x.SynchronizeEvent(e))
	if _, err := x.Elapsed(e, timed); err != nil {
		t.Fatal(err)
	}
	must(t, x.Synchronize(st))
	must(t, x.Synchronize(0))
	m, err := x.Load([]byte("image"))
	must(t, err)
	f, err := x.Function(m, "tower")
	must(t, err)
	must(t, x.AllowShared(f, 99999))
	if n, err := x.Occupancy(f, 256, 1234); n != 3 || err != nil {
		t.Errorf("occupancy %d, %v", n, err)
	}
	info, err := x.FunctionInfo(f)
	must(t, err)
	if info != (FunctionInfo{Registers: 104, Shared: 101, Local: 103, MaxThreads: 100}) {
		t.Errorf("function %+v", info)
	}
	args := NewArgs().Ptr(0xabcdef0123).Int32(-5).Int64(-1 << 40).Float32(0.25)
	must(t, x.Launch(f,
		Grid{Blocks: [3]int{1, 2, 3}, Threads: [3]int{4, 5, 6}, Shared: 7}, st, args))
	must(t, x.Launch(f, Grid{Blocks: [3]int{1, 2, 3}, Threads: [3]int{4, 5, 6}}, 0, nil))
	must(t, x.Free(p))
	must(t, x.FreeHost(b))
	must(t, x.CloseEvent(e))
	must(t, x.Close())
	must(t, x.Close())
	got := s.noted()
	want := "flags 41 4;retain 41;alloc 1000;alloc 1000;pin 100 1;stream 1;event 3;event 1;" +
		"in 100 0x57;copy 30 0x57;fill 7 5 0x57;out 30 0x57;" +
		"record 0xe7 0x57;wait 0x57 0xe7 0;wait 0xe7;elapsed 0xe7 0xe7;wait 0x57;synchronize;" +
		"load image;function 0x30 tower;set 0xf0 8 99999;occupancy 0xf0 256 1234;" +
		"launch 0xf0 1 2 3 4 5 6 7 0x57 abcdef0123 -5 -1099511627776 0.25;" +
		"launch 0xf0 1 2 3 4 5 6 0 (nil);" +
		"free;unpin;close 0xe7;synchronize;"
	if !strings.HasPrefix(got, want) {
		t.Errorf("noted is\n%s, not\n%s", got, want)
	}
	// Close freed the rest, in any order; both events have the same handle here.
	for _, s := range []string{"free;", "close 0x57;", "unload 0x30;", "release 41;"} {
		if strings.Count(strings.TrimPrefix(got, want), s) != 1 {
			t.Errorf("%q is not freed once: %s", s, got)
		}
	}
}

// TestGraphs checks the calls of a capture, that its errors end it and leave nothing, and that a
// driver without graphs says so.
func TestGraphs(t *testing.T) {
	s := openStub(t)
	x, err := s.Open(1)
	must(t, err)
	defer x.Close()
	g := x.(Grapher)
	s.noted()
	capture := func() (Graph, error) {
		return g.Capture(0x57, func() error {
			return x.Launch(0xf0,
				Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}}, 0x57, nil)
		})
	}
	graph, err := capture()
	must(t, err)
	must(t, g.LaunchGraph(graph, 0x57))
	must(t, g.CloseGraph(graph))
	const launch = "launch 0xf0 1 1 1 1 1 1 0 0x57;"
	if got, want := s.noted(),
		"capture 0x57 2;"+launch+
			"captured 0x57;instantiate 0x96 0;destroy graph 0x96;graph 0x9e 0x57;destroy 0x9e;"; got != want {
		t.Errorf("noted is %s, want %s", got, want)
	}
	for call, want := range map[string]string{
		"cuStreamBeginCapture": "",
		"cuLaunchKernel":       "capture 0x57 2;captured 0x57;destroy graph 0x96;",
		"cuStreamEndCapture":   "capture 0x57 2;" + launch,
		"cuGraphInstantiate":   "capture 0x57 2;" + launch + "captured 0x57;destroy graph 0x96;",
	} {
		s.failing(call, 901)
		if _, err := capture(); err == nil || Lost(err) {
			t.Errorf("%s fails: error %v", call, err)
		}
		if got := s.noted(); got != want {
			t.Errorf("%s fails: noted is %s, want %s", call, got, want)
		}
	}
	s.failing("cuLaunchKernel", 700)
	if _, err := capture(); !Lost(err) {
		t.Errorf("the device is lost during a capture: error %v", err)
	}
	s.failing("cuGraphLaunch", 700)
	if err := g.LaunchGraph(graph, 0x57); !Lost(err) {
		t.Errorf("the device is lost when a graph is launched: error %v", err)
	}
	s.cuGraphLaunch = 0
	var missing *LibraryError
	if _, err := capture(); !errors.As(err, &missing) || missing.Missing != "cuGraphLaunch" {
		t.Errorf("a driver without graphs: error %v", err)
	}
}

// TestPriorities checks that urgent streams have the highest priority where the driver knows
// priorities, and that they are as all others where it doesn't.
func TestPriorities(t *testing.T) {
	s := openStub(t)
	x, err := s.Open(1)
	must(t, err)
	defer x.Close()
	created := func(urgent bool, want string) {
		t.Helper()
		s.noted()
		_, err := x.NewStream(urgent)
		if got := s.noted(); err != nil || got != want {
			t.Errorf("urgent: %v: noted is %s, %v; want %s", urgent, got, err, want)
		}
	}
	created(true, "stream 1 -5;")
	created(false, "stream 1;")
	s.failing("cuCtxGetStreamPriorityRange", 1)
	created(true, "stream 1;")
	s.failing("cuStreamCreateWithPriority", 700)
	if _, err := x.NewStream(true); !Lost(err) {
		t.Errorf("the device is lost when a stream is created: error %v", err)
	}
}

// TestWithoutPriorities is TestPriorities with a driver that lacks one of the functions.
func TestWithoutPriorities(t *testing.T) {
	for _, lacks := range []func(*libcuda) *uintptr{
		func(l *libcuda) *uintptr { return &l.cuPriorityRange },
		func(l *libcuda) *uintptr { return &l.cuStreamWithPriority },
	} {
		s := openStub(t)
		*lacks(&s.libcuda) = 0
		x, err := s.Open(1)
		must(t, err)
		s.noted()
		_, err = x.NewStream(true)
		if got := s.noted(); err != nil || got != "stream 1;" {
			t.Errorf("noted is %s, %v", got, err)
		}
		must(t, x.Close())
	}
}

// TestSeparateContexts checks that a context for trials is created and destroyed, not retained.
func TestSeparateContexts(t *testing.T) {
	s := openStub(t)
	s.noted()
	x, err := s.OpenSeparate(1)
	must(t, err)
	p, err := x.Alloc(10)
	must(t, err)
	must(t, x.Free(p))
	must(t, x.Close())
	must(t, x.Close())
	if got, want := s.noted(), "create 41 4;alloc 10;free;synchronize;destroy 0xc0;"; got != want {
		t.Errorf("noted is %s, want %s", got, want)
	}
	if _, err := s.OpenSeparate(2); err == nil {
		t.Error("a third device is opened")
	}
}

// TestReach checks that a context gets access to another's memory once.
func TestReach(t *testing.T) {
	s := openStub(t)
	x, err := s.Open(1)
	must(t, err)
	defer x.Close()
	n := x.(Neighbour)
	if n.Handle() == 0 {
		t.Error("the context has no handle")
	}
	s.noted()
	for code, works := range map[int]bool{0: true, 704: true, 217: false} {
		if code != 0 {
			s.failing("cuCtxEnablePeerAccess", code)
		}
		err := n.Reach(0x5c)
		if (err == nil) != works || Lost(err) {
			t.Errorf("result %d: %v", code, err)
		}
		if code == 0 {
			if got := s.noted(); got != "peer 0x5c 0;" {
				t.Errorf("noted is %s", got)
			}
		}
	}
	s.failing("cuCtxEnablePeerAccess", 700)
	if err := n.Reach(0x5c); !Lost(err) {
		t.Errorf("the device is lost: error %v", err)
	}
}

// TestCompilersPlaces checks that NVRTC is looked for in the active Python environment and the
// user's packages.
func TestCompilersPlaces(t *testing.T) {
	home, env, conda := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("VIRTUAL_ENV", env)
	t.Setenv("CONDA_PREFIX", conda)
	for _, path := range []string{
		filepath.Join(home,
			".local/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"),
		filepath.Join(env, "lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"),
		filepath.Join(conda, "lib/libnvrtc.so.12"),
	} {
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, nil, 0o644))
		if !slices.Contains(nvrtcLibraries(12040), path) {
			t.Errorf("%s is not looked for", path)
		}
	}
}

// TestAnyGoroutineMayCall checks calls from goroutines that change threads.
func TestAnyGoroutineMayCall(t *testing.T) {
	s := openStub(t)
	x, err := s.Open(0)
	must(t, err)
	defer x.Close()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				// the stub returns 201 if no context is current
				if _, _, err := x.Memory(); err != nil {
					t.Error(err)
					return
				}
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
}

func TestResultsBecomeErrors(t *testing.T) {
	s := openStub(t)
	x, err := s.Open(0)
	must(t, err)
	s.failing("cuMemAlloc", 2)
	_, err = x.Alloc(3 << 30)
	var m *MemoryError
	if !errors.As(err, &m) ||
		m.Error() !=
			"out of memory: 3072.0 MiB of the device's memory were wanted, 1000 bytes are free" {
		t.Errorf("out of memory: error %v", err)
	}
	s.failing("cuMemHostAlloc", 2)
	_, err = x.AllocHost(30)
	if !errors.As(err, &m) ||
		m.Error() != "out of memory: 30 bytes of pinned host memory were wanted" {
		t.Errorf("out of host memory: error %v", err)
	}
	s.failing("cuStreamSynchronize", 700)
	err = x.Synchronize(5)
	var lost *LostError
	if !errors.As(err, &lost) ||
		err.Error() != "device lost: Stub 40: cuStreamSynchronize: an illegal memory access was encountered (700)" {
		t.Errorf("a kernel's failure: error %v", err)
	}
	s.failing("cuMemcpyHtoDAsync", 1)
	var call *CallError
	if err := x.CopyIn(1, []byte{1}, 0); !errors.As(err, &call) || call.Code != 1 ||
		call.Call != "cuMemcpyHtoDAsync" {
		t.Errorf("a copy: error %v", err)
	}
	s.failing("cuEventQuery", resultNotReady)
	if done, err := x.Done(1); done || err != nil {
		t.Errorf("an event not reached: %v, %v", done, err)
	}
	if done, err := x.Done(1); err == nil || done {
		t.Errorf("the stub returns 1 for another event, but Done returns %v, %v", done, err)
	}
	if _, err := x.Elapsed(1, 2); err != nil {
		t.Error(err)
	}
	if d, _ := x.Elapsed(1, 2); d != 1500*time.Microsecond {
		t.Errorf("elapsed %v", d)
	}
	if err := x.FreeHost(make([]byte, 1)); err == nil {
		t.Error("FreeHost accepts Go's memory")
	}
	s.failing("cuCtxSetCurrent", 4)
	if err := x.Record(1, 1); !errors.As(err, &lost) {
		t.Errorf("a device that is gone: error %v", err)
	}
	// A device that another process has for itself is not lost: it can be used later.
	s.failing("cuCtxCreate", 46)
	if _, err := s.OpenSeparate(0); Lost(err) || !errors.As(err, &call) ||
		!strings.Contains(err.Error(), "Stub 40 is in exclusive mode") {
		t.Errorf("a device in exclusive mode: error %v", err)
	}
}

func TestLaunchAllocatesNothing(t *testing.T) {
	s := openStub(t)
	x, err := s.Open(0)
	must(t, err)
	defer x.Close()
	args := NewArgs().Ptr(1).Int32(2).Int64(3).Float32(4)
	b, err := x.AllocHost(10)
	must(t, err)
	p, err := x.Alloc(10)
	must(t, err)
	n := testing.AllocsPerRun(100, func() {
		args.SetFloat32(3, 7)
		if x.Launch(1, Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}}, 1, args) != nil ||
			x.CopyIn(p, b, 1) != nil || x.CopyOut(b, p, 1) != nil || x.Record(1, 1) != nil ||
			x.Synchronize(1) != nil {
			t.Error("a call failed")
		}
		s.noted()
	})
	if n > 1 { // one for the string of noted
		t.Errorf("%v allocations", n)
	}
}

// TestBurst checks that the calls of a row are those made one by one, that the context is made
// current once for them, and that a context that is lost says so at the beginning.
func TestBurst(t *testing.T) {
	s := openStub(t)
	x, err := s.Open(0)
	must(t, err)
	defer x.Close()
	p, err := x.Alloc(64)
	must(t, err)
	host, err := x.AllocHost(64)
	must(t, err)
	args := NewArgs().Ptr(1).Int32(2)
	grid := Grid{Blocks: [3]int{52, 1, 1}, Threads: [3]int{512, 1, 1}}
	row := func(c Calls) string {
		s.noted()
		must(t, errors.Join(c.CopyIn(p, host, 1), c.CopyIn(p, nil, 1), c.Launch(1, grid, 1, args),
			c.CopyOut(host, p, 1), c.CopyOut(nil, p, 1), c.Record(1, 1)))
		return s.noted()
	}
	want := row(x)
	s.failing("cuCtxSetCurrent", 4)
	if _, err := Begin(x); !Lost(err) {
		t.Errorf("a lost context: error %v", err)
	}
	calls, err := Begin(x)
	must(t, err)
	s.failing("cuCtxSetCurrent", 4) // it is not called
	got := row(calls)
	End(x)
	if got != want || got == "" {
		t.Errorf("recorded %q, one by one %q", got, want)
	}
	if err := x.Record(1, 1); !Lost(err) {
		t.Errorf("the next call: error %v", err)
	}
	must(t, x.Record(1, 1))
}

// BenchmarkBatchCalls makes the calls of a batch of any number of rows, as package cuda does, with
// a driver that does nothing: what they cost the host, and fails above 5 µs of processor time. A
// batch of 512 rows is to cost at most 10 µs in all, one of 32 at most 6; both make the same calls,
// and package cuda's BenchmarkSmallBatch has what comes beside them.
func BenchmarkBatchCalls(b *testing.B) {
	s := openStub(b)
	h, err := purego.Dlopen(cudaLibraries[0], purego.RTLD_NOW)
	must(b, err)
	quiet, err := purego.Dlsym(h, "stub_quiet")
	must(b, err)
	x, err := s.Open(0)
	must(b, err)
	defer x.Close()
	p, err := x.Alloc(64)
	must(b, err)
	host, err := x.AllocHost(64)
	must(b, err)
	purego.SyscallN(quiet, 1)
	defer purego.SyscallN(quiet, 0)
	args := NewArgs().Ptr(1).Int32(2).Int64(3).Float32(4)
	grid := Grid{Blocks: [3]int{52, 1, 1}, Threads: [3]int{512, 1, 1}, Shared: 200 << 10}
	b.ReportAllocs()
	began := machine.CPUTime() // unlike the time of day, it does not depend on what else runs
	defer func() {
		ns := float64(machine.CPUTime()-began) / float64(b.N)
		b.ReportMetric(ns, "cpu-ns/op")
		if b.N > 10_000 && ns > 5000 {
			b.Errorf("the calls of a batch take %.0f ns of processor time, at most 5000 are wanted",
				ns)
		}
	}()
	for b.Loop() {
		calls, err := Begin(x)
		must(b, err)
		err = calls.CopyIn(p, host, 1)
		for range 3 { // the tower and the heads
			if err == nil {
				err = calls.Launch(1, grid, 1, args)
			}
		}
		if err == nil {
			err = calls.CopyOut(host[:32], p, 1)
		}
		if err == nil {
			err = calls.CopyOut(host[32:], p, 1)
		}
		if err == nil {
			err = calls.Record(1, 1)
		}
		End(x)
		if err == nil {
			err = x.SynchronizeEvent(1)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func TestCompile(t *testing.T) {
	s := openStub(t)
	x, err := s.Open(0)
	must(t, err)
	s.noted()
	src := Source{
		Name: "test.cu", Text: "text", Headers: map[string]string{"b.h": "two", "a.h": "one"},
		Defines: []string{"N=5"}, MaxRegisters: 128,
	}
	image, _, err := x.Compile(src)
	must(t, err)
	if string(image) != "CUBIN" {
		t.Errorf("image %q", image)
	}
	want := "program test.cu text a.h=one b.h=two;compile 0x90 --gpu-architecture=sm_90a --std=c++17 --use_fast_math --maxrregcount=128 --define-macro=N=5;destroy 0x90;"
	if got := s.noted(); !strings.HasPrefix(got, want) {
		t.Errorf("noted is %q, not %q", got, want)
	}
	if c, err := x.Compiler(); c != "NVRTC 12.6" || err != nil {
		t.Errorf("compiler %q, %v", c, err)
	}
	x.(*cudaContext).device.Major = 12
	if image, _, err = x.Compile(src); string(image) != "PTX\x00" || err != nil {
		t.Errorf("for a later device: image %q, error %v", image, err)
	}
	x.(*cudaContext).device.Major = 6
	if _, _, err = x.Compile(src); err == nil ||
		!strings.Contains(err.Error(), "can't compile for compute capability 6.0") {
		t.Errorf("for an old device: error %v", err)
	}
	x.(*cudaContext).device.Major = 9
	src.Text = "wrong"
	s.noted()
	_, _, err = x.Compile(src)
	var c *CompileError
	if !errors.As(err, &c) || err.Error() != "compile test.cu: test.cu(1): error: q is no" {
		t.Errorf("a wrong text: error %v", err)
	}
}

// TestMissingLibraries checks the one-line errors without a driver and with an old one.
func TestMissingLibraries(t *testing.T) {
	before := cudaLibraries
	cudaLibraries = []string{"libcuda-that-is-nowhere.so.1"}
	defer func() { cudaLibraries = before }()
	_, err := openCUDA()
	var l *LibraryError
	if !errors.As(err, &l) || strings.Contains(err.Error(), "\n") ||
		!strings.HasPrefix(err.Error(),
			"libcuda-that-is-nowhere.so.1 was not found: install the NVIDIA driver") {
		t.Errorf("no driver: error %v", err)
	}
	cudaLibraries = []string{"libm.so.6"}
	if _, err := openCUDA(); !errors.As(err, &l) || l.Missing == "" {
		t.Errorf("another library: error %v", err)
	}
	path, err := buildStub()
	if err != nil {
		t.Skip(err)
	}
	cudaLibraries = []string{path}
	t.Setenv("STUB_OLD", "1") // Go's environment, not C's
	if err := setenvC("STUB_OLD", "1"); err != nil {
		t.Fatal(err)
	}
	defer setenvC("STUB_OLD", "")
	_, err = openCUDA()
	var v *VersionError
	if !errors.As(err, &v) ||
		err.Error() != "the NVIDIA driver supports CUDA 11.2; at least 11.8 is wanted" {
		t.Errorf("an old driver: error %v", err)
	}
}

// setenvC changes C's environment; "" unsets.
func setenvC(name, value string) error {
	h, err := purego.Dlopen("libc.so.6", purego.RTLD_NOW)
	if err != nil {
		return err
	}
	n, v := cstring(name), cstring(value)
	f, err := purego.Dlsym(h, map[bool]string{true: "unsetenv", false: "setenv"}[value == ""])
	if err != nil {
		return err
	}
	purego.SyscallN(f, uintptr(unsafe.Pointer(&n[0])), uintptr(unsafe.Pointer(&v[0])), 1)
	return nil
}

// TestOpen opens the driver; without one, the error must say what to do.
func TestOpen(t *testing.T) {
	api, err := Open()
	var l *LibraryError
	switch {
	case err == nil:
		if _, err := api.Devices(); err != nil {
			t.Error(err)
		}
	case errors.As(err, &l):
		if strings.Contains(err.Error(), "\n") ||
			!strings.Contains(err.Error(), "install the NVIDIA driver") {
			t.Errorf("error %q", err)
		}
		t.Log(err)
	default:
		t.Log(err)
	}
}
