//go:build linux

package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"tengen/cluster"
	"tengen/cluster/hub"
	"tengen/configs"
	"tengen/metrics"
	"tengen/nn/backend/modelled"
	"tengen/replay/record"
	"tengen/run"
	"tengen/tools/internal/tengen"
	"tengen/trainer"
)

// build is what the trainer and the simulated workers say that they are.
func build() cluster.Build {
	return cluster.Build{
		Build: "clusterbench", Records: record.Version, Kernels: new(modelled.Backend).Kernels(),
	}
}

// runTrainer is the trainer's process of crowd: it trains with a modelled device until it is
// killed.
func runTrainer(ctx context.Context, args []string, _, stderr io.Writer) error {
	var o tengen.Options
	flags := o.Flags("clusterbench trainer", "Trainer is a part of crowd.\n\n", stderr)
	preset := flags.String("config", "quick", "preset or file of the configuration")
	address := flags.String("share", "", "address of the broker")
	if err := flags.Parse(args); err != nil {
		return err
	}
	resolved, err := configs.Resolve(configs.Options{Name: *preset, Set: o.Set})
	if err != nil {
		return err
	}
	plan, err := trainer.NewPlan(&resolved.Config)
	if err != nil {
		return err
	}
	// Slow enough that what the trainer plays itself does not count, and quick enough that nobody
	// waits for it.
	model := modelled.H100()
	model.Launch, model.Rows = 2*time.Millisecond, 16
	plan.Backend = modelled.New(model)
	log := slog.New(slog.NewTextHandler(stderr, nil))
	collectors := metrics.New(nil)
	names, err := cluster.NewNames(cluster.DefaultName)
	if err != nil {
		return err
	}
	b, err := cluster.OpenBroker(cluster.BrokerOptions{
		Address: *address, Folder: filepath.Join(o.Dir, run.ClusterFolder), Names: names, Log: log,
	})
	if err != nil {
		return err
	}
	defer b.Close()
	conn, err := b.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	h, err := hub.Open(ctx, hub.Options{
		Conn: conn, Names: names, Folder: o.Dir, Config: plan.Config, Play: &plan.Play,
		Build: build(),
		Log:   log, Metrics: collectors, Now: time.Now,
	})
	if err != nil {
		return err
	}
	plan.Play.Remote = h
	err = trainer.Run(ctx, trainer.Options{
		Plan: plan, Folder: run.Folder(o.Dir), Monitor: new(trainer.Monitor), Metrics: collectors,
		Log: log, Now: time.Now, Command: strings.Join(args, " "),
	})
	return errors.Join(err, h.Close())
}
