package checkpoints

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"tengen/vfs/vfstest"
)

// FuzzLoad loads a checkpoint in which one file is replaced. If that succeeds, the
// checkpoint must equal what was saved, except that a manifest may omit the average.
func FuzzLoad(f *testing.F) {
	names := []string{manifestFile, stateFile, modelFile, averageFile, optimizerFile}
	for k, name := range names {
		data, err := os.ReadFile(filepath.Join("testdata", "000042", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(k), data)
		f.Add(uint8(k), data[:len(data)/2])
	}
	f.Add(uint8(0), []byte(`{"format":"tengen checkpoint","version":1,"files":[{"name":"model.safetensors","size":9223372036854775807,"sha256":""}]}`))
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		s := Store{FS: vfstest.NewMemory(), Dir: "c"}
		save(t, s, 42)
		name := names[int(which)%len(names)]
		rewrite(t, s.FS, filepath.Join(s.path(42), name), data)
		c, err := s.Load(s.path(42))
		if err != nil {
			return
		}
		want := sample(t, 42)
		if name == manifestFile {
			var m manifest
			if err := json.Unmarshal(data, &m); err != nil {
				t.Fatalf("a manifest that is not JSON is accepted: %v", err)
			}
			if len(m.Files) == 3 { // without the average
				want.Average = nil
			}
		}
		same(t, c, want)
	})
}

// Load allocates memory for the files' actual sizes, whatever the manifest claims.
func TestLoadTakesLittleMemory(t *testing.T) {
	s := Store{FS: vfstest.NewMemory(), Dir: "c"}
	save(t, s, 2)
	path := filepath.Join(s.path(2), manifestFile)
	var m manifest
	data, err := os.ReadFile(filepath.Join("testdata", "000042", manifestFile))
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Files {
		m.Files[i].Size = 1 << 40
	}
	var text bytes.Buffer
	if err := writeJSON(&text, m); err != nil {
		t.Fatal(err)
	}
	rewrite(t, s.FS, path, text.Bytes())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = s.Load(s.path(2))
	runtime.ReadMemStats(&after)
	if err == nil || !damage(err) {
		t.Errorf("files of a terabyte: %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}
