//go:build !linux

package main

import (
	"context"
	"errors"
	"io"
)

func pageload(context.Context, []string, io.Writer, io.Writer) error {
	return errors.New("pageload needs /proc, which is available on Linux only")
}
