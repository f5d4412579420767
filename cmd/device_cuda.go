//go:build gpu

package cmd

import _ "tengen/nn/backend/cudabackend" // --device cuda
