//go:build !linux

package main

import (
	"context"
	"errors"
	"io"
)

var errLinux = errors.New("this measurement needs Linux")

func pageload(context.Context, []string, io.Writer, io.Writer) error   { return errLinux }
func runBeside(context.Context, []string, io.Writer, io.Writer) error  { return errLinux }
func runCrowd(context.Context, []string, io.Writer, io.Writer) error   { return errLinux }
func runTrainer(context.Context, []string, io.Writer, io.Writer) error { return errLinux }
func runScale(context.Context, []string, io.Writer, io.Writer) error   { return errLinux }
func bursts([]string, io.Reader, io.Writer) error                      { return errLinux }
