package run

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"tengen/vfs"
)

// Ratings are read back as they were written, with null for a missing bound. Without a
// file there are none.
func TestRatingsFile(t *testing.T) {
	high := -191.5
	r := &Ratings{
		Anchor: "uct", Games: 10,
		Networks: []NetworkRating{{Iteration: 0, Games: 10, Elo: Elo{Rating: -400, High: &high}}},
	}
	f := Folder(t.TempDir()).On(nil)
	if got, err := f.ReadRatings(); err != nil || len(got.Networks) != 0 {
		t.Errorf("where there is no file: %v, %+v", err, got)
	}
	if err := os.Mkdir(filepath.Dir(f.Ratings()), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteJSON(f.Ratings(), r); err != nil {
		t.Fatal(err)
	}
	got, err := f.ReadRatings()
	if err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%v: %+v, want %+v", err, got, r)
	}
	if err := vfs.WriteBytes(f.FS, f.Ratings(), []byte("{")); err != nil {
		t.Fatal(err)
	}
	if got, err := f.ReadRatings(); err == nil || got == nil {
		t.Error("a damaged file is taken")
	}
	if _, ok := new(Ratings).Best(); ok {
		t.Error("nobody is the best")
	}
}

func TestWidth(t *testing.T) {
	text, err := json.Marshal([]Width{1.5, Width(math.Inf(1))})
	if err != nil || string(text) != "[1.5,null]" {
		t.Errorf("%s, %v", text, err)
	}
	var got []Width
	if err := json.Unmarshal(text, &got); err != nil || len(got) != 2 || got[0] != 1.5 ||
		!math.IsInf(float64(got[1]), 1) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestRatingsAreBounded: however many networks were rated, the file has the newest, the best, and
// some of all ages.
func TestRatingsAreBounded(t *testing.T) {
	const n, best = 10 * maxRatings, 777
	all := new(Ratings)
	for i := 1; i <= n; i++ {
		x := NetworkRating{Iteration: i}
		if i == best {
			x.Rating = 1
		}
		next := &Ratings{Networks: []NetworkRating{x}}
		next.AddMissing(all)
		all = next
		if len(all.Networks) > maxRatings {
			t.Fatalf("after %d networks %d are kept", i, len(all.Networks))
		}
	}
	if got, _ := all.Best(); got != best {
		t.Errorf("the best is %d, want %d", got, best)
	}
	before := 0
	for i, x := range all.Networks {
		if newest := i > maxRatings/2; newest && x.Iteration != before+1 ||
			x.Iteration-before > 4*n/maxRatings {
			t.Errorf("after %d comes %d", before, x.Iteration)
		}
		before = x.Iteration
	}
	if before != n {
		t.Errorf("the newest is %d, want %d", before, n)
	}
}
