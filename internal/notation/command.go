package notation

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
)

// Program returns how this program was started, as a shell reads it: the name or path that was
// typed, or "go run ./cmd/tengen". In tests it is "tengen".
func Program() string { return program() }

var program = sync.OnceValue(func() string {
	executable, err := os.Executable()
	if err != nil {
		executable = os.Args[0]
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	info, _ := debug.ReadBuildInfo()
	name := os.Args[0]
	if found, err := exec.LookPath(filepath.Base(name)); err == nil && filepath.IsAbs(name) &&
		found == name {
		name = filepath.Base(name) // which finds the same file
	}
	return started(name, executable, dir, info)
})

// Command returns a command of this program, with words for its arguments, to be printed and to be
// pasted into the shell that it was started from. Paths among the arguments are those of Path.
func Command(words ...string) string {
	list := []string{Program()}
	for _, w := range words {
		list = append(list, Shell(w))
	}
	return strings.Join(list, " ")
}

// Path returns a path as an argument that no command takes for a flag.
func Path(path string) string {
	if strings.HasPrefix(path, "-") || strings.HasPrefix(path, "~") {
		return "." + string(filepath.Separator) + path
	}
	return path
}

// standard is the name of the program where nothing better is known.
const standard = "tengen"

// byGo matches the executables that go run makes: in a temporary folder, or in the cache of builds.
var byGo = regexp.MustCompile(`(?:/go-build[0-9]+/b[0-9]+/exe|/[0-9a-f]{64}-d)/[^/]+$`)

// started returns how a program was started, by its name as the shell gave it, the file that runs,
// the working folder and what was built.
func started(name, executable, dir string, info *debug.BuildInfo) string {
	switch base := strings.TrimSuffix(filepath.Base(name), ".exe"); {
	case name == "" || strings.HasSuffix(base, ".test"):
		return standard
	case !byGo.MatchString(filepath.ToSlash(executable)):
		return Shell(name)
	case info == nil || info.Main.Path == "" ||
		!strings.HasPrefix(info.Path+"/", info.Main.Path+"/"):
		return standard
	}
	words := []string{"go", "run"}
	for _, s := range info.Settings {
		if s.Key == "-tags" {
			words = append(words, "-tags", Shell(s.Value))
		}
	}
	target := info.Path
	if root := moduleRoot(dir); root != "" {
		at := filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(info.Path, info.Main.Path)))
		if rel, err := filepath.Rel(dir, at); err == nil {
			if target = rel; !strings.HasPrefix(rel, ".") {
				target = "." + string(filepath.Separator) + rel
			}
		}
	}
	return strings.Join(append(words, Shell(target)), " ")
}

// moduleRoot returns the folder of the module that dir lies in, "" if it lies in none.
func moduleRoot(dir string) string {
	for ; dir != ""; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return ""
}
