package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestArchives: archives hold the files with their modes, and are the same each time.
func TestArchives(t *testing.T) {
	files := []file{{"tengen", []byte("program"), 0o755}, {"man/man1/a.1", []byte("page"), 0o644}}
	at := time.Unix(1_700_000_000, 0)
	one, err := tarball("x", files, at)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(one))
	if err != nil {
		t.Fatal(err)
	}
	h, err := tar.NewReader(z).Next()
	if err != nil || h.Name != "x/tengen" || h.Mode != 0o755 || !h.ModTime.Equal(at) {
		t.Errorf("%+v, %v", h, err)
	}
	two, err := zipped("x", files, at)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(two), int64(len(two)))
	if err != nil || len(r.File) != 2 || r.File[0].Name != "x/tengen" ||
		r.File[0].Mode().Perm() != 0o755 {
		t.Errorf("%+v, %v", r, err)
	}
	f, err := r.File[1].Open()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(f); string(text) != "page" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if again, err := tarball("x", files, at); err != nil || !bytes.Equal(one, again) {
		t.Error("a second tarball differs")
	}
	if again, err := zipped("x", files, at); err != nil || !bytes.Equal(two, again) {
		t.Error("a second zip differs")
	}
}

// TestDocuments: there is a man page for each command, and completion of four shells.
func TestDocuments(t *testing.T) {
	t.Chdir("../..")
	r := release{version: "v1.2.3", time: time.Unix(1_700_000_000, 0)}
	list, err := r.documents()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, f := range list {
		names[f.name] = string(f.data)
	}
	for _, want := range []string{
		"LICENSE", "CHANGELOG.md", "man/man1/tengen.1", "man/man1/tengen-train.1",
		"man/man1/tengen-games-perft.1", "completion/tengen.bash", "completion/_tengen",
		"completion/tengen.fish", "completion/tengen.ps1",
	} {
		if names[want] == "" {
			t.Errorf("there is no %s", want)
		}
	}
	if page := names["man/man1/tengen-train.1"]; !strings.Contains(page, "Tengen v1.2.3") ||
		!strings.Contains(page, "Nov 2023") || !strings.Contains(page, "TENGEN-TRAIN") {
		t.Errorf("a page is\n%.300s", page)
	}
}

// TestMaterials: the bill of this test's binary names the Go release and the modules, with hashes.
func TestMaterials(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := materials(program, "x", "v1", time.Unix(0, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	var b bill
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, c := range b.Components {
		found[c.Name] = c.Version != "" && (c.Name == "std" || len(c.Hashes) == 1)
	}
	if b.Format != "CycloneDX" || !found["std"] || !found["github.com/spf13/cobra"] {
		t.Errorf("%s", text)
	}
}

// TestLicenses: the licenses of everything that is linked are there, those of packages within a
// module and of folders of licenses too.
func TestLicenses(t *testing.T) {
	t.Chdir("../..")
	text, err := licenses(t.Context(), "linux", "amd64", "gpu")
	if err != nil {
		t.Fatal(err)
	}
	info, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "gpu", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}",
		"./cmd/tengen").Output()
	if err != nil {
		t.Fatal(err)
	}
	wanted := []string{
		"Go and its standard library: LICENSE", "uplot-LICENSE.txt",
		"client_golang v1.25.0: NOTICE", "internal/github.com/golang/gddo/LICENSE",
		"THIRD_PARTY_LICENSES/",
	}
	for module := range strings.FieldsFuncSeq(string(info), func(r rune) bool {
		return r == '\n'
	}) {
		wanted = append(wanted, module+": ")
	}
	for _, w := range wanted {
		if !bytes.Contains(text, []byte(w)) {
			t.Errorf("there is no %q", w)
		}
	}
	if n := bytes.Count(text, []byte("Apache License\n")); n == 0 || len(wanted) < 40 {
		t.Errorf("%d Apache licenses, %d files wanted", n, len(wanted))
	}
}
