package web

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tengen/checkpoints"
	"tengen/checkpoints/pretrained"
	"tengen/game"
	"tengen/internal/machine"
	"tengen/internal/random"
	"tengen/player"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/run/runtest"
	"tengen/search"
)

// shippedGame is a game that the network that comes with the program plays against itself.
func shippedGame(
	t *testing.T, g game.Game, name string, number uint64, iteration int,
) *record.Game {
	t.Helper()
	p, err := player.Parse(g, "az:"+name+",simulations=40,temperature=1,plies=6")
	runtest.Must(t, err)
	players := g.Players()
	r := &record.Game{
		Number: number, Iteration: iteration, Name: g.Name(), Scores: make([]float32, players),
		Returns: make([]float32, players),
	}
	var seats []player.Seat
	for i := range players {
		r.Seats = append(r.Seats, record.SeatRecord{Kind: record.Network, Step: 3657})
		seats = append(seats, player.Seat{
			Agent: p.NewAgent(g), Rand: random.New(number, random.Test, uint64(i)),
		})
	}
	x := player.NewGame(g)
	x.OnMove = func(made player.Move) {
		m := record.Move{Mover: made.Player, Action: made.Action}
		if made.By == player.ByAgent {
			analysis := made.Agent.(player.Analyzer).Analysis()
			m.Value = analysis.Value
			for _, c := range analysis.Moves {
				if c.Visits > 0 {
					m.Visits = append(m.Visits, record.Visit{Action: c.Action, N: uint32(c.Visits)})
				}
			}
		}
		r.Moves = append(r.Moves, m)
	}
	x.Start(player.Setup{Seats: seats})
	evaluator := p.NewEvaluator(g, 1)
	runtest.Must(t, search.Drive(t.Context(), []search.Task{x}, []search.Evaluator{evaluator}))
	s := x.State()
	game.Scores(s, r.Scores)
	s.Returns(r.Returns)
	runtest.Must(t, record.NewChecker(g).Mark(r))
	return r
}

// shippedRun is a run of three-player Go whose curves are made up, whose network
// is the one that comes with the program, and whose last game that one played.
func shippedRun(t *testing.T) run.Folder {
	t.Helper()
	const iterations = 42
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "go:size=5,players=3", Iterations: iterations, All: 60, Games: 6, Counted: 250,
	})
	shipped, ok := pretrained.Find("go-5x5x3") // its priors are soft enough that many are shown
	if !ok {
		t.Fatal("no network for three-player 5×5 Go comes with the program")
	}
	model, err := shipped.Model()
	runtest.Must(t, err)
	store := checkpoints.Store{FS: runtest.Unsynced{}, Dir: dir.Checkpoints()}
	_, err = store.Save(&checkpoints.Checkpoint{
		Iteration: iterations, Game: model.Game, Params: model.Params, State: json.RawMessage("{}"),
	})
	runtest.Must(t, err)
	log, err := replay.OpenLog(runtest.Unsynced{}, dir.Replay(), 1<<30)
	runtest.Must(t, err)
	runtest.Must(t,
		log.Append(shippedGame(t, game.Must(game.New(model.Game)), shipped.Name, 6*iterations,
			iterations-1)))
	runtest.Must(t, log.Close())
	return dir
}

// start serves a run for the browser to visit.
func start(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Serve(t.Context(), "127.0.0.1:0", o)
	runtest.Must(t, err)
	t.Cleanup(func() { runtest.Must(t, s.Close()) })
	return s
}

// drawn says that something is drawn in every chart.
const drawn = `[...document.querySelectorAll('#progress .plot canvas')].every(c => c.width > 100 &&
	c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v, i) => i % 4 === 3 && v > 0))`

// The page in a real browser: the curves draw, the slider moves the board, whole
// games can be played, nothing is logged as an error, and no other host is asked.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not for short tests")
	}
	findBrowser(t)
	dir := shippedRun(t)
	var done atomic.Int64
	done.Store(133)
	opened := time.Now()
	clock := func() time.Time {
		return runtest.Began.Add(42*time.Minute + 20*time.Second + time.Since(opened))
	}
	server := start(t, Options{Folder: string(dir), Now: clock, Status: func() run.Status {
		return run.Status{
			Iteration: 42, Iterations: 60, Stage: run.StageSelfPlay,
			Done: int(done.Load()), All: 250,
			GamesPerSecond: 9.4, EvaluationsPerSecond: 35_210, Left: 11 * time.Minute,
		}
	}})
	b := openBrowser(t, server.Address())
	progressInBrowser(b, &done)
	gamesInBrowser(b)
	playInBrowser(b)
	b.sound()
	clusterInBrowser(t, b, dir)
	tokenInBrowser(t, b, dir)
	longRunInBrowser(t, b)
}

func progressInBrowser(b *browser, done *atomic.Int64) {
	t := b.t
	b.size(1280, 1010, "light", false)
	b.open("/")
	b.until("document.querySelectorAll('#progress .plot canvas').length >= 10 && " + drawn)
	t.Logf("first load: %.0f bytes; drawn after %.0f ms",
		b.received, eval[float64](b, "performance.getEntriesByName('drawn')[0].startTime"))
	if b.received > 300_000 {
		t.Errorf("the first load takes %.0f bytes, and 300,000 are to suffice", b.received)
	}
	b.until("document.querySelector('.stages .active .amount').textContent.startsWith('133 / 250')")
	b.shot("web-progress.png")
	b.accessible()
	// Every name that is drawn is one that the history has.
	for _, want := range []string{
		"Strength by seat", "Rating", "Scores in self-play", "Self-play", "Policy loss", "Entropy",
		"; UCT itself ", "held out ",
	} {
		if !eval[bool](b, fmt.Sprintf("[...document.querySelectorAll('#progress figure, #progress dd')].some(f => f.textContent.includes(%q))", want)) {
			t.Errorf("the page shows no %q", want)
		}
	}
	// The table behind a chart has a row for each iteration.
	if rows := eval[int](b, `(() => {
		const f = [...document.querySelectorAll('#progress figure')].find(f => f.textContent.includes('Policy loss'));
		f.querySelector('summary').click();
		return new Promise(r => setTimeout(() => { const n = f.querySelectorAll('tbody tr').length; f.querySelector('summary').click(); r(n); }, 100));
	})()`); rows != 42 {
		t.Errorf("the table behind the curve has %d rows, want 42", rows)
	}
	// Another axis, and smoothing; the run as files.
	for axis, last := range map[string]string{
		"games": "games", "hours": "hours", "iteration": "iteration",
	} {
		eval[bool](b, fmt.Sprintf("(() => { const s = document.querySelector('#progress .options select'); s.value = %q; s.dispatchEvent(new Event('change')); return true; })()", axis))
		b.until(fmt.Sprintf("document.querySelectorAll('#progress .plot canvas').length >= 10 && document.querySelector('#progress figure summary span').textContent === %q", last))
	}
	for path, want := range map[string]string{
		"/api/v1/history.csv": "iteration,", "/api/v1/config": "simulations: ",
	} {
		if text := eval[string](b,
			fmt.Sprintf("fetch(%q).then(r => r.text())", path)); !strings.Contains(text, want) {
			t.Errorf("%s has no %q: %.100s", path, want, text)
		}
	}
	// News arrive without being asked for.
	done.Store(240)
	b.until("document.querySelector('.stages .active .amount').textContent.startsWith('240 / 250')")
	// The theme is the system's until another is chosen.
	if light, dark := eval[string](b, "getComputedStyle(document.body).backgroundColor"),
		eval[string](b, "document.getElementById('theme').click(), getComputedStyle(document.body).backgroundColor"); light == dark {
		t.Errorf("in light and in dark the page is %s", light)
	}
	eval[bool](b, "document.getElementById('theme').click(), true")
	b.size(1280, 1010, "dark", false)
	b.until("document.querySelectorAll('#progress .plot canvas').length >= 10 && " + drawn)
	b.shot("web-progress-dark.png")
	b.accessible()
	b.size(390, 844, "light", true)
	b.fits()
	b.until(drawn)
}

// ply is what the counter below the board says.
const ply = "document.querySelector('#games-viewer .counter').textContent"

func gamesInBrowser(b *browser) {
	t := b.t
	b.size(1280, 1300, "light", false)
	eval[bool](b, "scrollTo(0, 0), location.hash = 'games', true")
	b.until("document.querySelector('#games .board') && " + ply + ".startsWith('0 /')")
	stones := func() int {
		t.Helper()
		return eval[int](b, "document.querySelectorAll('#games .board .disc').length")
	}
	if n := stones(); n != 0 {
		t.Errorf("%d stones on the first position", n)
	}
	// With the keyboard: from anywhere, and on the slider.
	b.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight),
		chromedp.KeyEvent(kb.ArrowRight))
	b.until(ply + ".startsWith('3 /')")
	if n := stones(); n != 3 {
		t.Errorf("%d stones after three moves", n)
	}
	b.until("document.getElementById('live').textContent.startsWith('Ply 3: Red plays')")
	eval[bool](b, "document.querySelector('#games-viewer input[type=range]').focus(), true")
	b.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowLeft),
		chromedp.KeyEvent(kb.ArrowRight))
	b.until(ply + ".startsWith('4 /')")
	b.until(
		"document.querySelector('#games .board').getAttribute('aria-label').includes('Black: ')")
	// The overlays.
	if n := eval[int](b, "document.querySelectorAll('#games .over .value').length"); n == 0 {
		t.Error("no visits are shown on the board")
	}
	for _, overlay := range []string{"prior", "value"} {
		eval[bool](b,
			fmt.Sprintf("document.querySelector('#games-viewer button[value=%s]').click(), true",
				overlay))
		b.until("document.querySelectorAll('#games .over .value').length >= 10")
	}
	eval[bool](b, "document.querySelector('#games-viewer button[value=none]').click(), true")
	b.until("document.querySelectorAll('#games .over .value').length === 0")
	// The arrow keys go on through the game after a choice with the mouse.
	for _, overlay := range []string{"prior", "value", "visits"} {
		before := eval[int](b, "parseInt("+ply+")")
		b.do(chromedp.Click(fmt.Sprintf("#games-viewer button[value=%s]", overlay)),
			chromedp.KeyEvent(kb.ArrowRight))
		b.until(fmt.Sprintf("parseInt(%s) === %d && document.querySelector('#games-viewer button[aria-pressed=true]').value === %q", ply, before+1, overlay))
		b.do(chromedp.KeyEvent(kb.ArrowLeft))
		b.until(fmt.Sprintf("parseInt(%s) === %d", ply, before))
	}
	// A click on the curve goes there.
	at := eval[[]float64](b, "(() => { scrollTo(0, 600); const r = document.querySelector('#games .curve .u-over').getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()")
	b.do(chromedp.MouseClickXY(at[0], at[1]))
	b.until("Math.abs(parseInt(" + ply +
		") / document.querySelector('#games-viewer input[type=range]').max - 0.5) < 0.06")
	b.until("location.hash.startsWith('#games/252/')")
	eval[bool](b, "scrollTo(0, 0), document.activeElement.blur(), true")
	b.do(chromedp.KeyEvent(kb.Home))
	for range 13 {
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	b.until(ply + ".startsWith('13 /')")
	b.shot("web-games.png")
	b.accessible()
	b.size(390, 1010, "light", true)
	b.fits()
	b.shot("web-games-phone.png")
	b.accessible()
	// Another game of the list, by the keyboard.
	b.size(1280, 1060, "dark", false)
	b.do(chromedp.KeyEvent(kb.PageDown))
	b.until("location.hash.startsWith('#games/251/')")
	b.until("document.querySelector('#games [aria-current]').dataset.id === '251' && document.querySelector('#games .file').href.includes('/251/')")
	if text := eval[string](b,
		"fetch(document.querySelector('#games .file').href).then(r => r.text())"); !strings.Contains(text, `"actions":[`) {
		t.Errorf("the file of a game: %.300s", text)
	}
	b.accessible()
}

func playInBrowser(b *browser) {
	t := b.t
	const mine = "document.querySelector('#play .turn').textContent.includes('your move') && document.querySelectorAll('#play .spot').length > 0"
	eval[bool](b, "scrollTo(0, 0), location.hash = 'play', true")
	b.until("document.querySelector('#play select option')")
	b.do(chromedp.Click("#play .setup .main"))
	b.until(mine)
	// By the mouse, on the centre.
	b.do(chromedp.Click(`#play .spot[data-action="12"]`))
	b.until(mine + " && document.querySelectorAll('#play .board .disc').length === 3")
	// By the keyboard: from c3's place to the nearest, and there.
	eval[bool](b, "document.querySelector('#play .spot').focus(), true")
	b.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowRight))
	if name := eval[string](b,
		"document.activeElement.getAttribute('aria-label')"); !regexp.MustCompile(
		"^play [b-e][1-4]$").MatchString(name) {
		t.Errorf("the arrow keys lead to %q", name)
	}
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(mine + " && parseInt(document.querySelector('#play .counter').textContent) === 6")
	// The game is still there when the page is loaded again.
	if at := eval[string](b, "location.hash"); !regexp.MustCompile("^#play/.").MatchString(at) {
		b.t.Errorf("the address of a game is %q", at)
	}
	b.do(chromedp.Reload())
	b.until(mine + " && parseInt(document.querySelector('#play .counter').textContent) === 6")
	// Its thoughts are shown when they are asked for, and only then.
	if eval[bool](b, "!!document.querySelector('#play .bars') || document.querySelectorAll('#play .over .value').length > 0") {
		t.Error("thoughts are shown that nobody has asked for")
	}
	b.do(chromedp.Click("#play .setup .check input"))
	b.until("document.querySelector('#play .bars') && document.querySelector('#play-viewer .note').textContent.startsWith('No visits are recorded here. “Prior” ')")
	if n := eval[int](b, "document.querySelectorAll('#play .over .value').length"); n > 0 {
		t.Errorf("%d numbers are shown as visits where there was no search", n)
	}
	b.do(chromedp.Click("#play-viewer button[value=prior]"))
	b.until("document.querySelectorAll('#play .over .value').length > 0")
	b.shot("web-play-dark.png")
	b.accessible()
	press := func(name string) {
		t.Helper()
		eval[bool](b, fmt.Sprintf("([...document.querySelectorAll('#play .turnrow button')].find(x => x.textContent === %q).click(), true)", name))
	}
	// A hint stands above the board, and is marked on it until the next move.
	press("Hint")
	b.until("/^Hint of network 42: .*expects .* for /.test(document.querySelector('#play .advice').textContent) && document.querySelectorAll('#play .over .chosen').length === 1")
	b.accessible()
	b.size(390, 1010, "light", true)
	b.fits()
	b.accessible()
	b.size(1280, 1060, "dark", false)
	// Who resigns may take it back.
	press("Resign")
	b.until("document.querySelector('#play .turn').textContent === 'Black resigned. The game is left unfinished.' && document.querySelectorAll('#play .spot').length === 0")
	press("Take back")
	b.until(mine + " && parseInt(document.querySelector('#play .counter').textContent) === 6")
	// The game as a file.
	eval[bool](b, "(() => { window.saved = []; URL.createObjectURL = x => { saved.push(x); return 'data:,'; }; return true; })()")
	press("Download")
	b.until("saved.length === 1")
	if text := eval[string](b, "saved[0].text()"); !strings.Contains(text,
		`"game":"go:size=5,players=3"`) || !strings.Contains(text, `"players":["human","az:`) {
		t.Errorf("the file of a game: %.300s", text)
	}
	press("Take back")
	b.until("document.querySelector('#play .advice').textContent === '' && " + mine +
		" && parseInt(document.querySelector('#play .counter').textContent) === 3")
	// To the end: the first place that is free, or whatever else there is.
	for range 200 {
		b.until("(" + mine + ") || document.querySelector('#play .others button') || document.querySelector('#play .turn').textContent.includes('is over')")
		if eval[bool](b, "document.querySelector('#play .turn').textContent.includes('is over')") {
			break
		}
		eval[bool](b, `(document.querySelector('#play .spot') ?? document.querySelector('#play .others button')).dispatchEvent(new MouseEvent('click', { bubbles: true })), true`)
	}
	if end := eval[string](b,
		"document.querySelector('#play .turn').textContent"); !strings.Contains(end, "is over") ||
		!strings.Contains(end, "Black") {
		t.Errorf("in the end it says %q", end)
	}
}

// tokenInBrowser opens a locked page by its address: the token goes from it, and
// everything else works by the cookie.
func tokenInBrowser(t *testing.T, b *browser, dir run.Folder) {
	s := start(t, Options{Folder: string(dir), Token: "a-token-of-some-length"})
	b.visit(s)
	b.open("/?token=a-token-of-some-length")
	b.until("document.querySelectorAll('#progress .plot canvas').length >= 10 && location.search === ''")
	b.open("/")
	b.until("document.querySelectorAll('#progress .plot canvas').length >= 10")
	b.sound()
}

// Workers on other machines are shown where there may be some, refused ones first, with the reason.
func clusterInBrowser(t *testing.T, b *browser, dir run.Folder) {
	if eval[bool](b, "!document.querySelector('.cluster').hidden") {
		t.Error("workers are shown of a run that has none")
	}
	c := run.Cluster{
		Given: 96, Counted: 5210, Late: 12, Again: 3,
		Queues: []run.Queue{
			{Name: "work", Messages: 8, Bytes: 4100}, {Name: "games", Messages: 2, Bytes: 61_000},
		},
		Refused: map[string]uint64{"record": 5, "worker": 1},
	}
	for i := range 3 {
		c.Workers = append(c.Workers, run.Worker{
			ID: fmt.Sprint("UAB", i), Host: fmt.Sprint("desk-", i), Build: "v0.9.0",
			Kernels: "avx2", Games: 32, Rate: 4000, Counted: 1700, Alive: true,
		})
	}
	c.Workers = append(c.Workers, run.Worker{
		ID: "UXX", Host: "<b>attic</b>", Build: "v0.8.0", Kernels: "portable",
		Reason: "its build is v0.8.0, the trainer's is v0.9.0",
	})
	b.visit(start(t, Options{Folder: string(dir), Cluster: func() run.Cluster { return c }}))
	b.size(1280, 1010, "light", false)
	b.open("/")
	b.until("!document.querySelector('.cluster').hidden")
	eval[bool](b, "document.querySelector('.cluster summary').click(), true")
	text := eval[string](b, "document.querySelector('.cluster').innerText")
	for _, want := range []string{
		"Workers", "v0.9.0, avx2", "12 000", "5 210", "12 came too late; 96 are given out",
		"record: 5, worker: 1", "59.6 KiB in the broker", "desk-2", "<b>attic</b>",
		"its build is v0.8.0",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the workers lack %q: %s", want, text)
		}
	}
	if first := eval[string](b, "document.querySelector('.cluster tbody th').textContent"); first !=
		"<b>attic</b>" {
		t.Errorf("%s is first", first)
	}
	b.size(390, 844, "light", true)
	b.fits()
	b.size(1280, 1010, "light", false)
	b.sound()
}

// longRunInBrowser opens a run of 1,000 iterations and 100,000 games.
func longRunInBrowser(t *testing.T, b *browser) {
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "tictactoe", Iterations: 1000, Games: 100, Network: true,
	})
	b.visit(start(t, Options{Folder: string(dir)}))
	served, shown := machine.CPUTime(), b.computed()
	b.open("/")
	b.until("document.querySelectorAll('#progress .plot canvas').length >= 10 && " + drawn)
	// Computing time, which a busy machine does not stretch as it does the clock's.
	served, shown = machine.CPUTime()-served, b.computed()-shown
	took := eval[float64](b, "performance.getEntriesByName('drawn')[0].startTime")
	t.Logf("1,000 iterations: %.0f bytes, drawn after %.0f ms; the server computes %v, the page %v",
		b.received, took, served, shown)
	if b.received > 300_000 || shown <= 0 || served+shown > 3*time.Second {
		t.Errorf("1,000 iterations: %.0f bytes; the server computes %v, the page %v",
			b.received, served, shown)
	}
	eval[bool](b, "location.hash = 'games', true")
	b.until("document.querySelector('#games .board') && document.querySelectorAll('#games .gamelist li').length > 10")
	b.do(chromedp.KeyEvent(kb.End))
	b.until("document.querySelectorAll('#games .board .stroke.tone-red, #games .board .stroke.tone-blue').length >= 5")
	b.sound()
}

// TestBrowserLog: notes are written and kept, the log and the machine are shown, charts have
// logarithmic axes and are saved as pictures, and players with options sit down beside the rules.
func TestBrowserLog(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not for short tests")
	}
	findBrowser(t)
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "tictactoe", Iterations: 6, Games: 2, Network: true,
	})
	b := openBrowser(t, start(t, Options{Folder: string(dir), Status: func() run.Status {
		return run.Status{Iteration: 6, Iterations: 9, Stage: run.StageSelfPlay, Done: 1, All: 2}
	}}).Address())
	b.size(1280, 1010, "light", false)
	b.open("/#log")
	b.until("document.querySelectorAll('#log .events li').length >= 8 && document.querySelector('#log .events').textContent.includes('descent.max_nodes')")
	eval[bool](b, "(() => { const s = document.querySelector('#log select'); s.value = 'warning'; s.dispatchEvent(new Event('change')); return true; })()")
	b.until("document.querySelectorAll('#log .events li').length === 1")
	b.until("document.querySelector('#log .tiles').textContent.includes('Busy cores')")
	b.do(chromedp.Click("#log textarea"), chromedp.KeyEvent("A wider network"))
	b.do(chromedp.Click("#log .notes button"))
	b.until("document.querySelector('#log .notes').textContent.includes('saved in notes.md')")
	if n, err := dir.On(nil).ReadNotes(); err != nil || n.Text != "A wider network" {
		t.Errorf("in the folder: %+v, %v", n, err)
	}
	b.accessible()
	b.size(390, 844, "dark", true)
	b.fits()
	b.accessible()
	b.size(1280, 1010, "light", false)
	b.open("/#progress")
	b.until("document.querySelectorAll('#progress .plot canvas').length >= 8 && " + drawn)
	eval[bool](b, "(() => { const s = document.querySelectorAll('#progress .options select')[2]; s.value = 'xy'; s.dispatchEvent(new Event('change')); return true; })()")
	b.until("document.querySelectorAll('#progress .plot canvas').length >= 8 && " + drawn)
	b.accessible()
	// A picture of one chart, and of all.
	eval[bool](b, "(() => { window.saved = []; const make = URL.createObjectURL; URL.createObjectURL = x => { saved.push(x); return 'data:,'; }; return true; })()")
	for _, button := range []string{"#progress .chart .save", "#progress .options button"} {
		eval[bool](b,
			fmt.Sprintf("(saved.length = 0, document.querySelector(%q).click(), true)", button))
		b.until("saved.length === 1")
		if size := eval[[]int](b,
			"createImageBitmap(saved[0]).then(x => [x.width, x.height, saved[0].size])"); size[0] <
			300 || size[1] < 150 || size[2] < 1000 {
			t.Errorf("%s saves a picture of %v", button, size)
		}
	}
	eval[bool](b, "location.hash = 'play', true")
	b.until("document.querySelector('#play .rules').textContent.includes('in a row')")
	eval[bool](b, `(() => {
		const [mine, other] = document.querySelectorAll('#play .seat select');
		other.value = 'alphabeta:';
		other.dispatchEvent(new Event('change'));
		document.querySelectorAll('#play .keys')[1].value = 'depth=9, ties=first';
		return true;
	})()`)
	b.until("document.querySelector('#play .keyhelp').textContent.includes('turns searched')")
	b.accessible()
	b.do(chromedp.Click("#play .setup .main"))
	b.until("document.querySelector('#play .turn').textContent.includes('your move')")
	b.do(chromedp.Click(`#play .spot[data-action="4"]`))
	b.until("document.querySelector('#play .turn').textContent.includes('your move') && document.querySelector('#play-viewer').textContent.includes('alphabeta')")
	b.sound()
}

// TestBrowserRuns: the runs of a folder are listed, chosen, overlaid and opened.
func TestBrowserRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not for short tests")
	}
	findBrowser(t)
	folder := t.TempDir()
	for i, name := range []string{"first", "second", "lab/third"} {
		dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 5 + i, Games: 1})
		runtest.Must(t, os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o755))
		runtest.Must(t, os.Rename(string(dir), filepath.Join(folder, name)))
	}
	_, err := run.Folder(filepath.Join(folder, "second")).On(nil).WriteNotes("the wider one", "")
	runtest.Must(t, err)
	b := openBrowser(t, start(t, Options{Folder: folder}).Address())
	b.size(1280, 1010, "light", false)
	b.open("/")
	b.until("document.querySelectorAll('.runlist tbody tr').length === 3 && document.querySelector('.runlist').textContent.includes('the wider one')")
	b.accessible()
	for _, name := range []string{"second", "lab/third"} {
		eval[bool](b,
			fmt.Sprintf(`(document.querySelector('[aria-label="Compare %s"]').click(), true)`,
				name))
	}
	b.until("document.querySelectorAll('.charts canvas').length >= 6 && document.querySelector('.differences').textContent.includes('training.iterations')")
	b.until("document.querySelector('.chart .legend').textContent.includes('second') && document.querySelector('.chart .legend').textContent.includes('lab/third')")
	for i, value := range []string{"hours", "0.9", "xy"} {
		eval[bool](b, fmt.Sprintf("(() => { const s = document.querySelectorAll('.options select')[%d]; s.value = %q; s.dispatchEvent(new Event('change')); return true; })()", i, value))
		b.until("document.querySelectorAll('.charts canvas').length >= 6 && " +
			strings.Replace(drawn, "#progress .plot", ".plot", 1))
	}
	b.accessible()
	b.size(390, 844, "dark", true)
	b.fits()
	b.accessible()
	// The choice is in the address; a run's own page works below the folder's.
	b.size(1280, 1010, "light", false)
	b.open("/#first")
	b.until("document.querySelectorAll('.differences thead th').length === 2")
	b.do(chromedp.Navigate("about:blank"))
	b.open("/#first")
	b.until("document.querySelectorAll('.chart .legend .chip').length >= 1 && document.querySelector('.differences').textContent.includes('first')")
	b.do(chromedp.Click(`a[href="/runs/lab%2Fthird/"]`))
	b.until("document.querySelector('#head h1') && document.querySelectorAll('#progress .plot canvas').length >= 8 && " + drawn)
	eval[bool](b, "location.hash = 'games', true")
	b.until("document.querySelector('#games .board')")
	if text := eval[string](b,
		"fetch(document.querySelector('#progress .options a').href).then(r => r.text())"); !strings.Contains(text, "iteration,") {
		t.Errorf("the run's CSV: %.100s", text)
	}
	b.do(chromedp.Click("nav .all"))
	b.until("document.querySelectorAll('.runlist tbody tr').length === 3")
	b.sound()
}
