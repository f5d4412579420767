package driver_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
)

// cached returns a cache in a new folder and a fake device.
func cached(t *testing.T) (*fake.Driver, driver.Context, driver.Cache, *[]string) {
	t.Helper()
	d := fake.New(nil)
	ctx, err := d.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	var warnings []string
	c := driver.Cache{
		Folder: filepath.Join(t.TempDir(), "kernels"), Warn: func(err error) {
			warnings = append(warnings, err.Error())
		},
	}
	return d, ctx, c, &warnings
}

var source = driver.Source{Name: "tower.cu", Text: "text"}

// entries returns the cache's files.
func entries(t *testing.T, c driver.Cache) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(c.Folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	hidden, _ := filepath.Glob(filepath.Join(c.Folder, ".*"))
	return append(all, hidden...)
}

func load(t *testing.T, c driver.Cache, ctx driver.Context, s driver.Source) {
	t.Helper()
	if _, err := c.Load(ctx, s); err != nil {
		t.Fatal(err)
	}
}

func TestCacheCompilesOnce(t *testing.T) {
	d, ctx, c, warnings := cached(t)
	load(t, c, ctx, source)
	load(t, c, ctx, source)
	other := source
	other.Defines = []string{"N=1"}
	load(t, c, ctx, other)
	if n := d.Calls("Compile"); n != 2 {
		t.Errorf("two sources, loaded three times, are compiled %d times", n)
	}
	// Cached kernels need no compiler, not even its name.
	d.Fail("Compile", 1, errors.New("none"))
	d.Fail("Compiler", 1, errors.New("none"))
	load(t, c, ctx, source)
	if len(*warnings) > 0 || len(entries(t, c)) != 2 {
		t.Errorf("warnings %q, files %q", *warnings, entries(t, c))
	}
	load(t, driver.Cache{}, fresh(t), source)
}

func fresh(t *testing.T) driver.Context {
	t.Helper()
	ctx, err := fake.New(nil).Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

func TestDamagedEntriesAreCompiledAgain(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"a bit":     func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"the end":   func(b []byte) []byte { return b[:len(b)-1] },
		"the start": func(b []byte) []byte { return b[1:] },
		"all":       func([]byte) []byte { return nil },
		"a format":  func(b []byte) []byte { return append([]byte("other "), b...) },
	} {
		t.Run(name, func(t *testing.T) {
			d, ctx, c, warnings := cached(t)
			load(t, c, ctx, source)
			path := entries(t, c)[0]
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage(append([]byte(nil), whole...)), 0o644); err != nil {
				t.Fatal(err)
			}
			load(t, c, ctx, source)
			if d.Calls("Compile") != 2 || len(*warnings) != 1 ||
				!strings.Contains((*warnings)[0], "is damaged") {
				t.Errorf("compiled %d times, warnings %q", d.Calls("Compile"), *warnings)
			}
			again, _ := os.ReadFile(path)
			if string(again) != string(whole) {
				t.Error("the entry was not restored")
			}
		})
	}
}

func TestEntriesTheDriverRefusesAreCompiledAgain(t *testing.T) {
	d, ctx, c, warnings := cached(t)
	load(t, c, ctx, source)
	d.Fail("Load", 1, &driver.CallError{
		Call: "cuModuleLoadData", Code: 200, Reason: "device kernel image is invalid",
	})
	load(t, c, ctx, source)
	if d.Calls("Compile") != 2 || len(*warnings) != 1 {
		t.Errorf("compiled %d times, warnings %q", d.Calls("Compile"), *warnings)
	}
	lost := &driver.LostError{
		Device: "fake", Call: "cuModuleLoadData", Code: 719, Reason: "unspecified launch failure",
	}
	d.Fail("Load", 1, lost)
	if _, err := c.Load(ctx, source); !errors.Is(err, error(lost)) || d.Calls("Compile") != 2 {
		t.Errorf("a lost device: error %v, compiled %d times", err, d.Calls("Compile"))
	}
}

func TestCacheThatCantBeUsed(t *testing.T) {
	_, ctx, c, warnings := cached(t)
	if err := os.WriteFile(c.Folder, nil, 0o644); err != nil { // a file in place of the folder
		t.Fatal(err)
	}
	load(t, c, ctx, source)
	if len(*warnings) == 0 {
		t.Error("no warning")
	}
	d, ctx, c, _ := cached(t)
	d.Fail("Compile", 1, &driver.CompileError{
		Name: "tower.cu", Log: "tower.cu(3): warning: w\ntower.cu(5): error: e\n2 errors",
	})
	if _, err := c.Load(ctx, source); err == nil ||
		err.Error() != "compile tower.cu: tower.cu(5): error: e" {
		t.Errorf("error %v", err)
	}
	if left := entries(t, c); len(left) > 0 {
		t.Errorf("files %q after a failure", left)
	}
}

// remarking is a context whose compiler makes remarks.
type remarking struct{ driver.Context }

func (r remarking) Compile(s driver.Source) (image []byte, remarks string, err error) {
	image, _, err = r.Context.Compile(s)
	return image,
		"ptxas info : (C7510) wgmma.mma_async instructions are serialized\n\n  warning: a\n", err
}

// TestRemarksAreShown checks that what the compiler says of a source that compiles is not lost, and
// that images in memory need no second compilation.
func TestRemarksAreShown(t *testing.T) {
	d, ctx, c, warnings := cached(t)
	c.Folder, c.Images = "", &driver.Images{}
	load(t, c, remarking{ctx}, source)
	load(t, c, remarking{ctx}, source)
	if want := "compile tower.cu: ptxas info : (C7510) wgmma.mma_async instructions are serialized; warning: a"; len(*warnings) != 1 || (*warnings)[0] != want {
		t.Errorf("warnings %q, want %q", *warnings, want)
	}
	if n := d.Calls("Compile"); n != 1 {
		t.Errorf("compiled %d times", n)
	}
}

// TestCacheEntry checks an entry's name and content against docs/formats/kernels.md.
func TestCacheEntry(t *testing.T) {
	_, ctx, c, _ := cached(t)
	load(t, c, ctx, source)
	text := "8:tower.cu" + "4:text" + "9:0 0 false" + "15:tengen kernel 1"
	if name := driver.AheadName(&source, "sm_80"); name != fmt.Sprintf("sm_80/%x",
		sha256.Sum256([]byte(text))) {
		t.Errorf("the image's name is %s", name)
	}
	d := ctx.Device()
	arch := fmt.Sprintf("sm_%d", d.Capability())
	if d.Emulated {
		arch = "emulated " + arch
	}
	text += fmt.Sprintf("%d:%s", len(arch), arch)
	data, err := os.ReadFile(filepath.Join(c.Folder,
		fmt.Sprintf("%x.kernel", sha256.Sum256([]byte(text)))))
	if err != nil {
		t.Fatal(err)
	}
	line, image, _ := strings.Cut(string(data), "\n")
	if !strings.HasPrefix(line, fmt.Sprintf("tengen kernel 1 %x ", sha256.Sum256([]byte(image)))) {
		t.Errorf("the entry begins with %q", line)
	}
}
