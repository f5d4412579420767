package tengen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build compiles the program of this module into dir and returns its path.
func Build(ctx context.Context, dir string) (path string, err error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "tengen")
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "./cmd/tengen")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build tengen: %w\n%s", err, text)
	}
	return path, nil
}

func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	file := strings.TrimSpace(string(out))
	if file == "" || file == os.DevNull {
		return "", errors.New("run it in tengen's source tree, or set --tengen to a program")
	}
	return filepath.Dir(file), nil
}

// Tiny returns the settings (key=value) of a run whose iterations take hundredths of a
// second: tic-tac-toe, a network of one block, averaged weights, no evaluation, no metrics.
// It writes all kinds of a run's files, as often as possible.
func Tiny(iterations int) []string {
	return []string{
		"game=tictactoe", "network.blocks=1", "network.filters=8", "network.hidden=8",
		"search.simulations=4",
		"warm_start.schedule=none", "warm_start.initial_games=0",
		fmt.Sprintf("training.iterations=%d", iterations), "training.games=8", "training.batch=8",
		"training.max_steps=2",
		"training.warmup_steps=2", "training.ema_decay=0.9",
		"evaluation.every=0", "selfplay.workers=2", "selfplay.cache_mib=1",
		"checkpoints.keep_last=2", "checkpoints.keep_every=0", "replay.games=30",
		"metrics.address=",
	}
}

// Train returns the program's arguments for a new run in a folder with the given settings
// or, with resume, for continuing it.
func Train(folder string, resume bool, settings []string) []string {
	args := []string{"train", "--run", folder}
	if resume {
		return append(args, "--resume")
	}
	for _, s := range settings {
		args = append(args, "--set", s)
	}
	return args
}
