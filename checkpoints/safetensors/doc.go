// Package safetensors reads and writes tensors in Hugging Face's safetensors format
// (github.com/huggingface/safetensors), which Python and other languages can read: a
// JSON header with the tensors' names, shapes and offsets, followed by the numbers.
// See docs/formats/safetensors.md.
//
//	err := safetensors.Write(w, params.Tensors, map[string]string{"game": name})
//	tensors, metadata, err := safetensors.Decode(data)
//
// Caveats: F32 and F16 are the only types supported. A file that holds NaN or infinity is neither
// written nor read: no network can play with it.
package safetensors
