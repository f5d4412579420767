//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// everything returns the arguments of a run of the preset quick with the page, metrics and
// TensorBoard's files.
func (o *options) everything(folder string) ([]string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	o.address = l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	args := []string{
		"train", "quick", "--run", folder, "--listen", o.address, "--tensorboard",
		filepath.Join(o.Dir, "tensorboard"),
	}
	for _, s := range append([]string{
		"training.iterations=1000000", fmt.Sprintf("training.minutes=%g", o.minutes),
	}, o.Set...) {
		args = append(args, "--set", s)
	}
	return args, nil
}

// get writes the answer to a request to w.
func (o *options) get(ctx context.Context, path string, w io.Writer) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+o.address+path, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, answer.Status)
	}
	_, err = io.Copy(w, answer.Body)
	if err == nil {
		o.answers.Add(1)
	}
	return err
}

var metric = regexp.MustCompile(`(?m)^(go_goroutines|tengen_iteration)(?:{[^}]*})? ([0-9.e+]+)$`)

// metrics returns figures that the run exports.
func (o *options) metrics(ctx context.Context) (goroutines, iteration int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var text strings.Builder
	if err := o.get(ctx, "/metrics", &text); err != nil {
		return 0, 0, err
	}
	for _, m := range metric.FindAllStringSubmatch(text.String(), -1) {
		x, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return 0, 0, fmt.Errorf("metric %s: %w", m[1], err)
		}
		if m[1] == "go_goroutines" {
			goroutines = int(x)
		} else {
			iteration = int(x)
		}
	}
	if goroutines == 0 {
		return 0, 0, fmt.Errorf("%s has no go_goroutines", o.address)
	}
	return goroutines, iteration, nil
}

// disk returns the bytes of the files below a folder, but for the program that was built there.
// Files that go meanwhile count nothing.
func disk(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && path != filepath.Join(dir, "tengen") {
			if i, err := d.Info(); err == nil {
				bytes += i.Size()
			}
		}
		return nil
	})
	return bytes
}
