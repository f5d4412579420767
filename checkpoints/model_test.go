package checkpoints

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"tengen/checkpoints/safetensors"
	"tengen/nn"
)

// Spec.Count equals the number of parameters that NewParams makes.
func TestCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := func(name string, from int) int { return rapid.IntRange(from, 5).Draw(t, name) }
		s := nn.Spec{
			Planes: dim("planes", 1), Height: dim("height", 1), Width: dim("width", 1),
			Players: dim("players", 1),
			Blocks:  dim("blocks", 0), Filters: dim("filters", 1), Hidden: dim("hidden", 1),
			Policy: rapid.SampledFrom([]string{
				nn.PolicyConv, nn.PolicyConvPass, nn.PolicyDense, nn.PolicyNone,
			}).Draw(t, "policy"),
			Value: nn.ValueLinear,
		}
		switch s.Policy {
		case nn.PolicyConv:
			s.Actions = s.Cells()
		case nn.PolicyConvPass:
			s.Actions = s.Cells() + 1
		default:
			s.Actions = dim("actions", 1)
		}
		if rapid.Bool().Draw(t, "categorical") {
			s.Value = nn.ValueCategorical
			for i := range dim("support", 2) {
				s.Support = append(s.Support, float32(i))
			}
		}
		p, err := nn.NewParams(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := s.Count(), float64(p.Count()); got != want {
			t.Fatalf("%+v: %v, want %v", s, got, want)
		}
	})
}

func modelBytes(t testing.TB, c *Checkpoint) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteModel(&b, c.Params, c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadModelRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(tensors []nn.Tensor, metadata map[string]string, spec *nn.Spec) []nn.Tensor
		kind   error
		want   string
	}{
		{"no game", func(x []nn.Tensor, m map[string]string, _ *nn.Spec) []nn.Tensor {
			delete(m, metaGame)
			return x
		},
			ErrMalformed, "does not name a game; tengen did not write it"},
		{"iteration", func(x []nn.Tensor, m map[string]string, _ *nn.Spec) []nn.Tensor {
			m[metaIteration] = "-1"
			return x
		},
			ErrMalformed, `the iteration as "-1"`},
		{"step", func(x []nn.Tensor, m map[string]string, _ *nn.Spec) []nn.Tensor {
			m[metaStep] = ""
			return x
		},
			ErrMalformed, `the step as ""`},
		{"folded", func(x []nn.Tensor, m map[string]string, _ *nn.Spec) []nn.Tensor {
			m[metaBatchNorm] = "folded"
			return x
		},
			ErrMalformed, "tengen export --no-fold"},
		{"more filters", func(x []nn.Tensor, _ map[string]string, s *nn.Spec) []nn.Tensor {
			s.Filters = 2
			return x
		},
			ErrSpec, "numbers, the tensors have"},
		{"absurd", func(x []nn.Tensor, _ map[string]string, s *nn.Spec) []nn.Tensor {
			s.Filters, s.Blocks, s.Hidden = 1<<40, 1<<40, 1<<40
			return x
		}, ErrSpec, "numbers, the tensors have"},
		{"no such head", func(x []nn.Tensor, _ map[string]string, s *nn.Spec) []nn.Tensor {
			s.Policy = "conv+"
			return x
		},
			ErrSpec, `no policy head is called "conv+"`},
		{"another shape", func(x []nn.Tensor, _ map[string]string, _ *nn.Spec) []nn.Tensor {
			x[0].Shape = []int{9}
			return x
		}, ErrSpec,
			`tensor "stem.weight" has shape [9], but the network described wants [1 1 3 3]`},
		{"another name", func(x []nn.Tensor, _ map[string]string, _ *nn.Spec) []nn.Tensor {
			x[0].Name = "root.weight"
			return x
		}, ErrSpec, `has a tensor "stem.weight", the file has none`},
		{"one more", func(x []nn.Tensor, _ map[string]string, _ *nn.Spec) []nn.Tensor {
			return append(x, nn.Tensor{Name: "extra", Shape: []int{0}})
		}, ErrSpec, "tensors, the file"},
	} {
		cp := sample(t, 1)
		tensors, metadata, err := safetensors.Decode(modelBytes(t, cp))
		if err != nil {
			t.Fatal(err)
		}
		spec := cp.Params.Spec
		tensors = c.damage(tensors, metadata, &spec)
		text, _ := json.Marshal(spec)
		metadata[metaNetwork] = string(text)
		var b bytes.Buffer
		if err := safetensors.Write(&b, tensors, metadata); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadModel(b.Bytes()); !errors.Is(err, c.kind) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.want)
		}
	}
}

// Files that are valid by themselves, but not of the same checkpoint.
func TestFilesOfDifferentCheckpoints(t *testing.T) {
	files := func(c *Checkpoint) map[string][]byte {
		s := onDisk(t.TempDir())
		if _, err := s.Save(c); err != nil {
			t.Fatal(err)
		}
		m, err := contents(s.FS, s.path(c.Iteration))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	mixed := files(sample(t, 2))
	mixed[modelFile] = files(sample(t, 4))[modelFile]
	if _, name, err := parse(mixed); name != modelFile || !errors.Is(err, ErrMalformed) ||
		!strings.Contains(err.Error(), "at iteration 4, step 40, but state.json is of") {
		t.Errorf("another iteration's network: %s: %v", name, err)
	}
	wide := sample(t, 2)
	spec := tinySpec()
	spec.Hidden = 2
	wide.Average = params(t, spec, 1)
	mixed = files(sample(t, 2))
	mixed[averageFile] = files(wide)[averageFile]
	if _, name, err := parse(mixed); name != averageFile || !errors.Is(err, ErrSpec) {
		t.Errorf("an average of another network: %s: %v", name, err)
	}
}

func TestLoadModel(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	s := onDisk(filepath.Join(run, "checkpoints"))
	save(t, s, 1, 2, 3)
	odd, even := sample(t, 1), sample(t, 2)
	for _, c := range []struct {
		path, file string
		iteration  int
		average    bool
		want       *nn.Params
	}{
		{run, "000003/model.safetensors", 3, false, sample(t, 3).Params},
		{s.Dir, "000003/model.safetensors", 3, false, sample(t, 3).Params},
		{s.path(1), "000001/model.safetensors", 1, false, odd.Params},
		{s.path(2), "000002/average.safetensors", 2, true, even.Average},
		{filepath.Join(s.path(2), modelFile), "000002/model.safetensors", 2, false, even.Params},
		{filepath.Join(s.path(2), averageFile), "000002/average.safetensors",
			2, false, even.Average},
	} {
		m, err := LoadModel(c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if m.Path != filepath.Join(s.Dir, c.file) || m.Iteration != c.iteration ||
			m.Step != uint64(10*c.iteration) || m.Game != odd.Game || m.Average != c.average ||
			len(m.PassedOver) > 0 {
			t.Errorf("%s: got %+v", c.path, m)
		}
		if diff := cmp.Diff(c.want, m.Params, cmpopts.IgnoreUnexported(nn.Params{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.path, diff)
		}
	}
	if err := os.Truncate(filepath.Join(s.path(3), stateFile), 3); err != nil {
		t.Fatal(err)
	}
	if m, err := LoadModel(run); err != nil || m.Iteration != 2 || len(m.PassedOver) != 1 {
		t.Errorf("with a damaged newest one: %+v, %v", m, err)
	}
	if _, err := LoadModel(s.path(3)); !errors.Is(err, ErrSize) {
		t.Errorf("the damaged one itself: %v", err)
	}
	if err := os.Remove(filepath.Join(s.path(1), manifestFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadModel(s.path(1)); !errors.Is(err, ErrMissing) {
		t.Errorf("a checkpoint without its manifest: %v", err)
	}
	empty := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(empty, "nowhere"): "no such file or folder",
		empty:                           "a run's folder, its checkpoints, one of them or a file model.safetensors is wanted",
	} {
		if _, err := LoadModel(path); !errors.Is(err, ErrNone) ||
			!strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "no checkpoint ") {
			t.Errorf("%s: got error %v", path, err)
		}
	}
	text := filepath.Join(empty, "config.yaml")
	if err := os.WriteFile(text, []byte("game: go:size=5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadModel(text); !errors.Is(err, ErrMalformed) ||
		!strings.Contains(err.Error(), "config.yaml") {
		t.Errorf("a file of another kind: got error %v", err)
	}
}

func FuzzReadModel(f *testing.F) {
	f.Add(modelBytes(f, sample(f, 1)))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadModel(data)
		if err != nil {
			return
		}
		c := &Checkpoint{Iteration: m.Iteration, Step: m.Step, Game: m.Game, Params: m.Params}
		again, err := ReadModel(modelBytes(t, c))
		if err != nil {
			t.Fatal(err)
		}
		if again.Game != m.Game || again.Iteration != m.Iteration || again.Step != m.Step ||
			again.Params.Count() != m.Params.Count() {
			t.Fatalf("%+v becomes %+v", m, again)
		}
	})
}
