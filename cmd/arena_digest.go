package cmd

import (
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
	return model.Params.Digest(), nil
}
