package checkpoints

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func tinySpec() nn.Spec {
	return nn.Spec{
		Planes: 1, Height: 1, Width: 2, Players: 2, Actions: 2, Filters: 1, Hidden: 1,
		Policy: nn.PolicyConv, Value: nn.ValueCategorical, Support: []float32{0, 0.5, 1},
	}
}

func params(t testing.TB, spec nn.Spec, seed uint64) *nn.Params {
	t.Helper()
	p, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	// Simple arithmetic, so that the golden files depend on nothing else.
	n := seed % 1000
	for _, x := range p.Tensors {
		for i := range x.Data {
			n = (n*75 + 74) % 65537
			x.Data[i] = float32(n)/65536 - 0.25
		}
	}
	return p
}

// sample returns a checkpoint whose contents depend on the iteration.
func sample(t testing.TB, iteration int) *Checkpoint {
	t.Helper()
	c := &Checkpoint{
		Iteration: iteration, Step: uint64(10 * iteration), Game: "pairs:size=2",
		Params: params(t, tinySpec(), uint64(iteration)),
		Optimizer: []nn.Tensor{
			{Name: "momentum.stem.weight", Shape: []int{1, 2},
				Data: []float32{float32(iteration), 2}},
		},
		State: json.RawMessage(fmt.Sprintf(`{"games": %d, "rng": [1, 2]}`, 1000*iteration)),
	}
	if iteration%2 == 0 {
		c.Average = params(t, tinySpec(), uint64(iteration)+1_000_000)
	}
	return c
}

var sameCheckpoint = cmp.Options{
	cmpopts.IgnoreUnexported(nn.Params{}),
	cmp.Transformer("JSON", func(raw json.RawMessage) (v any) {
		json.Unmarshal(raw, &v)
		return v
	}),
}

func same(t *testing.T, got, want *Checkpoint) {
	t.Helper()
	if diff := cmp.Diff(want, got, sameCheckpoint); diff != "" {
		t.Fatalf("the checkpoint differs (-want +got):\n%s", diff)
	}
	// Tensors can be found by name.
	got.Params.Get("stem.weight")
}

func save(t testing.TB, s Store, iterations ...int) {
	t.Helper()
	for _, i := range iterations {
		if _, err := s.Save(sample(t, i)); err != nil {
			t.Fatal(err)
		}
	}
}

func iterations(t *testing.T, s Store) string {
	t.Helper()
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var b []string
	for _, e := range list {
		b = append(b, fmt.Sprint(e.Iteration))
	}
	return strings.Join(b, " ")
}

func TestSaveAndLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "first", "checkpoints")
	for _, i := range []int{0, 41, 42, 1_234_567} {
		path, err := Save(dir, sample(t, i))
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(dir, fmt.Sprintf("%06d", i)); path != want {
			t.Fatalf("saved to %s, want %s", path, want)
		}
		got, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, sample(t, i))
	}
	if _, err := Save(dir, sample(t, 42)); !errors.Is(err, ErrExists) {
		t.Errorf("saving an iteration twice: got error %v", err)
	}
	bare := &Checkpoint{
		Iteration: 43, Game: "pairs", Params: params(t, tinySpec(), 1), Optimizer: []nn.Tensor{},
	}
	path, err := Save(dir, bare)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, bare)
	if got := iterations(t, onDisk(dir)); got != "0 41 42 43 1234567" {
		t.Errorf("listed: %s", got)
	}
	list, err := List(dir)
	if err != nil || list[1].Path != filepath.Join(dir, "000041") {
		t.Errorf("List: %v, %v", list, err)
	}
}

func TestGolden(t *testing.T) {
	dir := "testdata"
	if *update {
		if err := os.RemoveAll(filepath.Join(dir, "000042")); err != nil {
			t.Fatal(err)
		}
		save(t, onDisk(dir), 42)
	}
	c, err := Load(filepath.Join(dir, "000042"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, c, sample(t, 42))
	// Writing the checkpoint again gives the same files.
	fresh := onDisk(t.TempDir())
	save(t, fresh, 42)
	for _, name := range []string{modelFile, averageFile, optimizerFile, stateFile, manifestFile} {
		want, err := os.ReadFile(filepath.Join(dir, "000042", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(fresh.path(42), name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s has changed", name)
		}
	}
}

func TestSaveRefuses(t *testing.T) {
	nan := float32(math.NaN())
	for name, damage := range map[string]func(c *Checkpoint){
		"iteration -1 is negative": func(c *Checkpoint) { c.Iteration = -1 },
		"the game has no name":     func(c *Checkpoint) { c.Game = "" },
		"there is no network":      func(c *Checkpoint) { c.Params = nil },
		"state is not JSON": func(c *Checkpoint) {
			c.State = json.RawMessage("{")
		},
		"average: number 0 of stem.weight is NaN": func(c *Checkpoint) {
			c.Average.Tensors[0].Data[0] = nan
		},
		"optimizer: number 1 of momentum": func(c *Checkpoint) { c.Optimizer[0].Data[1] = nan },
		"network: number 2 of stem.weight is +Inf": func(c *Checkpoint) {
			c.Params.Tensors[0].Data[2] = float32(math.Inf(1))
		},
	} {
		fsys := vfstest.NewMemory()
		c := sample(t, 2)
		damage(c)
		if _, err := (Store{FS: fsys, Dir: "checkpoints"}).Save(c); err == nil ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("got error %v, want %q", err, name)
		}
		if _, err := fsys.Stat("checkpoints"); err == nil {
			t.Errorf("%s: something is written", name)
		}
	}
}

// rewrite replaces a file.
func rewrite(t *testing.T, fsys vfs.FS, path string, data []byte) {
	t.Helper()
	if err := vfs.WriteFile(fsys, path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestDamageIsFoundAtEveryByte(t *testing.T) {
	s := Store{FS: vfstest.NewMemory(), Dir: "c"}
	save(t, s, 2)
	want := sample(t, 2)
	for _, name := range []string{modelFile, averageFile, optimizerFile, stateFile, manifestFile} {
		path := filepath.Join(s.path(2), name)
		good, err := vfs.ReadFile(s.FS, path)
		if err != nil {
			t.Fatal(err)
		}
		for n := range good {
			rewrite(t, s.FS, path, good[:n])
			_, err := s.Load(s.path(2))
			switch {
			case err == nil && name == manifestFile && n == len(good)-1: // the last line's end
			case err == nil || !strings.Contains(err.Error(), name) || !damage(err):
				t.Fatalf("%s cut to %d of %d bytes: %v", name, n, len(good), err)
			case name != manifestFile && !errors.Is(err, ErrSize):
				t.Fatalf("%s cut to %d of %d bytes: %v", name, n, len(good), err)
			}
			bit := byte(1) << (n % 8)
			for _, flip := range []byte{bit, 0x20} { // 0x20 changes a letter's case
				damaged := bytes.Clone(good)
				damaged[n] ^= flip
				rewrite(t, s.FS, path, damaged)
				c, err := s.Load(s.path(2))
				switch {
				case name != manifestFile && !errors.Is(err, ErrChanged):
					t.Fatalf("%s, byte %d flipped by %#x: %v", name, n, flip, err)
				case err == nil: // a manifest with the same meaning
					same(t, c, want)
				case !damage(err) && !errors.Is(err, ErrVersion):
					t.Fatalf("%s, byte %d flipped by %#x: %v", name, n, flip, err)
				}
			}
		}
		rewrite(t, s.FS, path, good)
	}
	c, err := s.Load(s.path(2))
	if err != nil {
		t.Fatal(err)
	}
	same(t, c, want)
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	replace := func(old, new string) func(t *testing.T, fsys vfs.FS, path string) {
		return func(t *testing.T, fsys vfs.FS, path string) {
			file := filepath.Join(path, manifestFile)
			data, err := vfs.ReadFile(fsys, file)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(data), old, new, 1)
			if changed == string(data) {
				t.Fatalf("the manifest holds no %q", old)
			}
			rewrite(t, fsys, file, []byte(changed))
		}
	}
	remove := func(name string) func(t *testing.T, fsys vfs.FS, path string) {
		return func(t *testing.T, fsys vfs.FS, path string) {
			fsys.RemoveAll(filepath.Join(path, name))
		}
	}
	for _, c := range []struct {
		damage func(t *testing.T, fsys vfs.FS, path string)
		kind   error
		want   string
	}{
		{remove(modelFile), ErrMissing, "checkpoint c/000002: model.safetensors: missing"},
		{remove(manifestFile), ErrMissing, "manifest.json: missing"},
		{remove(""), ErrMissing, "manifest.json: missing"},
		{replace(`"version": 1`, `"version": 2`), ErrVersion,
			"unknown version 2; this program reads version 1"},
		{replace(`"version": 1`, `"version": 2, "new": {}`), ErrVersion, "unknown version 2"},
		{replace(`"tengen checkpoint"`, `"something"`), ErrMalformed, `format "something"`},
		{replace(`"name": "state.json"`, `"name": "../state.json"`), ErrMalformed,
			`it lists a file "../state.json"`},
		{replace(`"name": "state.json"`, `"name": "model.safetensors"`), ErrMalformed,
			"it lists model.safetensors twice"},
		{replace(`"name": "state.json"`, `"name": "average.safetensors"`), ErrMalformed,
			"it lists average.safetensors twice"},
		{replace(`"files"`, `"file"`), ErrMalformed, "unknown field"},
		{func(t *testing.T, fsys vfs.FS, path string) {
			rewrite(t, fsys, filepath.Join(path, manifestFile),
				[]byte(`{"format": "tengen checkpoint", "version": 1}`))
		}, ErrMalformed, "it does not list model.safetensors"},
		{func(t *testing.T, fsys vfs.FS, path string) {
			rewrite(t, fsys, filepath.Join(path, manifestFile),
				bytes.Repeat([]byte(" "), maxManifest+1))
		}, ErrMalformed, "65537 bytes; the maximum is 65536"},
	} {
		s := Store{FS: vfstest.NewMemory(), Dir: "c"}
		save(t, s, 2)
		c.damage(t, s.FS, s.path(2))
		if _, err := s.Load(s.path(2)); !errors.Is(err, c.kind) ||
			!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got error %v, want %q", err, c.want)
		}
	}
}

func TestLatest(t *testing.T) {
	s := Store{FS: vfstest.NewMemory(), Dir: "run/checkpoints"}
	if _, _, err := s.Latest(); !errors.Is(err, ErrNone) {
		t.Fatalf("no folder: got error %v", err)
	}
	save(t, s, 1, 2, 3, 10)
	rewrite(t, s.FS, "run/checkpoints/99", nil) // not a folder
	s.FS.Mkdir("run/checkpoints/011", 0o755)    // not a name that Save uses
	expect := func(want int, damaged ...string) {
		t.Helper()
		c, passedOver, err := s.Latest()
		if err != nil {
			t.Fatal(err)
		}
		same(t, c, sample(t, want))
		if len(passedOver) != len(damaged) {
			t.Fatalf("passed over: %v", passedOver)
		}
		for i, e := range passedOver {
			if !strings.Contains(e.Error(), damaged[i]) {
				t.Fatalf("passed over: %v, want %s", e, damaged[i])
			}
		}
	}
	expect(10)
	s.FS.RemoveAll(filepath.Join(s.path(10), stateFile))
	expect(3, "000010: state.json: missing")
	rewrite(t, s.FS, filepath.Join(s.path(3), modelFile), []byte("short"))
	expect(2, "000010", "000003: model.safetensors: wrong size")
	// A folder that has been renamed.
	s.FS.Rename(s.path(2), s.path(12))
	expect(1, "000012: malformed: it is of iteration 2", "000010", "000003")
	s.FS.RemoveAll(s.path(1))
	if _, passedOver, err := s.Latest(); !errors.Is(err, ErrNone) ||
		!strings.Contains(err.Error(), "all 3 are damaged") || len(passedOver) != 3 {
		t.Fatalf("only damaged ones: got error %v, passed over %v", err, passedOver)
	}
}

// If the file system can't be read, Latest returns the error, not an older checkpoint.
func TestLatestReportsTheDisk(t *testing.T) {
	fsys := vfstest.NewFaulty(vfstest.NewMemory(), nil)
	s := Store{FS: fsys, Dir: "c"}
	save(t, s, 1, 2)
	for n := 1; ; n++ {
		fsys.Inject(vfstest.At(n, vfstest.Once))
		c, _, err := s.Latest()
		if fsys.Failed() == nil {
			break
		}
		if err == nil && c.Iteration != 2 || err != nil && !errors.Is(err, vfstest.ErrInjected) {
			t.Fatalf("operation %d (%v): got %v, error %v", n, fsys.Failed(), c, err)
		}
	}
}

// Whichever operation fails and however the machine stops after it, the newest valid
// checkpoint is the previous or the new one, and the new one if Save returned no error.
// Saving works again afterwards.
func TestSaveSurvivesEveryFault(t *testing.T) {
	// there is a damaged checkpoint of the new one's iteration
	for _, damaged := range []bool{false, true} {
		for _, mode := range []vfstest.Mode{vfstest.Once, vfstest.Torn, vfstest.Dead} {
			for cut := range 4 {
				for n := 1; ; n++ {
					disk := vfstest.NewMemory()
					fsys := vfstest.NewFaulty(disk, nil)
					s := Store{FS: fsys, Dir: "run/checkpoints"}
					save(t, s, 41)
					if damaged {
						save(t, s, 42)
						rewrite(t, fsys, filepath.Join(s.path(42), modelFile), []byte("x"))
					}
					fsys.Inject(vfstest.At(n, mode))
					path, saved := s.Save(sample(t, 42))
					failed := fsys.Failed()
					fsys.Inject(nil)
					where := fmt.Sprintf("damaged %v, mode %d, cut %d, operation %d (%v)",
						damaged, mode, cut, n, failed)
					if (saved == nil) != (path == s.path(42)) {
						t.Fatalf("%s: path %q, error %v", where, path, saved)
					}
					switch cut {
					case 0:
					case 1:
						disk.PowerCut(nil)
					default:
						disk.PowerCut(random.New(uint64(n), random.Test, uint64(cut)))
					}
					c, _, err := s.Latest()
					if err != nil {
						t.Fatalf("%s: %v", where, err)
					}
					if c.Iteration != 42 && (c.Iteration != 41 || saved == nil) {
						t.Fatalf("%s: Save's error is %v, the latest is %d",
							where, saved, c.Iteration)
					}
					same(t, c, sample(t, c.Iteration))
					if _, err := s.Save(sample(t, 42)); err != nil &&
						(c.Iteration == 41 || !errors.Is(err, ErrExists)) {
						t.Fatalf("%s: saving again: %v", where, err)
					}
					save(t, s, 43)
					entries, _ := fsys.ReadDir(s.Dir)
					if len(entries) != 3 {
						t.Fatalf("%s: in the end the folder holds %v", where, entries)
					}
					if failed == nil {
						if n < 20 {
							t.Fatalf("only %d operations were made", n-1)
						}
						break
					}
				}
			}
		}
	}
}

// Saving an iteration again never removes the valid checkpoint of that iteration, even
// if it can't be read at the moment.
func TestSaveNeverReplacesAValidCheckpoint(t *testing.T) {
	for n := 1; ; n++ {
		fsys := vfstest.NewFaulty(vfstest.NewMemory(), nil)
		s := Store{FS: fsys, Dir: "c"}
		save(t, s, 42)
		fsys.Inject(vfstest.At(n, vfstest.Once))
		_, err := s.Save(sample(t, 42))
		if fsys.Failed() == nil {
			break
		}
		if !errors.Is(err, ErrExists) && !errors.Is(err, vfstest.ErrInjected) {
			t.Fatalf("operation %d: got error %v", n, err)
		}
		for _, op := range fsys.Log() {
			if strings.HasPrefix(op, "rename") || strings.HasPrefix(op, "remove") {
				t.Fatalf("operation %d fails, then: %s", n, op)
			}
		}
	}
}

func TestSaveCleansUp(t *testing.T) {
	fsys := vfstest.NewMemory()
	s := Store{FS: fsys, Dir: "c"}
	save(t, s, 1)
	if err := fsys.Mkdir("c/.000002.tmp", 0o755); err != nil {
		t.Fatal(err)
	}
	rewrite(t, fsys, "c/.000002.tmp/model.safetensors", []byte("half"))
	if got := iterations(t, s); got != "1" {
		t.Fatalf("listed: %s", got)
	}
	save(t, s, 3)
	if _, err := fsys.Stat("c/.000002.tmp"); err == nil {
		t.Error("the incomplete checkpoint is still there")
	}
}

// TestInItsPlace: a checkpoint that was moved away and linked back is one; a file, or a link that
// leads nowhere, is a damaged one, which Latest names and Save replaces.
func TestInItsPlace(t *testing.T) {
	at := func(iteration int) *Checkpoint { return sample(t, iteration) }
	dir, away := t.TempDir(), t.TempDir()
	for n := 1; n <= 2; n++ {
		if _, err := Save(dir, at(n)); err != nil {
			t.Fatal(err)
		}
	}
	second := filepath.Join(dir, Name(2))
	if err := os.Rename(second, filepath.Join(away, "moved")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(away, "moved"), second); err != nil {
		t.Skip(err)
	}
	if c, passedOver, err := Latest(dir); err != nil || len(passedOver) > 0 || c.Iteration != 2 {
		t.Fatalf("a link: %v, %v, %v", c, passedOver, err)
	}
	if _, err := Save(dir, at(2)); !errors.Is(err, ErrExists) {
		t.Errorf("a link: %v", err)
	}
	for name, put := range map[string]func() error{
		"file": func() error {
			return os.WriteFile(second, []byte("x"), 0o644)
		},
		"link that leads nowhere": func() error {
			return os.Symlink(filepath.Join(away, "nothing"), second)
		},
		"link that leads to itself": func() error { return os.Symlink(second, second) },
	} {
		if err := os.RemoveAll(second); err != nil {
			t.Fatal(err)
		}
		if err := put(); err != nil {
			t.Fatal(err)
		}
		c, passedOver, err := Latest(dir)
		if name == "link that leads to itself" {
			if err == nil {
				t.Errorf("%s: nothing is said", name) // the file system's error
			}
			continue
		}
		if err != nil || len(passedOver) != 1 || c.Iteration != 1 {
			t.Errorf("%s: %v, %v", name, passedOver, err)
		}
		if _, err := Save(dir, at(2)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c, _, err := Latest(dir); err != nil || c.Iteration != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(away, "moved", manifestFile)); err != nil {
		t.Errorf("what the link led to: %v", err)
	}
}
