package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"slices"
	"testing"
	"testing/fstest"
	"time"
)

func TestTargets(t *testing.T) {
	files := fstest.MapFS{
		"a/x_test.go":          {Data: []byte("package a\n\nfunc FuzzOne(f *testing.F) {\n}\n\nfunc FuzzTwo(fuzz *testing.F) {}\n\nfunc Fuzzy() {}\n")},
		"a/x.go":               {Data: []byte("func FuzzNo(f *testing.F) {}\n")},
		"a/testdata/y_test.go": {Data: []byte("func FuzzNo(f *testing.F) {}\n")},
		"b_test.go": {
			Data: []byte("//go:build slow\n\nfunc FuzzSlow(f *testing.F) {}\n"),
		},
	}
	got, err := targets(files)
	if want := []target{{"a", "FuzzOne"}, {"a", "FuzzTwo"}}; err != nil ||
		!slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	// The project's own.
	all, err := targets(os.DirFS("../.."))
	if err != nil || len(all) < 20 || !slices.Contains(all, target{"replay", "FuzzSegment"}) ||
		!slices.Contains(all, target{"run", "FuzzIdentity"}) {
		t.Errorf("%v, %v", all, err)
	}
}

func TestNoneMatches(t *testing.T) {
	var out bytes.Buffer
	if err := runTargets(context.Background(), &out, time.Second,
		regexp.MustCompile("no such target"), false); err != nil ||
		out.String() != "0 targets, none has failed\n" {
		t.Errorf("%v: %s", err, &out)
	}
}
