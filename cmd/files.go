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

// outside says why nothing may be written to out, if it lies in one of the
// runs: whatever is read here is not changed.
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
			return cli.Usagef("--out %s lies in the run %s, which is only read; another place is wanted", out, run)
		}
	}
	return nil
}

// inFolder says whether path is dir or lies in it, whatever links lead there.
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

// exportName is the file to write where none is named: the last part of the
// network's name, in the current folder.
func exportName(checkpoint string, format export.Format) (string, error) {
	path, err := filepath.Abs(checkpoint)
	if err != nil {
		return "", fmt.Errorf("export %s: %w", checkpoint, err)
	}
	base := strings.TrimSuffix(filepath.Base(path), "."+string(export.Safetensors))
	return base + "." + string(format), nil
}

// mayWrite says why out must not be written, if it must not. What belongs to a
// checkpoint, and the network that is being exported, are never replaced.
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
		return cli.Usagef("--out %s is the network that is to be exported; another file is wanted", out)
	}
	if !force {
		return cli.Usagef("%s is there already; --force replaces it, --out names another file", out)
	}
	return nil
}

// byteCount counts what is written to it.
type byteCount int64

func (n *byteCount) Write(p []byte) (int, error) {
	*n += byteCount(len(p))
	return len(p), nil
}
