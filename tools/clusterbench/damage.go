//go:build linux

package main

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// What may happen to the broker's store.
const (
	storeKept  = "kept"
	storeWiped = "wiped"
	storeCut   = "cut"
	storeFlips = "bits flipped"
)

// damage damages the broker's store, and returns how.
func damage(rng *rand.Rand, folder string) (how string, err error) {
	how = []string{storeKept, storeKept, storeWiped, storeCut, storeFlips, storeFlips}[rng.IntN(6)]
	if how == storeKept {
		return how, nil
	}
	if how == storeWiped {
		err := os.RemoveAll(folder)
		for range 50 {
			if !errors.Is(err, syscall.ENOTEMPTY) {
				break
			}
			err = os.RemoveAll(folder) // a running broker has just made a file
		}
		return how, err
	}
	var files []string
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(files) == 0 {
		return storeKept, nil
	}
	if err != nil {
		return "", err
	}
	for range 1 + rng.IntN(4) {
		path := files[rng.IntN(len(files))]
		text, err := os.ReadFile(path)
		if err != nil || len(text) == 0 {
			continue
		}
		if how == storeCut {
			err = os.Truncate(path, rng.Int64N(int64(len(text))))
		} else {
			for range 1 + rng.IntN(8) {
				text[rng.IntN(len(text))] ^= 1 << rng.IntN(8)
			}
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			return "", err
		}
	}
	return how, nil
}
