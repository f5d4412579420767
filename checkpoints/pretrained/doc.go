// Package pretrained holds trained networks that come with the program, so that
// there is a strong opponent at once: `tengen play human az:go-5x5x3 az:go-5x5x3`.
//
// Each is a safetensors file and the configuration of the run that made it;
// docs/results/pretrained.md says how each was made, and how strong it is.
package pretrained
