package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"tengen/run"
	"tengen/run/runtest"
)

// figure is the chart with a title, as an expression.
func figure(title string) string {
	return fmt.Sprintf("[...document.querySelectorAll('figure')].find(f => f.querySelector('h2').textContent === %q)", title)
}

// zeros is a run with one iteration and one evaluation, in which a seat has won nothing, and of
// whose rating only the upper bound is known.
func zeros(t *testing.T) run.Folder {
	t.Helper()
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, All: 9, Games: 2})
	runtest.Must(t, os.WriteFile(dir.Events(), []byte(`{"time":"2026-03-01T12:00:00Z","event":"start","iteration":0}
{"time":"2026-03-01T12:01:00Z","event":"iteration","iteration":1,"games":2,"window_games":2,"window_positions":9,"evaluations":50,"cache_hits":0,"plies":6,"scores":[1,0],"steps":2,"losses":{"total":1,"policy":0,"value":0.5,"policy_accuracy":0,"learning_rate":0.002,"gradient_norm":0},"held_out":null,"play_seconds":5,"update_seconds":9,"elapsed_seconds":36}
{"time":"2026-03-01T12:02:00Z","event":"evaluation","iteration":1,"strength":{"points":[0,0.4],"ci95":[0,0.1],"baseline":[0,0.3],"sum":0.4,"sum_ci95":0.1,"games":50,"against":"uct","rating":-220,"rating_low":null,"rating_high":-100}}
`), 0o644))
	return dir
}

// TestBrowserCharts: zero is a value, a single point has axes around it, and the place that is
// pointed at and intervals are told as they are.
func TestBrowserCharts(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not for short tests")
	}
	findBrowser(t)
	server := start(t, Options{Folder: string(zeros(t))})
	b := openBrowser(t, server.Address())
	b.size(1280, 1000, "light", false)
	b.open("/")
	b.until("document.querySelectorAll('.u-over').length > 5 && " + drawn)
	for title, want := range map[string][]string{
		"Strength by seat": {"iteration 1", "X\n0.000 ± 0.000", "O\n0.400 ± 0.100",
			"UCT as X\n0.000"},
		"Rating":              {"rating\n−220 (−∞ to −100)"},
		"Scores in self-play": {"X\n1.00", "O\n0.000"},
		"Cache hits":          {"hits\n0.000"},
		"Gradient norm":       {"training\n0.000"},
	} {
		legend := eval[string](b, figure(title)+"?.querySelector('.legend').innerText ?? 'none'")
		for _, w := range want {
			if !strings.Contains(legend, w) {
				t.Errorf("%s says %q, and not %q", title, legend, w)
			}
		}
	}
	// Losses of a head that the network does not have are no curves.
	for _, title := range []string{"Policy loss", "Policy accuracy"} {
		if eval[bool](b, "!!"+figure(title)) {
			t.Errorf("there is a chart %s", title)
		}
	}
	for _, axis := range []string{"iteration", "hours"} {
		eval[bool](b, fmt.Sprintf("(() => { const s = document.querySelector('#progress .options select'); s.value = %q; s.dispatchEvent(new Event('change')); return true; })()", axis))
		b.until("document.querySelectorAll('.u-over').length > 5 && " + drawn)
	}

	// Scales in numbers: modules of the page, asked directly.
	ask := func(expression string) string {
		t.Helper()
		return eval[string](b, "Promise.all([import('/static/scale.js'), import('/static/dom.js'), import('/static/curves.js')]).then(([s, d, c]) => JSON.stringify("+expression+"))")
	}
	for _, c := range []struct{ expression, want string }{
		{"[s.among(1), s.among(0), s.among(0.01)]", "[[0,2],[0,1],[0,0.02]]"},
		{"[s.wide(0), s.wide(null), s.wide(4), s.wide(-4)]", "[[0,1],[0,1],[2,6],[-6,-2]]"},
		{"s.ticks([0, 0.5, 1], 0.5)", `["0","0.5","1.0"]`},
		{"s.ticks([-20, 0, 20], 10)", `["−20","0","20"]`},
		{"s.ticks([0.00098, 0.001, 0.00102], 0.00002)", `["0.98e−3","1.00e−3","1.02e−3"]`},
		{"s.ticks([0.55, 0.5525, 0.555], 0.0025, true)",
			`["55.00\u202f%","55.25\u202f%","55.50\u202f%"]`},
		{"s.ticks([1000000, 1000001], 1)", `["1\u202f000\u202f000","1\u202f000\u202f001"]`},
		{"[0, 0.00174, 0.0771, 0.5, 17.25, 12345].map(d.short)",
			`["0.000","0.00174","0.0771","0.500","17.3","12\u202f345"]`},
		{"s.interval({values: [5], low: [4], high: [6]}, 0, String)", `" ± 1"`},
		{"s.interval({values: [5], low: [1], high: [6]}, 0, String)", `" (1 to 6)"`},
		{"s.interval({values: [5], low: [null], high: [6]}, 0, String)", `" (−∞ to 6)"`},
		{"s.interval({values: [5], low: [1], high: [null]}, 0, String)", `" (1 to ∞)"`},
		{"[s.interval({values: [5], low: [null], high: [null]}, 0, String), s.interval({values: [5]}, 0, String)]", `["",""]`},
		{"[c.has({a: [0, null]}, 'a'), c.has({a: [null]}, 'a'), c.has({}, 'a'), c.has({'losses/policy': [0]}, 'losses/policy')]", "[true,false,false,false]"},
		{"c.along({iteration: [1, 2, 4], games: [10, 20, 60]}, 'games', [0, 1, 3, 4, 9])",
			"[0,10,40,60,60]"},
		{"c.along({iteration: [500, 1000], elapsed_seconds: [3600, 1800]}, 'hours', [250, 750])",
			"[0.5,1.25]"},
		{"[c.along({}, 'games', [0, 5]), c.along({iteration: [7]}, 'iteration', [3])]",
			"[[0,0],[3]]"},
		{"c.has({'losses/policy': [2, 1], 'losses/policy_accuracy': [0, 0]}, 'losses/policy_accuracy')", "true"},
	} {
		if got := strings.ReplaceAll(ask(c.expression), "\u202f", `\u202f`); got != c.want {
			t.Errorf("%s is %s, want %s", c.expression, got, c.want)
		}
	}
	// No axis has one word twice, whatever its range and steps.
	if twice := ask(`Array.from({length: 4000}, (_, k) => {
		const step = [1, 2, 2.5, 5][k % 4] * 10 ** (Math.floor(k / 4) % 12 - 7), from = Math.round(Math.sin(k) * 10 ** (k % 7)) * step;
		const list = Array.from({length: 6}, (_, i) => from + i * step);
		return [list, s.ticks(list, step, k % 3 === 0)];
	}).filter(([list, words]) => new Set(words).size !== list.length).slice(0, 3)`); twice != "[]" {
		t.Errorf("labels that are the same: %s", twice)
	}

	// Pointing says where.
	many := runtest.MakeRun(t, runtest.Run{
		Game: "go:size=5,players=3", Iterations: 30, All: 60, Games: 1,
	})
	b.visit(start(t, Options{Folder: string(many)}))
	b.open("/")
	b.until("document.querySelectorAll('.u-over').length > 5 && " + drawn)
	// While charts are added the others move.
	for moved := 0; moved == 0 ||
		moved < 1000 && !eval[bool](b,
			figure("Rating")+
				".querySelector('.legend').innerText.startsWith('iteration 16\\n')"); moved++ {
		at := eval[[]float64](b, "(() => { const r = "+figure("Rating")+".querySelector('.u-over').getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()")
		b.do(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	}
	b.until(figure("Rating") + ".querySelector('.legend').innerText.startsWith('iteration 16\\n')")
	// New figures leave what is pointed at.
	file, err := os.OpenFile(many.Events(), os.O_APPEND|os.O_WRONLY, 0)
	runtest.Must(t, err)
	_, err = file.WriteString(`{"time":"2026-03-01T12:40:00Z","event":"evaluation","iteration":30,"strength":{"points":[1,2,3],"ci95":[1,1,1],"sum":6,"sum_ci95":2,"rating":1000,"rating_low":900,"rating_high":1200}}` + "\n")
	runtest.Must(t, err)
	runtest.Must(t, file.Close())
	b.until("document.querySelector('#progress .tiles').textContent.includes('+1000')")
	for _, title := range []string{"Rating", "Policy loss"} {
		if at := eval[string](b, figure(title)+".querySelector('.legend .at').innerText"); at !=
			"iteration 16" {
			t.Errorf("after new figures %s tells of %s, which nobody points at", title, at)
		}
	}
	b.until(figure("Policy loss") +
		".querySelector('.legend').innerText.startsWith('iteration 16\\n')")
	b.sound()
}

// TestBrowserPhones: the pages of a folder of runs are no wider than a phone, and what is compared
// has intervals and zeros.
func TestBrowserPhones(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not for short tests")
	}
	findBrowser(t)
	folder := t.TempDir()
	for name, dir := range map[string]run.Folder{
		"a-run-with-a-name-that-is-longer-than-most": zeros(t),
		"many": runtest.MakeRun(t, runtest.Run{
			Game: "go:size=5,players=3", Iterations: 30, All: 60, Games: 1, Network: true,
		}),
	} {
		runtest.Must(t, os.CopyFS(filepath.Join(folder, name), os.DirFS(string(dir))))
	}
	server := start(t, Options{Folder: folder})
	b := openBrowser(t, server.Address())
	for _, path := range []string{
		"/#many&a-run-with-a-name-that-is-longer-than-most", "/runs/many/", "/runs/many/#games",
		"/runs/many/#play", "/runs/many/#log",
		"/runs/a-run-with-a-name-that-is-longer-than-most/",
	} {
		b.visit(server)
		b.size(320, 844, "light", true)
		b.open(path)
		b.until("!document.getElementById('loading') && document.querySelector('.u-over, .gamelist button, .events li, .setup')")
		for _, width := range []int64{320, 390} {
			b.size(width, 844, "light", true)
			b.fits()
			b.accessible()
		}
	}
	b.visit(server)
	b.open("/#many&a-run-with-a-name-that-is-longer-than-most")
	b.until(figure("Rating") + "?.querySelector('.legend').innerText.includes('−220 (−∞ to −100)')")
	b.until(figure("Rating") + ".querySelector('.legend').innerText.includes(' ± 60')")
	b.sound()
}
