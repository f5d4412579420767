//go:build slow

package web

import (
	"bytes"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"tengen/configs"
	"tengen/run/runtest"
)

// TestUsableInTwoSeconds starts `tengen train` with every preset, at a load of four: two cores that
// play and two processes that do nothing else. Two seconds later the page is drawn and a game can
// be begun.
//
//	go test -tags slow ./web -run UsableInTwoSeconds -v
func TestUsableInTwoSeconds(t *testing.T) {
	findBrowser(t)
	program := filepath.Join(t.TempDir(), "tengen")
	build := exec.Command("go", "build", "-o", program, "../cmd/tengen")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for range 2 {
		busy := exec.Command("sh", "-c", "while :; do :; done")
		runtest.Must(t, busy.Start())
		t.Cleanup(func() { busy.Process.Kill(); busy.Wait() })
	}
	var b *browser
	var worst time.Duration
	for _, preset := range configs.PresetNames() {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		runtest.Must(t, err)
		address := free.Addr().String()
		runtest.Must(t, free.Close())
		if b == nil {
			b = openBrowser(t, address)
			b.size(1280, 1010, "light", false)
		}
		b.do(chromedp.Navigate("about:blank"))
		b.mu.Lock()
		b.host = address
		b.mu.Unlock()

		var output bytes.Buffer
		train := exec.Command(program, "train", preset, "--run",
			filepath.Join(t.TempDir(), "run"), "--listen", address, "--set", "selfplay.workers=2")
		train.Stdout, train.Stderr = &output, &output
		began := time.Now()
		runtest.Must(t, train.Start())
		answers := func() bool {
			r, err := http.Get("http://" + address + "/api/v1/run")
			if err != nil {
				return false
			}
			r.Body.Close()
			return r.StatusCode == http.StatusOK
		}
		for !answers() {
			if time.Since(began) > time.Minute {
				train.Process.Kill()
				train.Wait()
				t.Fatalf("%s: nothing answers at %s: %s", preset, address, output.Bytes())
			}
			time.Sleep(10 * time.Millisecond)
		}
		answered := time.Since(began)
		b.open("/#progress")
		b.until(
			"!document.getElementById('loading') && !document.getElementById('progress').hidden")
		drawn := time.Since(began)
		b.open("/#play")
		b.until("document.querySelectorAll('#play .seat').length > 1 && document.querySelector('#play .setup .main')")
		usable := time.Since(began)
		iteration := eval[int](b, "fetch('/api/v1/run').then(r => r.json()).then(r => r.networks ? r.networks.length : 0)")
		runtest.Must(t, train.Process.Signal(syscall.SIGKILL))
		train.Wait()
		t.Logf("%-18s answers after %.2f s, drawn after %.2f s, a game can be begun after %.2f s; %d networks",
			preset, answered.Seconds(), drawn.Seconds(), usable.Seconds(), iteration)
		worst = max(worst, usable)
	}
	if worst > 2*time.Second {
		t.Errorf("one page was usable after %.2f s; 2 s are wanted", worst.Seconds())
	}
}
