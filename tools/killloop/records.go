//go:build linux

package main

import (
	"crypto/sha256"
	"fmt"

	"tengen/configs"
	"tengen/replay/record"
	"tengen/run"
	"tengen/run/inspect"
	"tengen/tools/internal/tengen"
)

// records checks runs of an asynchronous cycle, which differ, from their own records: a game that
// was seen on disk is there ever after, as it was, and the newest checkpoint has learned from each
// of its games once.
type records struct {
	seen   [][sha256.Size]byte // digests of the run's games, by number
	config *configs.Config
}

func (*records) String() string {
	return "no game is lost, and each is learned from once"
}

func (r *records) check(folder run.Folder, p *progress) error {
	c, err := p.newest(folder)
	if err != nil {
		return err
	}
	games, _, err := loadGames(folder)
	if err != nil {
		return err
	}
	if p.events == 0 {
		r.seen, r.config = nil, nil // a new run
	}
	if err := r.remember(games); err != nil {
		return fmt.Errorf("%s: %w", folder.Replay(), err)
	}
	if c == nil {
		return nil
	}
	if r.config == nil {
		if r.config, err = folder.ReadConfig(); err != nil {
			return err
		}
	}
	return inspect.VerifyAsynchronous(r.config, games, c)
}

// remember compares games with those seen before.
func (r *records) remember(games []*record.Game) error {
	if len(games) < len(r.seen) {
		return fmt.Errorf("%d games; there were %d", len(games), len(r.seen))
	}
	for i, g := range games {
		data, err := record.AppendEncoded(nil, g)
		if err != nil {
			return err
		}
		digest := sha256.Sum256(data)
		if i == len(r.seen) {
			r.seen = append(r.seen, digest)
		}
		if r.seen[i] != digest {
			return fmt.Errorf("game %d is not the one that was there", i)
		}
	}
	return nil
}

func (r *records) checkEnd(folder run.Folder) error {
	c, err := tengen.Newest(folder)
	if err != nil {
		return err
	}
	games, _, err := loadGames(folder)
	if err != nil {
		return err
	}
	err = inspect.VerifyAsynchronous(r.config, games, c)
	r.seen, r.config = nil, nil // another run begins
	return err
}
