package checkpoints

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"tengen/vfs"
)

// The files of a checkpoint.
const (
	modelFile     = "model.safetensors"
	averageFile   = "average.safetensors" // only with averaged weights
	optimizerFile = "optimizer.safetensors"
	stateFile     = "state.json"
	manifestFile  = "manifest.json"
)

const (
	formatName    = "tengen checkpoint"
	formatVersion = 1
	maxManifest   = 1 << 16 // bytes
)

// manifest lists the other files of a checkpoint.
type manifest struct {
	Format  string   `json:"format"`
	Version int      `json:"version"`
	Files   []listed `json:"files"`
}

type listed struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // hexadecimal
}

// recorder passes data to w and computes its size and checksum.
type recorder struct {
	w    io.Writer
	hash interface {
		io.Writer
		Sum([]byte) []byte
	}
	size int64
}

func newRecorder(w io.Writer) *recorder { return &recorder{w: w, hash: sha256.New()} }

func (r *recorder) Write(p []byte) (int, error) {
	n, err := r.w.Write(p)
	r.hash.Write(p[:n])
	r.size += int64(n)
	return n, err
}

func (r *recorder) entry(name string) listed {
	return listed{name, r.size, hex.EncodeToString(r.hash.Sum(nil))}
}

// contents reads and verifies all files of a checkpoint, and returns them by name.
func contents(fsys vfs.FS, path string) (map[string][]byte, error) {
	m, err := readManifest(fsys, path)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range m.Files {
		data, err := readVerified(fsys, filepath.Join(path, e.Name), e)
		if err != nil {
			return nil, fmt.Errorf("checkpoint %s: %s: %w", path, e.Name, err)
		}
		files[e.Name] = data
	}
	return files, nil
}

func readManifest(fsys vfs.FS, path string) (*manifest, error) {
	fail := func(err error) (*manifest, error) {
		return nil, fmt.Errorf("checkpoint %s: %s: %w", path, manifestFile, err)
	}
	data, err := readBounded(fsys, filepath.Join(path, manifestFile), maxManifest)
	if err != nil {
		return fail(err)
	}
	// Check the version first: a manifest of another version may have other fields.
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fail(fmt.Errorf("%w: %w", ErrMalformed, err))
	}
	if head.Format != formatName {
		return fail(fmt.Errorf("%w: format %q, want %q", ErrMalformed, head.Format, formatName))
	}
	if head.Version != formatVersion {
		return fail(fmt.Errorf("%w %d; this program reads version %d",
			ErrVersion, head.Version, formatVersion))
	}
	var m manifest
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return fail(fmt.Errorf("%w: %w", ErrMalformed, err))
	}
	seen := map[string]bool{}
	for _, e := range m.Files {
		switch e.Name {
		case modelFile, averageFile, optimizerFile, stateFile:
		default: // no paths outside the folder, and no files unknown to this version
			return fail(fmt.Errorf("%w: it lists a file %q", ErrMalformed, e.Name))
		}
		if seen[e.Name] {
			return fail(fmt.Errorf("%w: it lists %s twice", ErrMalformed, e.Name))
		}
		seen[e.Name] = true
	}
	for _, name := range []string{modelFile, optimizerFile, stateFile} {
		if !seen[name] {
			return fail(fmt.Errorf("%w: it does not list %s", ErrMalformed, name))
		}
	}
	return &m, nil
}

// readVerified reads a file and verifies its size and checksum.
func readVerified(fsys vfs.FS, path string, e listed) ([]byte, error) {
	info, err := fsys.Stat(path)
	if err != nil {
		return nil, missing(err)
	}
	if info.Size() != e.Size {
		return nil, fmt.Errorf("%w: %d bytes, but %d were written", ErrSize, info.Size(), e.Size)
	}
	data, err := vfs.ReadFile(fsys, path)
	if err != nil {
		return nil, missing(err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != e.SHA256 {
		return nil, fmt.Errorf("%w: its SHA-256 is %x, but the manifest has %s",
			ErrChanged, sum, e.SHA256)
	}
	return data, nil
}

// readBounded reads a file of at most limit bytes.
func readBounded(fsys vfs.FS, path string, limit int64) ([]byte, error) {
	info, err := fsys.Stat(path)
	if err != nil {
		return nil, missing(err)
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%w: %d bytes; the maximum is %d", ErrMalformed, info.Size(), limit)
	}
	data, err := vfs.ReadFile(fsys, path)
	return data, missing(err)
}

// missing wraps fs.ErrNotExist with ErrMissing.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrMissing, err)
	}
	return err
}
