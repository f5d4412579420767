package v1

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tengen/run"
	"tengen/run/runtest"
)

// folderOf makes a folder of runs by these names, copies of one run.
func folderOf(t *testing.T, x runtest.Run, names ...string) string {
	t.Helper()
	made := runtest.MakeRun(t, x)
	folder := t.TempDir()
	for _, name := range names {
		to := filepath.Join(folder, filepath.FromSlash(name))
		runtest.Must(t, os.MkdirAll(to, 0o755))
		for _, file := range []string{run.ConfigFile, run.EventsFile} {
			text, err := os.ReadFile(filepath.Join(string(made), file))
			runtest.Must(t, err)
			runtest.Must(t, os.WriteFile(filepath.Join(to, file), text, 0o644))
		}
	}
	return folder
}

func newRuns(t *testing.T, folder string) *Runs {
	t.Helper()
	x, err := NewRuns(RunsOptions{Folder: folder})
	runtest.Must(t, err)
	t.Cleanup(x.Close)
	return x
}

// listed asks for the list until all runs were read.
func listed(t *testing.T, x *Runs) []summary {
	t.Helper()
	for range 1000 {
		var v struct {
			Runs   []summary
			Unread int
		}
		runtest.Must(t,
			json.Unmarshal(runtest.Request(x.Handler(), "GET", "/api/v1/runs",
				"").Body.Bytes(), &v))
		if v.Unread == 0 {
			return v.Runs
		}
	}
	t.Fatal("runs are never read")
	return nil
}

// TestRuns: runs are found below a folder, listed with their results and compared; each has its own
// API.
func TestRuns(t *testing.T) {
	folder := folderOf(t, runtest.Run{Game: "tictactoe", Iterations: 3, All: 5, Games: 2}, "a",
		"lab/arm 1/seed,2", "b#c?d", ".hidden", "w/x/y/deep")
	runtest.Must(t, os.WriteFile(filepath.Join(folder, "README"), nil, 0o644))
	_, err := run.Folder(filepath.Join(folder, "a")).On(nil).WriteNotes("# The first\nmore", "")
	runtest.Must(t, err)
	config := filepath.Join(folder, "a", run.ConfigFile)
	text, err := os.ReadFile(config)
	runtest.Must(t, err)
	runtest.Must(t, os.WriteFile(config,
		[]byte(strings.Replace(string(text), "seed: 1", "seed: 7", 1)), 0o644))
	x := newRuns(t, folder)
	list := listed(t, x)
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " | "); got != "a | b#c?d | lab/arm 1/seed,2" {
		t.Fatalf("listed: %s", got)
	}
	if s := list[0]; s.Notes != "The first" || s.Iterations != 3 || s.Of != 5 || s.Games != 6 ||
		s.Strength == nil || s.Rating == nil || s.Loss == nil || s.State != "broken off" ||
		s.Problem != "" {
		t.Errorf("%+v", s)
	}
	ask := func(path string, status int) string {
		t.Helper()
		w := runtest.Request(x.Handler(), "GET", path, "")
		if w.Code != status {
			t.Fatalf("%s: %d, want %d: %s", path, w.Code, status, w.Body)
		}
		return w.Body.String()
	}
	var v struct {
		Settings []struct {
			Key    string
			Values []string
		}
		Runs   []struct{ Games int }
		Curves []struct {
			Names       []string
			Iterations  map[string][]float64
			Evaluations map[string][]float64
		}
	}
	runtest.Must(t,
		json.Unmarshal([]byte(
			ask("/api/v1/runs/compare?run=a&run="+url.QueryEscape("b#c?d")+
				"&column=losses/policy&column=strength/sum&column=nothing", 200)), &v))
	if len(v.Settings) != 1 || v.Settings[0].Key != "seed" || v.Settings[0].Values[0] != "7" ||
		len(v.Runs) != 2 || v.Runs[1].Games != 6 {
		t.Errorf("%+v", v)
	}
	if c := v.Curves[1]; len(c.Iterations["losses/policy"]) != 3 ||
		len(c.Iterations["games"]) != 3 || len(c.Evaluations["strength/sum"]) != 3 ||
		c.Iterations["plies"] != nil || len(c.Names) < 10 {
		t.Errorf("%+v", c)
	}
	for path, status := range map[string]int{
		"/api/v1/runs/compare": 400, "/api/v1/runs/compare?run=..": 404,
		"/api/v1/runs/compare?run=" + strings.Repeat("a&run=", 9): 400,
		"/runs/..%2F..%2Fetc/api/v1/run":                          404,
		"/runs/.hidden/api/v1/run":                                404,
		"/runs/w%2Fx%2Fy%2Fdeep/api/v1/run":                       404,
	} {
		ask(path, status)
	}
	for _, name := range names {
		if body := ask("/runs/"+url.PathEscape(name)+"/api/v1/run", 200); !strings.Contains(body,
			`"tictactoe"`) && !strings.Contains(body, "mnk") {
			t.Errorf("%s: %s", name, body)
		}
	}
	// What changes is read again, and what is gone is gone.
	f, err := os.OpenFile(run.Folder(filepath.Join(folder, "a")).Events(),
		os.O_APPEND|os.O_WRONLY, 0)
	runtest.Must(t, err)
	_, err = f.WriteString(`{"time":"2026-03-01T13:00:00Z","event":"stop","iteration":3,"message":"the run is complete"}` + "\n")
	runtest.Must(t, err)
	runtest.Must(t, f.Close())
	runtest.Must(t, os.RemoveAll(filepath.Join(folder, "b#c?d")))
	x.listed = x.listed.Add(-listedFor)
	if list = listed(t, x); len(list) != 2 || list[0].State != "complete" {
		t.Errorf("afterwards: %+v", list)
	}
	if _, err := NewRuns(RunsOptions{Folder: t.TempDir()}); err == nil {
		t.Error("an empty folder has runs")
	}
}

// TestHundredRuns: of a hundred runs only what was asked for last is in memory.
func TestHundredRuns(t *testing.T) {
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("run-%03d", i))
	}
	x := newRuns(t, folderOf(t, runtest.Run{Game: "tictactoe", Iterations: 60}, names...))
	memory := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := memory()
	if list := listed(t, x); len(list) != 100 || list[99].Iterations != 60 {
		t.Fatalf("%d runs", len(list))
	}
	for _, name := range names[:20] {
		if w := runtest.Request(x.Handler(), "GET", "/runs/"+name+"/api/v1/history",
			""); w.Code != 200 {
			t.Fatalf("%s: %d", name, w.Code)
		}
	}
	if len(x.kept) > keptHistories || len(x.opened) > keptOpen {
		t.Errorf("%d histories and %d APIs are kept", len(x.kept), len(x.opened))
	}
	if more := int64(memory()) - int64(before); more > 8<<20 {
		t.Errorf("a hundred runs hold %d KiB", more>>10)
	} else {
		t.Logf("a hundred runs hold %d KiB", more>>10)
	}
	// Asked again, nothing is read.
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, name := range names {
		if _, read := x.summarize(t.Context(), name, true); read {
			t.Fatalf("%s is read again", name)
		}
	}
}
