package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// bill is a bill of materials in CycloneDX 1.5, of what is used of it.
type bill struct {
	Format     string      `json:"bomFormat"`
	Version    string      `json:"specVersion"`
	Revision   int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Time      string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type    string   `json:"type"`
	Ref     string   `json:"bom-ref,omitempty"`
	Name    string   `json:"name"`
	Version string   `json:"version"`
	URL     string   `json:"purl,omitempty"`
	Hashes  []digest `json:"hashes,omitempty"`
}

type digest struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// materials returns the bill of materials of a binary: the modules that it consists of, with the
// hashes of go.sum, and the Go release.
func materials(binary, name, version string, at time.Time) ([]byte, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("bill of materials: %w", err)
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("bill of materials: %w", err)
	}
	sum := sha256.Sum256(data)
	b := bill{Format: "CycloneDX", Version: "1.5", Revision: 1, Metadata: metadata{
		at.Format(time.RFC3339),
		component{
			"application", name, "tengen", version, "",
			[]digest{{"SHA-256", hex.EncodeToString(sum[:])}},
		},
	}}
	release := strings.TrimPrefix(info.GoVersion, "go")
	b.Components = append(b.Components, component{
		Type: "library", Name: "std", Version: release, URL: "pkg:golang/std@" + release,
	})
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component{
			Type: "library", Name: m.Path, Version: m.Version,
			URL: "pkg:golang/" + m.Path + "@" + m.Version,
		}
		// h1: is the base64 of a SHA-256 over the module's files.
		if raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err ==
			nil && len(raw) == sha256.Size {
			c.Hashes = []digest{{"SHA-256", hex.EncodeToString(raw)}}
		}
		b.Components = append(b.Components, c)
	}
	return json.MarshalIndent(b, "", "  ")
}
