// Package safetensors reads and writes tensors in the safetensors format of
// Hugging Face (github.com/huggingface/safetensors), which Python and others
// open: a JSON header that names tensors, shapes and places, and then the
// numbers. docs/formats/safetensors.md describes it.
//
//	err := safetensors.Write(w, params.Tensors, map[string]string{"game": name})
//	tensors, metadata, err := safetensors.Decode(data)
//
// Caveats: of the format's types F32 alone is read and written. Numbers are
// taken as they are, NaN and infinities included.
package safetensors
