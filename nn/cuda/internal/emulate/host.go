package emulate

import "embed"

// host is the C side: the header for kernels, and the runtime.
//
//go:embed host
var host embed.FS
