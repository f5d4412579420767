package notation

import (
	"fmt"
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

// DidYouMean returns ` (did you mean "size"?)` with the known word nearest to word,
// "" if none is near enough to be what was meant. Capitals count as small letters.
func DidYouMean(word string, known []string) string {
	best, bestDistance := "", len(word)/2+1
	lower := strings.ToLower(word)
	for _, k := range known {
		if d := distance(lower, strings.ToLower(k)); d < bestDistance ||
			d == bestDistance && k < best {
			best, bestDistance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// distance returns the restricted Damerau–Levenshtein distance: the number of bytes
// to insert, delete, replace or swap with a neighbour.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
