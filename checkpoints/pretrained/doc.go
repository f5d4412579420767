// Package pretrained embeds trained networks in the program, so that strong opponents
// are available without training: `tengen play human az:go-5x5x3 az:go-5x5x3`.
//
// Each is a safetensors file and the configuration of the run that trained it;
// docs/results/pretrained.md says how they were trained and how strong they are.
package pretrained
