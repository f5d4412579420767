// Package safetensors reads and writes tensors in Hugging Face's safetensors format
// (github.com/huggingface/safetensors), which Python and other languages can read: a
// JSON header with the tensors' names, shapes and offsets, followed by the numbers.
// See docs/formats/safetensors.md.
//
//	err := safetensors.Write(w, params.Tensors, map[string]string{"game": name})
//	tensors, metadata, err := safetensors.Decode(data)
//
// Caveats: F32 is the only type supported. Numbers are not checked; they may be NaN
// or infinite.
package safetensors
