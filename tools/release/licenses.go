package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// legal and legalFolder are the names of files that a license wants to be passed on, and of folders
// that hold such files.
var (
	legal = regexp.MustCompile(
		`(?i)^((un)?licen[sc]e|notice|copying|copyright|patents)([.-].*)?$`)
	legalFolder = regexp.MustCompile(`(?i)^(third_party_)?licen[sc]es$`)
)

// linked is what `go list -json -deps` tells of a package that a program consists of.
type linked struct {
	ImportPath string
	Standard   bool
	Dir        string
	Root       string // of the standard library
	Module     *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// licenses returns the licenses and notices of all that is linked into the program with some tags
// for a platform: of each module its own, and those in the folders of its packages; of the Go
// release; and of what the page's folder of vendored files holds.
func licenses(ctx context.Context, system, processor, tags string) ([]byte, error) {
	c := exec.CommandContext(ctx, "go", "list", "-deps", "-tags",
		tags, "-json=ImportPath,Standard,Dir,Root,Module", "./cmd/tengen")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+system, "GOARCH="+processor)
	var failure bytes.Buffer
	c.Stderr = &failure
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s/%s: %w: %s",
			system, processor, err, bytes.TrimSpace(failure.Bytes()))
	}
	// of a module, by the name and version under which it is listed
	folders := map[string][]string{}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p linked
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		switch m := p.Module; {
		case p.Standard:
			folders["Go and its standard library"] = []string{p.Root}
		case !m.Main:
			name := m.Path + " " + m.Version
			for dir := p.Dir; ; dir = filepath.Dir(dir) {
				if !slices.Contains(folders[name], dir) {
					folders[name] = append(folders[name], dir)
				}
				if dir == m.Dir || len(dir) <= len(m.Dir) {
					break
				}
			}
		}
	}
	folders["the page's charts (uPlot)"] = []string{filepath.Join("web", "static", "vendor")}
	var b bytes.Buffer
	b.WriteString("Tengen is under the license in the file LICENSE. The program consists of these modules as well, under their own licenses.\n")
	var names []string
	for name := range folders {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		slices.Sort(folders[name])
		found := 0
		for _, dir := range folders[name] {
			files, err := legalFiles(dir)
			if err != nil {
				return nil, fmt.Errorf("licenses of %s: %w", name, err)
			}
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err != nil {
					return nil, fmt.Errorf("licenses of %s: %w", name, err)
				}
				within, err := filepath.Rel(folders[name][0], file)
				if err != nil {
					return nil, fmt.Errorf("licenses of %s: %w", name, err)
				}
				fmt.Fprintf(&b, "\n%[1]s\n%[2]s: %[3]s\n%[1]s\n\n%[4]s\n",
					strings.Repeat("=", 80), name, filepath.ToSlash(within), bytes.TrimSpace(data))
				found++
			}
		}
		if found == 0 {
			return nil, fmt.Errorf("there is no license of %s in %s",
				name, strings.Join(folders[name], ", "))
		}
	}
	return b.Bytes(), nil
}

// legalFiles returns the licenses and notices in a folder, and what folders of licenses within it
// hold.
func legalFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && legalFolder.MatchString(e.Name()):
			more, err := os.ReadDir(path)
			if err != nil {
				return nil, err
			}
			for _, m := range more {
				if !m.IsDir() {
					list = append(list, filepath.Join(path, m.Name()))
				}
			}
		case !e.IsDir() && legal.MatchString(strings.TrimPrefix(e.Name(), "uplot-")) &&
			!strings.HasSuffix(e.Name(), ".go"):
			list = append(list, path)
		}
	}
	return list, nil
}
