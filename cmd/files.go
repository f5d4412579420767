package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tengen/cmd/internal/cli"
	"tengen/interop/export"
)

// outside returns an error if out lies in one of the runs, which are only read.
func outside(out string, runs []string) error {
	if out == "" {
		return nil
	}
	for _, run := range runs {
		within, err := inFolder(out, run)
		if err != nil {
			return err
		}
		if within {
			return cli.Usagef(
				"--out %s lies in the run %s, which is only read; another place is wanted",
				out, run)
		}
	}
	return nil
}

// inFolder reports whether path is dir or lies in it, following links.
func inFolder(path, dir string) (bool, error) {
	folder, err := os.Stat(dir)
	if err != nil {
		return false, nil // there is no such folder to lie in
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return false, err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	for {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, folder) {
			return true, nil
		}
		up := filepath.Dir(path)
		if up == path {
			return false, nil
		}
		path = up
	}
}

// writable returns an error if files can't be written to a folder, which need not be there yet; nil
// for "".
func writable(dir string) error {
	if dir == "" {
		return nil
	}
	if len(filepath.Base(dir)) > maxName {
		return fmt.Errorf("a name has at most %d bytes", maxName)
	}
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is a file, in which there is no folder", dir)
		}
		up := filepath.Dir(dir)
		if err == nil || up == dir {
			break
		}
		dir = up
	}
	f, err := os.CreateTemp(dir, ".tengen-")
	if err != nil {
		return fmt.Errorf("nothing can be written to %s: %w", dir, errors.Unwrap(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// maxName is the length of the longest name of a file, in bytes, that common file systems take.
const maxName = 255

// exportName returns the default output: the last part of the network's name, in the current
// folder.
func exportName(checkpoint string, format export.Format) (string, error) {
	path, err := filepath.Abs(checkpoint)
	if err != nil {
		return "", fmt.Errorf("export %s: %w", checkpoint, err)
	}
	base := strings.TrimSuffix(filepath.Base(path), "."+string(export.Safetensors))
	return base + "." + string(format), nil
}

// mayWrite returns an error if out must not be written. Files of a checkpoint and the exported
// network itself are never replaced.
func mayWrite(out, source string, force bool) error {
	if _, err := os.Stat(filepath.Join(filepath.Dir(out), "manifest.json")); err == nil {
		return cli.Usagef("--out %s: a checkpoint's folder takes no other files", out)
	}
	info, err := os.Stat(out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("export: %w", err)
	case info.IsDir():
		return cli.Usagef("--out %s is a folder; a file is wanted", out)
	}
	if from, err := os.Stat(source); err == nil && os.SameFile(from, info) {
		return cli.Usagef("--out %s is the network that is to be exported; another file is wanted",
			out)
	}
	if !force {
		return cli.Usagef("%s is there already; --force replaces it, --out names another file", out)
	}
	return nil
}

// byteCount counts the bytes written to it.
type byteCount int64

func (n *byteCount) Write(p []byte) (int, error) {
	*n += byteCount(len(p))
	return len(p), nil
}
