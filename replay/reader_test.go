package replay

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/internal/testkit"
	"tengen/replay/record"
)

// Reading from offsets found by skipping gives the same games as reading in order.
func TestSkipAndMoveTo(t *testing.T) {
	data := segmentHeader(testRun)
	var err error
	for n := range 5 {
		g := placeGame(uint64(10 + 3*n))
		if data, err = record.Append(data, g); err != nil {
			t.Fatal(err)
		}
	}
	want, damages := ReadSegment("all", data)
	if len(want) != 5 || damages != nil {
		t.Fatalf("%d games, damages %v", len(want), damages)
	}
	skipper := NewReader("skipped", bytes.NewReader(data), int64(len(data)))
	var offsets []int64
	for {
		at := skipper.Offset()
		if err = skipper.Skip(); err != nil {
			break
		}
		offsets = append(offsets, max(at, headerSize))
	}
	if err != io.EOF || len(offsets) != len(want) {
		t.Fatalf("skipping found %d records and ended with %v", len(offsets), err)
	}
	reader := NewReader("sought", bytes.NewReader(data), int64(len(data)))
	for _, i := range []int{4, 0, 2, 1, 3} {
		reader.MoveTo(offsets[i])
		got, err := reader.Next()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want[i], got); d != "" {
			t.Errorf("game %d differs: %s", i, d)
		}
	}
	// Skip reports a truncated record as Next does.
	cut := NewReader("cut", bytes.NewReader(data[:offsets[4]+20]), offsets[4]+20)
	cut.MoveTo(offsets[4])
	if err := cut.Skip(); err == nil || err == io.EOF {
		t.Errorf("a torn record is skipped with %v", err)
	}
}

func placeGame(number uint64) *record.Game {
	return &record.Game{
		Number: number, Name: "pile", Iteration: 1,
		Seats: []record.SeatRecord{{Kind: record.Network, Step: 4}, {Kind: record.Random}},
		Moves: []record.Move{
			{Action: 1, Mover: 0, Visits: []record.Visit{{Action: 1, N: 9}},
				Value: []float32{0.5, 0.25}},
		},
		Scores: []float32{1, 0}, Returns: []float32{1, 0},
	}
}

// TestMain checks that no test leaks a goroutine.
func TestMain(m *testing.M) { testkit.Main(m) }
