package cmd

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"tengen/checkpoints"
	"tengen/run"
)

// natsServer is a program: a NATS server at an address until it is killed, with JetStream if a
// folder follows.
func natsServer() {
	host, port, err := net.SplitHostPort(os.Args[1])
	if err != nil {
		panic(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		panic(err)
	}
	o := &server.Options{Host: host, Port: n, NoSigs: true, NoLog: true}
	if len(os.Args) > 2 {
		o.JetStream, o.StoreDir = true, os.Args[2]
	}
	s, err := server.NewServer(o)
	if err != nil {
		panic(err)
	}
	s.Start()
	s.WaitForShutdown()
}

// background is a program that runs beside the test.
type background struct {
	*exec.Cmd
	stderr output
	ended  chan error
}

// output is what a program has written so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func begin(t *testing.T, program string, args ...string) *background {
	t.Helper()
	b := &background{Cmd: exec.Command(program, args...), ended: make(chan error, 1)}
	b.Stderr = &b.stderr
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { b.ended <- b.Wait() }()
	t.Cleanup(func() { _ = b.Process.Kill() }) // it may have ended
	return b
}

// ends waits for the end, with status 0.
func (b *background) ends(t *testing.T, what string, limit time.Duration) {
	t.Helper()
	select {
	case err := <-b.ended:
		if err != nil {
			t.Fatalf("%s: %v\n%s", what, err, b.stderr.String())
		}
	case <-time.After(limit):
		t.Fatalf("%s does not end", what)
	}
}

// says waits until the program has written a text to its standard error.
func (b *background) says(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !strings.Contains(b.stderr.String(),
		text); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("a program does not say %q\n%s", text, b.stderr.String())
		}
	}
}

func (b *background) kill() {
	_ = b.Process.Kill() // it may have ended
	<-b.ended
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// answers waits until somebody listens at an address.
func answers(t *testing.T, address string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// TestExternalServer: a run whose workers reach it by a NATS server of another process, which is
// killed and begins again with nothing, and which is stopped and resumed once workers have played
// for it again, ends with the same network as without, and so do its workers.
func TestExternalServer(t *testing.T) {
	root := t.TempDir()
	address := freeAddress(t)
	args := []string{"train", "quick", "--device", "cpu"}
	for _, s := range []string{
		"game=tictactoe", "network.blocks=1", "network.filters=8", "network.hidden=8",
		"search.simulations=64", "warm_start.initial_games=0", "warm_start.schedule=none",
		"training.schedule=constant", "training.games=48", "training.batch=8", "training.max_steps=2",
		"training.warmup_steps=2", "evaluation.every=0",
		"selfplay.workers=1", "selfplay.games_per_worker=2", "selfplay.cache_mib=1",
		"replay.games=200",
	} {
		args = append(args, "--set", s)
	}
	alone, shared := filepath.Join(root, "alone"), filepath.Join(root, "shared")
	s := begin(t, "natsserver", address, filepath.Join(root, "first"))
	answers(t, address)
	workers := []*background{
		begin(t, "tengen", "worker", address, "--workers", "1", "--games-per-worker", "8",
			"--cluster", "some"),
	}
	workers = append(workers, begin(t, "tengen", "worker", "nats://"+address, "--workers", "1", "--games-per-worker", "8", "--cluster", "some"))
	metrics := freeAddress(t)
	cluster := []string{"--run", shared, "--nats", "nats://" + address, "--cluster", "some"}
	trainer := begin(t, "tengen", slices.Concat(args, cluster, []string{
		"--set", "training.iterations=100000", "--listen", metrics,
	})...)
	reached := func() int {
		events, _ := run.Folder(shared).History() // it may not be there yet
		if n := len(events); n > 0 {
			return events[n-1].Iteration
		}
		return 0
	}
	reaches := func(iteration int) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); reached() < iteration; time.Sleep(
			20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("iteration %d is not reached\n%s", iteration, trainer.stderr.String())
			}
		}
	}
	for _, w := range workers {
		w.says(t, "playing for")
	}
	s.kill()
	reaches(reached() + 2) // the trainer goes on alone
	s = begin(t, "natsserver", address, filepath.Join(root, "second"))
	defer s.kill()
	trainer.says(t, "the broker has lost its streams")
	before := counted(t, metrics)
	for end := time.Now().Add(2 * time.Minute); counted(t, metrics) == before; time.Sleep(
		20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no game of the workers counts\n%s", trainer.stderr.String())
		}
	}
	reaches(reached() + 2)
	_ = trainer.Process.Signal(os.Interrupt)
	<-trainer.ended
	said := trainer.stderr.String()
	iterations := reached() + 2
	end := []string{"--set", "training.iterations=" + strconv.Itoa(iterations), "--listen", "none"}
	trainer = begin(t, "tengen",
		slices.Concat([]string{"train", "--resume", "--device", "cpu"}, cluster, end)...)
	trainer.ends(t, "the trainer", 5*time.Minute)
	begin(t, "tengen", slices.Concat(args, []string{"--run", alone}, end)...).
		ends(t, "the run alone", 5*time.Minute)
	for _, w := range workers {
		w.ends(t, "a worker", 5*time.Minute)
	}
	for _, want := range []string{"games for other machines", "tengen worker nats://" + address + " --cluster some"} {
		if !strings.Contains(said, want) {
			t.Errorf("the trainer does not say %q\n%s", want, said)
		}
	}
	idle := 0 // on a busy machine the others may have been faster
	for _, w := range workers {
		text := w.stderr.String()
		if !strings.Contains(text, "the run is finished") {
			t.Errorf("a worker says\n%s", text)
		}
		if strings.Contains(text, "confirmed=0 evaluations=") {
			idle++
		}
	}
	if idle == len(workers) {
		t.Errorf("no game of the workers counted; one says\n%s", workers[0].stderr.String())
	}
	a, _, err := checkpoints.Latest(run.Folder(alone).Checkpoints())
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := checkpoints.Latest(run.Folder(shared).Checkpoints())
	if err != nil {
		t.Fatal(err)
	}
	if a.Iteration != iterations || b.Iteration != iterations ||
		!reflect.DeepEqual(a.Params.Tensors, b.Params.Tensors) {
		t.Error("the networks differ")
	}
}

// counted returns the number of games of workers that have counted, as a run's metrics tell it.
func counted(t *testing.T, address string) string {
	t.Helper()
	r, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^tengen_cluster_games_total\{.*\} (\S+)$`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("no metric of the games of workers:\n%s", text)
	}
	return string(m[1])
}

// TestNoServer: a server that does not answer, does not speak NATS, or has no JetStream ends the
// program with one clear line, soon.
func TestNoServer(t *testing.T) {
	without := freeAddress(t)
	s := begin(t, "natsserver", without)
	t.Cleanup(s.kill) // when the parallel subtests are done
	answers(t, without)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	go func() {
		for {
			c, err := other.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
			c.Close()
		}
	}()
	for name, c := range map[string]struct{ url, want string }{
		"nobody":            {"nats://" + freeAddress(t), "nobody answers there"},
		"silent":            {"nats://" + silent.Addr().String(), "no NATS server answers"},
		"another protocol":  {"nats://" + other.Addr().String(), "no NATS server answers"},
		"without JetStream": {"nats://" + without, "has no JetStream"},
		"no URL":            {"http://" + without, "nats://HOST:4222"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "run")
			c2 := exec.Command("tengen", "train", "quick", "--device", "cpu", "--set",
				"metrics.address=", "--run", dir, "--nats", c.url)
			var stderr bytes.Buffer
			c2.Stdout, c2.Stderr = io.Discard, &stderr
			began := time.Now()
			err := c2.Run()
			var lines []string
			for line := range strings.Lines(stderr.String()) {
				if !strings.Contains(line, " INF ") {
					lines = append(lines, line)
				}
			}
			if err == nil || len(lines) != 1 || !strings.HasPrefix(lines[0], "tengen: ") ||
				!strings.Contains(lines[0], c.want) {
				t.Errorf("%v\n%s", err, stderr.String())
			}
			if took := time.Since(began); took > 2*time.Minute {
				t.Errorf("it takes %v", took)
			}
			if run.Folder(dir).Exists() {
				t.Error("the run has begun")
			}
			t.Logf("%v: %s", time.Since(began), stderr.String())
		})
	}
}

// TestSkew: a worker of another build is refused by name, and plays nothing; one of the same build
// plays.
func TestSkew(t *testing.T) {
	address := freeAddress(t)
	dir := t.TempDir()
	args := []string{
		"train", "quick", "--device", "cpu", "--run", filepath.Join(dir, "run"), "--share", address,
	}
	for _, s := range []string{
		"game=tictactoe", "network.blocks=1", "network.filters=8", "network.hidden=8",
		"search.simulations=4", "warm_start.initial_games=0",
		"training.iterations=100000", "training.games=8", "training.batch=8",
		"training.max_steps=1", "evaluation.every=0",
		"selfplay.workers=1", "selfplay.cache_mib=1", "replay.games=30", "metrics.address=",
	} {
		args = append(args, "--set", s)
	}
	trainer := begin(t, "tengen", args...)
	answers(t, address)
	for program, want := range map[string]string{
		"another": "the trainer refuses this worker reason=\"its build is tengen v0.0.1, the trainer's is tengen ",
		"tengen":  "playing for",
	} {
		log, err := os.Create(filepath.Join(dir, program))
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		w := exec.Command(program, "worker", address, "--workers", "1")
		w.Stderr = log
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		text := ""
		for end := time.Now().Add(2 * time.Minute); !strings.Contains(text, want) &&
			time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			b, err := os.ReadFile(log.Name())
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
		if !strings.Contains(text, want) ||
			program == "another" && strings.Contains(text, "playing for") {
			t.Errorf("%s:\n%s", program, text)
		}
		if err := w.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		began := time.Now()
		if err := w.Wait(); err != nil || time.Since(began) > 2*time.Minute {
			t.Errorf("%s, interrupted: %v after %v", program, err, time.Since(began))
		}
	}
	trainer.kill()
}
