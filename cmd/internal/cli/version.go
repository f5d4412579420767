package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// Version says which build this is.
type Version struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source, with "+" where it was changed
	Time     string `json:"time,omitempty"`     // of the revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// release is the version of a release, set by the linker (tools/release); "" in other builds.
var release string

// BuildName is what a trainer and its workers must have in common. The operating system may differ;
// the architecture may not, since compilers for some of them fuse operations and round otherwise.
// Builds of unknown or changed sources all have the same version: the digest of the program's file
// tells them apart.
var BuildName = sync.OnceValue(func() string {
	v := ReadVersion()
	v.Platform = runtime.GOARCH
	name := v.String()
	if v.unnamed() {
		if digest, err := fileDigest(); err == nil {
			name += " file " + digest
		}
	}
	return name
})

// unnamed reports whether other sources may have the same version.
func (v Version) unnamed() bool {
	return strings.HasSuffix(v.Revision, "+") ||
		v.Revision == "" && (v.Version == "(devel)" || v.Version == "unknown")
}

// fileDigest returns the beginning of the SHA-256 of the program's file.
func fileDigest() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:6]), nil
}

// ReadVersion returns the version of this build.
func ReadVersion() Version {
	v := Version{
		Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if release != "" {
		v.Version = release
		return v
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version = info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value[:min(12, len(s.Value))] + v.Revision
		case "vcs.modified":
			if s.Value == "true" {
				v.Revision += "+"
			}
		case "vcs.time":
			v.Time = s.Value
		}
	}
	return v
}

// Source names the sources: commit 4ea552012345, or version v2.0.0; "" where they are unknown.
func (v Version) Source() string {
	commit, changed := strings.CutSuffix(v.Revision, "+")
	switch {
	case changed && commit != "":
		return "commit " + commit + " with changes"
	case commit != "":
		return "commit " + commit
	case !v.unnamed():
		return "version " + v.Version
	}
	return ""
}

// String is one line: tengen (devel) 4ea552012345+ 2026-11-21T09:17:00Z go1.26.0 linux/amd64.
func (v Version) String() string {
	words := []string{"tengen", v.Version}
	for _, w := range []string{v.Revision, v.Time} {
		if w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(append(words, v.Go, v.Platform), " ")
}
