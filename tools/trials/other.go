//go:build !linux

package main

import (
	"context"
	"errors"
	"io"
)

var errLinux = errors.New("this trial needs Linux")

func killloop(context.Context, []string, io.Writer, io.Writer) error { return errLinux }
func fulldisk(context.Context, []string, io.Writer, io.Writer) error { return errLinux }
func soak(context.Context, []string, io.Writer, io.Writer) error     { return errLinux }
func runChaos(context.Context, []string, io.Writer, io.Writer) error { return errLinux }
