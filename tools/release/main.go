// Release builds a release: for each platform an archive with a stripped static binary, man pages
// and completion of shells, and the licenses of all linked modules; a bill of materials of what
// each binary consists of; and their checksums.
//
//	go run ./tools/release                       # all platforms into dist/
//	go run ./tools/release --platform linux/arm64 --out /tmp/dist
//	go run ./tools/release --check               # builds everything twice and compares
//	go run ./tools/release --licenses FILE       # writes only the licenses of what is linked, for an image
//
// The version is that of the tag of the commit, or else git's description of it; `tengen version`
// prints it. The same commit, Go release and version give the same bytes: paths are trimmed, files
// have the time of the commit. The sizes of the binaries are printed, with a warning above 30 MB.
//
// # Kernels
//
// With the argument kernels it compiles kernels ahead, so that a machine with the driver alone can
// use its device:
//
//	go run -tags gpu ./tools/release kernels --nvrtc /path/libnvrtc.so.11.2   # PTX, 7.5 and 8.x
//	go run -tags gpu ./tools/release kernels --nvrtc /path/libnvrtc.so.12     # wgmma
//
// It needs NVRTC, but neither a device nor a driver. It writes
// nn/backend/cudabackend/kernels.zip, which builds with the tag gpu embed: the kernels that need no
// shape, for inference and training, as PTX for every device, and the inference of the presets and
// of common filters and boards (in bf16; on 7.5 of the presets alone, in fp16), as machine code for
// 7.5, 8.0, 8.6 and 9.0 and, with mma.sync, as PTX for 9.0 and later. A change of a kernel's source
// makes its image useless (it is found by the source's hash) until the tool is run again: it keeps
// those that are still wanted, drops the others and compiles what is missing, as far as the
// compiler is the one for it. Arguments name other files from which images are taken. Kernels whose
// products of wgmma the compiler serializes are left out: those of mma.sync serve there. A test of
// nn/backend/cudabackend fails if kernels are missing.
//
// PTX is loaded by drivers of the compiler's CUDA version and later ones, machine code by those
// of its major version: use NVRTC 11.8 where it knows the device. Where NVRTC can't be found, the
// tool says where to get it: Debian's packages libnvrtc11.2 and libnvrtc12 (non-free; unpack them
// with dpkg -x together with libnvrtc-builtins of the same version), or NVIDIA's cuda-nvrtc-11-8
// and cuda-nvrtc-12-8.
//
// # Resources
//
// With the argument resources it writes docs/results/gpu/kernels.txt, the table of what each kernel
// takes on each device: of those in kernels.zip, and of training's for common networks, which it
// compiles in about a minute, unless the table has their sources. A test fails if a kernel spills
// registers, if fewer of its blocks than planned run on a multiprocessor, and if the table is not
// that of the present kernels.
//
//	go run -tags gpu ./tools/release resources --nvrtc /path/libnvrtc.so.12
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra/doc"
	"tengen/cmd"
)

// platforms are those of a release.
var platforms = []string{
	"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64",
}

// largest is the size of a binary in bytes above which a warning is printed.
const largest = 30_000_000

// commands are those of a build with the tag gpu, on Linux.
var commands map[string]func([]string) error

func main() {
	if len(os.Args) > 1 && (os.Args[1] == "kernels" || os.Args[1] == "resources") {
		command := commands[os.Args[1]]
		if command == nil {
			fmt.Fprintf(os.Stderr, "%[1]s: it is made for go run -tags gpu ./tools/release %[1]s, on Linux\n", os.Args[1])
			os.Exit(1)
		}
		if err := command(os.Args[2:]); err != nil && !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r := release{log: func(form string, args ...any) { fmt.Printf(form+"\n", args...) }}
	list := flag.String("platform",
		strings.Join(platforms, ","), "platforms, as GOOS/GOARCH, separated by commas")
	flag.StringVar(&r.out, "out", "dist", "folder to write; what it holds is replaced")
	flag.StringVar(&r.version, "version", "", "version (default: git's description of the commit)")
	check := flag.Bool("check", false, "build everything twice and compare")
	images := flag.String("licenses", "", "write this file alone: the licenses of what is linked here, with all build tags, for an image")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "Release builds the archives of a release, in the root of the repository.\n\n  go run ./tools/release --platform linux/amd64 --out dist\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	err := func() error {
		if flag.NArg() > 0 {
			return fmt.Errorf("there are no arguments, but %q", flag.Args())
		}
		if *images != "" {
			text, err := licenses(ctx, runtime.GOOS, runtime.GOARCH, "gpu")
			if err != nil {
				return err
			}
			return os.WriteFile(*images, text, 0o644)
		}
		for p := range strings.SplitSeq(*list, ",") {
			if !slices.Contains(platforms, p) {
				return fmt.Errorf("--platform %s: there are %s", p, strings.Join(platforms, ", "))
			}
			r.platforms = append(r.platforms, p)
		}
		if err := r.describe(ctx); err != nil {
			return err
		}
		if err := r.make(ctx); err != nil || !*check {
			return err
		}
		return r.again(ctx)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is a release in the making.
type release struct {
	platforms []string
	out       string
	version   string
	time      time.Time // of the commit
	log       func(form string, args ...any)
}

// describe sets version, unless it is given, and time.
func (r *release) describe(ctx context.Context) error {
	if r.version == "" {
		text, err := output(ctx, "git", "describe", "--tags", "--always", "--dirty")
		if err != nil {
			return err
		}
		r.version = text
	}
	if strings.ContainsAny(r.version, " \t/\\'\"") {
		return fmt.Errorf("version %q: one word is wanted", r.version)
	}
	text, err := output(ctx, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("the commit's time: %w", err)
	}
	r.time = time.Unix(seconds, 0).UTC()
	return nil
}

// output runs a program and returns the text that it writes.
func output(ctx context.Context, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	var failure bytes.Buffer
	c.Stderr = &failure
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s",
			name, strings.Join(args, " "), err, strings.TrimSpace(failure.String()))
	}
	return strings.TrimSpace(string(text)), nil
}

// make writes the release.
func (r *release) make(ctx context.Context) error {
	work, err := os.MkdirTemp("", "tengen-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	common, err := r.documents()
	if err != nil {
		return err
	}
	var sums []string
	write := func(name string, data []byte) error {
		sum := sha256.Sum256(data)
		sums = append(sums, hex.EncodeToString(sum[:])+"  "+name)
		return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
	}
	for _, platform := range r.platforms {
		system, processor, _ := strings.Cut(platform, "/")
		binary := filepath.Join(work, "tengen")
		if err := r.build(ctx, system, processor, binary); err != nil {
			return err
		}
		data, err := os.ReadFile(binary)
		if err != nil {
			return err
		}
		note := ""
		if len(data) > largest {
			note = fmt.Sprintf(": more than %d MB", largest/1_000_000)
		}
		r.log("%-14s %5.1f MB%s", platform, float64(len(data))/1e6, note)
		base := fmt.Sprintf("tengen-%s-%s-%s", r.version, system, processor)
		program, pack := "tengen", tarball
		name := base + ".tar.gz"
		if system == "windows" {
			program, pack, name = "tengen.exe", zipped, base+".zip"
		}
		linked, err := licenses(ctx, system, processor, "")
		if err != nil {
			return err
		}
		files := append([]file{{program, data, 0o755}, {"LICENSES.txt", linked, 0o644}}, common...)
		archive, err := pack(base, files, r.time)
		if err != nil {
			return err
		}
		if err := write(name, archive); err != nil {
			return err
		}
		bill, err := materials(binary, base, r.version, r.time)
		if err != nil {
			return err
		}
		if err := write(base+".cdx.json", bill); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"),
		[]byte(strings.Join(sums, "\n")+"\n"), 0o644)
}

// build builds the program for a platform.
func (r *release) build(ctx context.Context, system, processor, to string) error {
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags",
		"-s -w -buildid= -X tengen/cmd/internal/cli.release="+r.version, "-o", to, "./cmd/tengen")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+system, "GOARCH="+processor)
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build for %s/%s: %w: %s", system, processor, err, bytes.TrimSpace(text))
	}
	return nil
}

// documents are the files that all archives hold besides the program.
func (r *release) documents() ([]file, error) {
	var list []file
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("%w: run it in the root of the repository", err)
		}
		list = append(list, file{name, data, 0o644})
	}
	dir, err := os.MkdirTemp("", "tengen-man-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	root := cmd.Root()
	root.DisableAutoGenTag = true
	if err := doc.GenManTree(root, &doc.GenManHeader{
		Section: "1", Source: "Tengen " + r.version, Date: &r.time,
	}, dir); err != nil {
		return nil, fmt.Errorf("man pages: %w", err)
	}
	pages, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, p := range pages {
		data, err := os.ReadFile(filepath.Join(dir, p.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, file{"man/man1/" + p.Name(), data, 0o644})
	}
	var bash, zsh, fish, power bytes.Buffer
	if err := errors.Join(root.GenBashCompletionV2(&bash, true), root.GenZshCompletion(&zsh),
		root.GenFishCompletion(&fish, true),
		root.GenPowerShellCompletionWithDesc(&power)); err != nil {
		return nil, fmt.Errorf("completion: %w", err)
	}
	return append(list, file{"completion/tengen.bash", bash.Bytes(), 0o644},
		file{"completion/_tengen", zsh.Bytes(), 0o644},
		file{"completion/tengen.fish", fish.Bytes(), 0o644},
		file{"completion/tengen.ps1", power.Bytes(), 0o644}), nil
}

// again builds the release once more and compares the checksums.
func (r *release) again(ctx context.Context) error {
	before, err := os.ReadFile(filepath.Join(r.out, "SHA256SUMS"))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tengen-again-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// what is in the cache would be taken from there
	cache, err := os.MkdirTemp("", "tengen-cache-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache)
	if err := os.Setenv("GOCACHE", cache); err != nil {
		return err
	}
	second := *r
	second.out = dir
	if err := second.make(ctx); err != nil {
		return err
	}
	after, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		return err
	}
	if !bytes.Equal(before, after) {
		return fmt.Errorf("the second build differs:\n%s\n%s", before, after)
	}
	r.log("the second build, by %s with an empty cache, is the same", runtime.Version())
	return nil
}
