package v1

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tengen/internal/notation"
	"tengen/nn"
	"tengen/run"
	"tengen/run/history"
)

// Bounds of a page of several runs.
const (
	maxListed     = 500                    // runs of a list
	maxDepth      = 3                      // of a run's folder below the page's
	maxVisited    = 20_000                 // folders and files that are looked at for a list
	listedFor     = 5 * time.Second        // before the folder is looked through again
	readingBudget = 300 * time.Millisecond // of one request for a list
	keptHistories = 12                     // runs whose curves are in memory
	maxCompared   = 8
	maxChosen     = 24 // columns of a comparison
	keptOpen      = 4  // runs whose own pages are open
)

// RunsOptions says which runs a page shows.
type RunsOptions struct {
	// of which the runs are folders, up to three levels down
	Folder string
	Load   func(*nn.Params) (nn.Network, error) // as in Options
	Ending <-chan struct{}                      // as in Options
	Now    func() time.Time                     // nil: time.Now
	Log    *slog.Logger                         // nil: nothing is logged
}

// Runs answers requests about the runs in a folder: a list of them, comparisons, and for each what
// an [API] answers. It holds the curves of the runs that were asked for last, and the APIs of the
// last few that were opened. It is safe for concurrent use.
type Runs struct {
	options  RunsOptions
	searches *Searches
	ending   sync.WaitGroup // of APIs

	mu     sync.Mutex
	listed time.Time
	names  []string // of the runs, sorted
	known  map[string]summary
	kept   []named[*history.Run] // the last used first
	opened []named[*API]         // the last used first
	closed bool
}

// named is a value under a run's name.
type named[T any] struct {
	name  string
	value T
}

// use returns the value with a name, which becomes the first of the list.
func use[T any](list []named[T], name string) (value T, ok bool) {
	i := slices.IndexFunc(list, func(x named[T]) bool { return x.name == name })
	if i < 0 {
		return value, false
	}
	x := list[i]
	copy(list[1:i+1], list[:i])
	list[0] = x
	return x.value, true
}

// errNoRun says that the folder has no run of a name.
var errNoRun = errors.New("there is no such run in this folder")

// NewRuns returns what answers for the runs in a folder.
func NewRuns(o RunsOptions) (*Runs, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	x := &Runs{options: o, searches: NewSearches(), known: map[string]summary{}}
	if len(x.find()) == 0 {
		return nil, fmt.Errorf("%s holds no run: a folder with a config.yaml, as `%s` makes it, or a folder of such folders is wanted", o.Folder, notation.Command("train"))
	}
	return x, nil
}

// find returns the names of the runs, sorted: their paths below the folder, with slashes.
func (x *Runs) find() []string {
	var names []string
	visited := 0
	var look func(name string, depth int)
	look = func(name string, depth int) {
		entries, err := os.ReadDir(filepath.Join(x.options.Folder, filepath.FromSlash(name)))
		if err != nil {
			return // the folder has gone, or is not ours
		}
		for _, e := range entries {
			if visited++; visited > maxVisited || len(names) >= maxListed {
				return
			}
			if strings.HasPrefix(e.Name(), ".") || e.Type().IsRegular() {
				continue
			}
			below := strings.TrimPrefix(name+"/"+e.Name(), "/")
			switch {
			case run.Folder(x.path(below)).Exists():
				names = append(names, below)
			case depth < maxDepth:
				look(below, depth+1)
			}
		}
	}
	look("", 1)
	slices.Sort(names)
	return names
}

func (x *Runs) path(name string) string {
	return filepath.Join(x.options.Folder, filepath.FromSlash(name))
}

// list returns the names of the runs. x.mu is held.
func (x *Runs) list() []string {
	if now := x.options.Now(); x.listed.IsZero() || now.Sub(x.listed) >= listedFor ||
		now.Before(x.listed) {
		x.names, x.listed = x.find(), now
		for name := range x.known {
			if _, ok := slices.BinarySearch(x.names, name); !ok {
				delete(x.known, name)
			}
		}
	}
	return x.names
}

// has reports whether there is a run of this name. x.mu is held.
func (x *Runs) has(name string) bool {
	_, ok := slices.BinarySearch(x.list(), name)
	return ok
}

// history returns a run with all that its event log tells now. A run that has not begun has no
// events. x.mu is held.
func (x *Runs) history(ctx context.Context, name string) (*history.Run, error) {
	h, ok := use(x.kept, name)
	if !ok {
		h = history.New(x.path(name))
		x.kept = slices.Insert(x.kept, 0, named[*history.Run]{name, h})
		x.kept = x.kept[:min(len(x.kept), keptHistories)]
		clear(x.kept[len(x.kept):cap(x.kept)])
	}
	err := h.Refresh(ctx)
	if errors.Is(err, history.ErrNone) {
		err = nil
	}
	h.FindHolder()
	return h, err
}

// summary is a run in a list.
type summary struct {
	Name       string        `json:"name"`
	Game       string        `json:"game"`
	Algorithm  string        `json:"algorithm"`
	State      history.State `json:"state"`
	Iterations int           `json:"iterations"`
	Of         int           `json:"of"`
	Games      int           `json:"games"`
	Seconds    float64       `json:"seconds"`
	Loss       *float64      `json:"loss"`     // on held-out games, or else in training
	Strength   *float64      `json:"strength"` // summed over the seats
	CI95       *float64      `json:"strength_ci95"`
	Rating     *float64      `json:"rating"`
	Updated    time.Time     `json:"updated"`
	Notes      string        `json:"notes"` // the first line
	Problem    string        `json:"problem,omitempty"`
	Unread     bool          `json:"unread"` // its event log was not read yet

	log, config, notes stamp
	held               bool
}

// stamp identifies the content of a file, to notice changes.
type stamp struct {
	size int64
	time time.Time
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// summarize returns the summary of a run, and whether it had to be read. x.mu is held.
func (x *Runs) summarize(ctx context.Context, name string, mayRead bool) (s summary, read bool) {
	f := run.Folder(x.path(name))
	holder, _ := f.Holder() // where there are no locks, nobody holds one
	log, config, notes := stampOf(f.Events()), stampOf(f.Config()), stampOf(f.Notes())
	old, ok := x.known[name]
	if ok && old.log == log && old.config == config && old.notes == notes &&
		old.held == (holder != nil) {
		return old, false
	}
	if !mayRead {
		if ok {
			return old, false // for a moment it is behind
		}
		return summary{Name: name, Unread: true}, false
	}
	h, err := x.history(ctx, name)
	if ctx.Err() != nil {
		return old, false
	}
	r := history.ResultOf(name, h)
	s = summary{
		Name: name, Game: r.Game, Algorithm: r.Algorithm, State: r.State, Iterations: r.Iterations,
		Of: r.Of, Games: r.Games, Seconds: r.Seconds,
		Updated: log.time, log: log, config: config, notes: notes, held: holder != nil,
	}
	switch {
	case r.HeldOut != nil:
		s.Loss = &r.HeldOut.Total
	case r.Training != nil:
		s.Loss = &r.Training.Total
	}
	if r.Strength != nil {
		s.Strength, s.CI95 = &r.Strength.Sum, r.Strength.CI95
	}
	if r.Rating != nil {
		s.Rating = &r.Rating.Rating
	}
	if problems := h.Problems(); err == nil && len(problems) > 0 {
		err = errors.New(problems[0])
	}
	if n, e := f.On(nil).ReadNotes(); e == nil {
		s.Notes = n.Title()
	}
	if err != nil {
		s.Problem = err.Error()
	}
	x.known[name] = s
	return s, true
}

// getRuns answers with the list of runs. It reads event logs for a moment only; the next request
// reads on.
func (x *Runs) getRuns(w http.ResponseWriter, r *http.Request) {
	x.mu.Lock()
	runs := []summary{}
	unread, reads := 0, 0
	began := time.Now()
	for _, name := range x.list() {
		s, read := x.summarize(r.Context(), name, reads == 0 || time.Since(began) < readingBudget)
		if read {
			reads++
		}
		if s.Unread {
			unread++
		}
		runs = append(runs, s)
	}
	x.mu.Unlock()
	x.answer(w, r, map[string]any{
		"folder": run.Folder(x.options.Folder).Name(), "runs": runs, "unread": unread,
	}, nil)
}

// getCompare answers with the settings, results and curves of some runs (run), of which it sends
// these columns (column).
func (x *Runs) getCompare(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	names, columns := q["run"], q["column"]
	if len(names) < 1 || len(names) > maxCompared || len(columns) > maxChosen {
		x.answer(w, r, nil,
			refusef("1 to %d runs and up to %d columns are wanted", maxCompared, maxChosen))
		return
	}
	b, err := x.compare(r.Context(), names, columns)
	if err != nil {
		x.answer(w, r, nil, err)
		return
	}
	reply(w, r, b)
}

func (x *Runs) compare(ctx context.Context, names, columns []string) ([]byte, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var runs []*history.Run
	for _, name := range names {
		if !x.has(name) {
			return nil, fmt.Errorf("%w: %s", errNoRun, name)
		}
		h, err := x.history(ctx, name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, h)
	}
	c, err := history.CompareRuns(names, runs)
	if err != nil {
		return nil, err
	}
	// The columns of every axis are sent besides.
	chosen := slices.Concat([]string{"games", "evaluations", "elapsed_seconds"}, columns)
	slices.Sort(chosen)
	chosen = slices.Compact(chosen)
	head, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	b := append(head[:len(head)-1], `,"curves":[`...)
	for i, h := range runs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"names":`...)
		list, err := json.Marshal(h.Names()[:min(len(h.Names()), maxColumns)])
		if err != nil {
			return nil, err
		}
		b = append(b, list...)
		has := func(t *history.Table) []string {
			return slices.DeleteFunc(slices.Clone(chosen), func(name string) bool {
				return !slices.Contains(t.Names(), name)
			})
		}
		b = appendColumns(append(b, `,"iterations":`...), &h.Iterations, has(&h.Iterations))
		b = appendColumns(append(b, `,"evaluations":`...), &h.Evaluations, has(&h.Evaluations))
		b = appendCurve(append(b, `,"ratings":`...), h.Curve(history.Rating, history.Iterations))
		b = append(b, '}')
	}
	return append(b, "]}"...), nil
}

// open returns the API of a run. Where too many are open, it closes the one that was used least
// recently.
func (x *Runs) open(name string) (*API, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.closed, !x.has(name):
		return nil, errNoRun
	}
	if api, ok := use(x.opened, name); ok {
		return api, nil
	}
	api, err := New(Options{
		Folder: x.path(name), Load: x.options.Load, Ending: x.options.Ending, Now: x.options.Now,
		Log: x.options.Log, Searches: x.searches,
	})
	if err != nil {
		return nil, err
	}
	x.opened = slices.Insert(x.opened, 0, named[*API]{name, api})
	for len(x.opened) > keptOpen {
		last := x.opened[len(x.opened)-1].value
		x.opened = slices.Delete(x.opened, len(x.opened)-1, len(x.opened))
		x.ending.Go(last.Close) // its search may still be running
	}
	return api, nil
}

// Close closes what is open and waits until searches have ended.
func (x *Runs) Close() {
	x.mu.Lock()
	x.closed = true
	for _, o := range x.opened {
		x.ending.Go(o.value.Close)
	}
	x.opened = nil
	x.mu.Unlock()
	x.ending.Wait()
}

// Handler returns the handler of /api/v1/runs and below, and of /runs/NAME/api/v1/… but for streams
// (see [Runs.Stream]). In NAME slashes are escaped.
func (x *Runs) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/runs", x.getRuns)
	mux.HandleFunc("GET /api/v1/runs/compare", x.getCompare)
	mux.HandleFunc("/runs/{name}/api/v1/{rest...}", func(w http.ResponseWriter, r *http.Request) {
		api, err := x.open(r.PathValue("name"))
		if err != nil {
			x.answer(w, r, nil, err)
			return
		}
		within := r.Clone(r.Context())
		within.URL = &url.URL{Path: "/api/v1/" + r.PathValue("rest"), RawQuery: r.URL.RawQuery}
		api.Handler().ServeHTTP(w, within)
	})
	return mux
}

// Stream answers /runs/{name}/api/v1/stream as [API.Stream] does.
func (x *Runs) Stream(w http.ResponseWriter, r *http.Request) {
	api, err := x.open(r.PathValue("name"))
	if err != nil {
		x.answer(w, r, nil, err)
		return
	}
	api.Stream(w, r)
}

// Has reports whether there is a run of this name.
func (x *Runs) Has(name string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.has(name)
}

// answer sends v as JSON, or err.
func (x *Runs) answer(w http.ResponseWriter, r *http.Request, v any, err error) {
	(&API{options: Options{Log: x.options.Log}}).answer(w, r, v, err)
}
