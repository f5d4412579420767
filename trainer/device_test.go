package trainer

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"tengen/nn/backend"
	"tengen/nn/backend/fake"
)

// runOn runs a tiny run on a backend, nil being the processor, and returns what it logged.
func runOn(
	t *testing.T, b backend.Backend, dir string, resume bool, set ...string,
) (string, error) {
	t.Helper()
	p := tiny(t, set...)
	p.Backend = b
	o := options(t, p, dir)
	var log bytes.Buffer
	o.Log, o.Resume = slog.New(slog.NewTextHandler(&log, nil)), resume
	err := Run(t.Context(), o)
	return log.String(), err
}

// TestOnADevice: a run on a device that computes what the processor does is the
// processor's, to the bit, with two groups of games a worker; and nothing of the device is left
// open.
func TestOnADevice(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	device := new(fake.Device)
	if _, err := runOn(t, nil, a, false); err != nil {
		t.Fatal(err)
	}
	if _, err := runOn(t, device, b, false); err != nil {
		t.Fatal(err)
	}
	same(t, "on a device", a, b)
	if all, beside := device.Batches(); beside < all/4 {
		t.Errorf("%d of %d batches were begun while another was under way", beside, all)
	}
	if n := device.Open(); n != 0 {
		t.Errorf("%d evaluators and trainers are left open", n)
	}
}

// TestDeviceLost: a run whose device is lost, in self-play or in an update, ends with an error that
// says so, keeps what is finished, and goes on elsewhere, with a word about the last bits.
func TestDeviceLost(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "run")
	if _, err := runOn(t, nil, whole, false, "evaluation.every=0"); err != nil {
		t.Fatal(err)
	}
	for name, device := range map[string]*fake.Device{
		"self-play":      {LostAfterBatches: 20, LostNetwork: 3}, // after a checkpoint
		"the update":     {LostAtStep: int64(newest(t, whole).Step) - 2},
		"the first step": {LostAtStep: 1},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		_, err := runOn(t, device, dir, false, "evaluation.every=0")
		if !backend.Lost(err) || !errors.Is(err, fake.Lost) ||
			strings.Contains(err.Error(), "\n") {
			t.Fatalf("lost in %s: %v", name, err)
		}
		if n := device.Open(); n != 0 {
			t.Errorf("lost in %s: %d evaluators and trainers are left open", name, n)
		}
		if len(games(t, dir)) == 0 {
			t.Errorf("lost in %s: no games are kept", name)
		}
		log, err := runOn(t, nil, dir, true, "evaluation.every=0")
		if err != nil {
			t.Fatalf("lost in %s, then on the processor: %v", name, err)
		}
		if said := strings.Contains(log, "not be the same to the bit"); said !=
			(name != "the first step") {
			t.Errorf("lost in %s: other arithmetic is told of: %v\n%s", name, said, log)
		}
		same(t, "lost in "+name, whole, dir) // this device's arithmetic is the processor's
	}
}

// manyRows is a device with large batches.
type manyRows struct{ backend.Backend }

func (manyRows) Rows() int { return 512 }

// TestGroups: the number of concurrent games is the processor's or the device's.
func TestGroups(t *testing.T) {
	p := tiny(t, "selfplay.games_per_worker=4")
	if p.GamesPerWorker() != 4 {
		t.Errorf("on the processor: %d", p.GamesPerWorker())
	}
	p.Backend = new(fake.Device)
	if p.GamesPerWorker() != 18 || p.groups() != 2 {
		t.Errorf("on a device: %d groups of %d, want 2 of 18", p.groups(), p.GamesPerWorker())
	}
	p.Backend = manyRows{p.Backend}
	if p.GamesPerWorker() != 96 {
		t.Errorf("with batches of 512: %d, want 96", p.GamesPerWorker())
	}
	p.Backend = new(fake.Device)
	descends := tiny(t, "algorithm=descent", "game=tictactoe")
	if descends.Backend = p.Backend; descends.GamesPerWorker() != 2 || descends.BatchRows() != 18 {
		t.Errorf("with all nine children of a state: groups of %d, batches of %d rows",
			descends.GamesPerWorker(), descends.BatchRows())
	}
	p.Config.SelfPlay.DeviceGamesPerWorker = 9
	if p.GamesPerWorker() != 9 {
		t.Errorf("on a device: %d, 9 are asked for", p.GamesPerWorker())
	}
}
