//go:build cuda

package cmd

import _ "tengen/nn/backend/cudabackend" // --device cuda
