package emulate

import "embed"

// host is the C side: what kernels are compiled against, and the runtime.
//
//go:embed host
var host embed.FS
