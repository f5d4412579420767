package window

import (
	"testing"

	"tengen/game"
	"tengen/replay/record"
)

// samplesOf returns the samples of a window for training, or those held out.
func samplesOf(w *Window, held bool) (list []Sample) {
	for k := range w.Positions(held) {
		list = append(list, w.At(held, k))
	}
	return list
}

// decoded is the last game that recordOf has decoded.
var decoded struct {
	window *Window
	game   int
	record *record.Game
}

// recordOf returns the game of a sample.
func recordOf(w *Window, s Sample) *record.Game {
	if d := &decoded; d.window != w || d.game != s.Game {
		d.window, d.game, d.record = w, s.Game, w.Game(s.Game-w.first)
	}
	return decoded.record
}

// treeOf returns the tree of a sample, nil for a position of the game itself.
func treeOf(w *Window, s Sample) *record.Tree {
	if s.Tree() < 0 {
		return nil
	}
	return &recordOf(w, s).Trees[s.Tree()]
}

// opened returns a record's encoding, opened.
func opened(t testing.TB, rec *record.Game) *record.Packed {
	t.Helper()
	data, err := record.AppendEncoded(nil, rec)
	if err != nil {
		t.Fatal(err)
	}
	p, err := record.Open(data, new(record.Target))
	if err != nil {
		t.Fatal(err)
	}
	return &p
}

// unchecked returns a window of records that are not checked against the rules.
func unchecked(t testing.TB, g game.Game, config Config, recs ...*record.Game) *Window {
	t.Helper()
	config.Capacity = len(recs)
	w, err := New(g, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	for _, rec := range recs {
		if err := w.AddChecked(opened(t, rec)); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// plySample is the sample of a ply of a window's game.
func plySample(i, ply int) Sample { return Sample{Game: i, Ply: int32(ply), tree: -1} }
