package web

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "write the screenshots of the docs")

// images is where the docs' screenshots are.
const images = "../docs/images"

// findBrowser is the path of a Chromium, if possible of its shell without windows, which takes a
// quarter less time; the test is skipped without one.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{
		"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
	} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium is installed: the page is not tried in a browser (Debian: apt-get install chromium-headless-shell)")
	return ""
}

// browser is a real browser with one page open. Whatever goes wrong on it is
// collected.
type browser struct {
	t    *testing.T
	ctx  context.Context
	host string // with the port, that alone is to be asked

	mu        sync.Mutex
	problems  []string
	elsewhere []string // requests to other hosts
	received  float64  // bytes, as they came over the wire
	width     int64    // of the window
}

// shared is the one process of Chromium that the tests start, or nil.
var shared context.Context

// endBrowser ends it, and removes its files.
var endBrowser = func() {}

// withBrowser runs the tests, and ends the browser that they have started.
type withBrowser struct{ *testing.M }

func (m withBrowser) Run() int {
	defer func() { endBrowser() }()
	return m.M.Run()
}

// openBrowser opens a tab. It has no cookie of another test, and nothing that another has stored,
// which is kept by the port. A window or a process for each would cost more than most tests do.
func openBrowser(t *testing.T, host string) *browser {
	t.Helper()
	if shared == nil {
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(findBrowser(t)), chromedp.NoSandbox, chromedp.DisableGPU,
			chromedp.Env("LANG=en_US.UTF-8"), chromedp.WSURLReadTimeout(2*time.Minute),
			// One process for all pages, and none kept ready.
			chromedp.Flag("renderer-process-limit", "1"),
			chromedp.Flag("disable-site-isolation-trials", true),
			chromedp.Flag("disable-features",
				"Translate,BlinkGenPropertyTrees,SpareRendererForSitePerProcess"))
		allocator, remove := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, end := chromedp.NewContext(allocator)
		endBrowser = func() { end(); remove() }
		if err := chromedp.Do(ctx); err != nil {
			t.Fatal(err)
		}
		shared = ctx
	}
	ctx, cancel := chromedp.NewContext(shared, chromedp.WithNewWindow(false))
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx, host: host}
	if err := chromedp.Listen(ctx, b.heard); err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, network.ClearBrowserCookies, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	call(b, log.Enable, cdp.Empty{})
	call(b, performance.Enable, performance.EnableParams{})
	return b
}

// heard takes what the browser tells of the page.
func (b *browser) heard(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError ||
			e.Type == runtime.ConsoleAPICalledTypeWarning {
			for _, a := range e.Args {
				b.problems = append(b.problems,
					fmt.Sprintf("console: %s %s", a.Value, a.Description))
			}
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		b.problems = append(b.problems, "exception: "+text)
	case *log.EventEntryAdded:
		b.problems = append(b.problems,
			fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(e.Request.URL); err != nil ||
			u.Host != b.host && u.Scheme != "data" && u.Scheme != "about" {
			b.elsewhere = append(b.elsewhere, e.Request.URL)
		}
	case *network.EventLoadingFinished:
		b.received += e.EncodedDataLength
	}
}

// call gives the browser a command of its protocol.
func call[P, R any](b *browser, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	r, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		b.fatal("%s: %v", command.Method, err)
	}
	return r
}

// computed returns for how long the thread of the page has computed.
func (b *browser) computed() time.Duration {
	b.t.Helper()
	for _, m := range call(b, performance.GetMetrics, cdp.Empty{}).Metrics {
		if m.Name == "ThreadTime" {
			return time.Duration(m.Value * float64(time.Second))
		}
	}
	b.fatal("the browser does not tell for how long it has computed")
	return 0
}

func (b *browser) fatal(form string, args ...any) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.t.Fatalf(form+"; problems on the page: %q", append(args, b.problems)...)
}

// soon bounds one action.
func (b *browser) soon() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, 2*time.Minute)
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := b.soon()
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.fatal("%v", err)
	}
}

// visit turns to another server.
func (b *browser) visit(s *Server) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.host, b.received = s.Address(), 0
}

// open goes to a path of the page's host.
func (b *browser) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate("http://" + b.host + path))
}

// size makes the window as large as given, in a theme of the system's, as on a
// screen or on a phone.
func (b *browser) size(width, height int64, theme string, phone bool) {
	b.t.Helper()
	b.width = width
	scale := 1.0
	if phone {
		scale = 1.5
	}
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: scale, Mobile: phone,
	})
	call(b,
		emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: theme},
			{Name: "prefers-reduced-motion", Value: "reduce"},
		}})
}

// fits waits for the page to be no wider than the window. A phone shows a wider one small, and says
// that its window is as wide.
func (b *browser) fits() {
	b.t.Helper()
	b.until(fmt.Sprintf("document.documentElement.scrollWidth <= %d", b.width))
}

// eval is what an expression of JavaScript comes to, a promise once it is kept.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	ctx, cancel := b.soon()
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.fatal("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression of JavaScript to be true.
func (b *browser) until(expression string) {
	b.t.Helper()
	ctx, cancel := b.soon()
	defer cancel()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && ok {
			return
		}
		select {
		case <-ctx.Done():
			b.fatal("%s does not come true (%v)", expression, err)
		case <-time.After(30 * time.Millisecond):
		}
	}
}

// shot keeps a picture of what the window shows among the docs', with -update.
func (b *browser) shot(name string) {
	b.t.Helper()
	if !*update {
		return
	}
	// Two frames, so that everything is drawn.
	eval[bool](b,
		"new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))")
	ctx, cancel := b.soon()
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.fatal("screenshot %s: %v", name, err)
	}
	if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
		b.t.Errorf("screenshot %s: %v", name, err)
	}
	if err := os.WriteFile(filepath.Join(images, name), picture, 0o644); err != nil {
		b.t.Error(err)
	}
}

// sound fails the test where anything went wrong on the page, or another host
// was asked for something.
func (b *browser) sound() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("on the page: %s", p)
	}
	for _, u := range b.elsewhere {
		b.t.Errorf("the page asks another host: %s", u)
	}
}
