package cmd

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"tengen/internal/spec"
	"tengen/player"
)

// networkDigest returns a digest of the parameters of a player's network, which distinguishes
// checkpoints of a run; "" for players without one.
func networkDigest(name string) (string, error) {
	parsed, err := spec.Parse(name)
	if err != nil || parsed.Bare == "" {
		return "", err
	}
	model, err := player.LoadModel(parsed.Bare)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, t := range model.Params.Tensors {
		fmt.Fprintf(h, "%s%v", t.Name, t.Shape)
		if err := binary.Write(h, binary.LittleEndian, t.Data); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}
