package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/internal/runid"
	"tengen/vfs"
)

// Identity is the content of run.json: who a run is, and the configuration as the run itself has
// written it. See docs/formats/run.md.
type Identity struct {
	ID runid.ID
	// Config is the configuration as of now, and Previous, if not nil, the one before: that of
	// config.yaml, if a process ended while it was changed.
	Config, Previous *configs.Config
}

// NewIdentity returns the identity of a run that begins now with a configuration and weights of
// this origin.
func NewIdentity(c *configs.Config, init string, now time.Time) (*Identity, error) {
	text, err := c.YAML()
	if err != nil {
		return nil, fmt.Errorf("the run's identity: %w", err)
	}
	id := runid.New(string(text), init, now.UTC().Format(time.RFC3339Nano))
	return &Identity{ID: id, Config: c}, nil
}

// Written returns the configuration that the run has written to config.yaml, given what is read
// there now.
func (id *Identity) Written(now *configs.Config) *configs.Config {
	if id.Previous != nil && len(configs.Changes(id.Previous, now)) == 0 {
		return id.Previous
	}
	return id.Config
}

// identityFile is the content of run.json.
type identityFile struct {
	Format   string   `json:"format"`
	Version  int      `json:"version"`
	Run      runid.ID `json:"run"`
	Config   []string `json:"config"` // lines
	Previous []string `json:"previous,omitempty"`
	SHA256   string   `json:"sha256"` // of the file with "" here
}

const (
	identityFormat  = "tengen run"
	identityVersion = 1
	maxIdentity     = 1 << 20 // bytes
)

// sum returns the checksum of a file's content.
func (f identityFile) sum() (string, error) {
	f.SHA256 = ""
	text, err := json.Marshal(f)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// ReadIdentity reads run.json. It returns nil if there is none.
func (f Files) ReadIdentity() (*Identity, error) {
	path := f.Identity()
	text, err := vfs.ReadFileUpTo(f.FS, path, maxIdentity)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the run's identity: %w", err)
	}
	id, err := DecodeIdentity(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return id, nil
}

// DecodeIdentity reads the content of run.json.
func DecodeIdentity(text []byte) (*Identity, error) {
	var file identityFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("damaged: %w; %s", err, identityRemedy)
	}
	if file.Format != identityFormat {
		return nil, fmt.Errorf("damaged: format %.40q, want %q; %s",
			file.Format, identityFormat, identityRemedy)
	}
	if file.Version != identityVersion {
		return nil, fmt.Errorf("unknown version %d; this program reads version %d",
			file.Version, identityVersion)
	}
	sum, err := file.sum()
	if err != nil || sum != file.SHA256 || file.Run == 0 {
		return nil, fmt.Errorf("changed since it was written; %s", identityRemedy)
	}
	id := &Identity{ID: file.Run}
	for _, part := range []struct {
		name  string
		lines []string
		into  **configs.Config
	}{{"config", file.Config, &id.Config}, {"previous", file.Previous, &id.Previous}} {
		if part.lines == nil && part.name == "previous" {
			continue
		}
		text := []byte(strings.Join(part.lines, "\n") + "\n")
		r, err := configs.Resolve(configs.Options{
			Name: IdentityFile + ", " + part.name, Text: text,
		})
		if err != nil {
			return nil, err
		}
		*part.into = &r.Config
	}
	return id, nil
}

// identityRemedy is what to do about a damaged run.json.
const identityRemedy = "put it back; without it, --resume takes the identity of the newest checkpoint, and can't tell whether config.yaml was changed"

// writeIdentity replaces run.json.
func (f Files) writeIdentity(id *Identity) error {
	file := identityFile{
		Format: identityFormat, Version: identityVersion, Run: id.ID,
	}
	lines := func(c *configs.Config) ([]string, error) {
		text, err := c.YAML()
		return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), err
	}
	var err error
	if file.Config, err = lines(id.Config); err == nil && id.Previous != nil {
		file.Previous, err = lines(id.Previous)
	}
	if err == nil {
		file.SHA256, err = file.sum()
	}
	if err == nil {
		err = f.WriteJSON(f.Identity(), file)
	}
	if err != nil {
		return fmt.Errorf("write the run's identity: %w", err)
	}
	return nil
}

// Of returns the folder of a run with an identity, whose checkpoints of other runs are refused.
func (f Files) Of(id *Identity) Files {
	f.Run = id.ID
	return f
}

// Identify returns the folder with its identity, as far as it has one: see Of.
func (f Files) Identify() (Files, error) {
	id, err := f.ReadIdentity()
	if err != nil || id == nil {
		return f, err
	}
	return f.Of(id), nil
}

// Check returns nil if what carries an identity belongs to the run, or if the run's own is not
// known.
func (f Files) Check(got runid.ID) error {
	if f.Run == 0 {
		return nil
	}
	return runid.Check(f.Run, got)
}

// Store returns the run's checkpoints.
func (f Files) Store() checkpoints.Store {
	return checkpoints.Store{FS: f.FS, Dir: f.Checkpoints(), Run: f.Run}
}
