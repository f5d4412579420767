package history

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// writes is called with the length of each write.
type writes func(n int)

func (w *writes) Write(p []byte) (int, error) { (*w)(len(p)); return len(p), nil }

// longRun returns a run of many iterations, one of which was evaluated, and the number of reads
// of its files so far.
func longRun(t *testing.T, iterations int) (f *followed, r *Run, reads *int) {
	t.Helper()
	f = newFollowed(t, filepath.Join(t.TempDir(), "run"), "00000000000000a7")
	f.iterations(t, 1, iterations)
	f.evaluation(t, iterations/2)
	reads = new(int)
	r = New(f.folder)
	r.fs = vfstest.NewFaulty(vfs.OS{}, func(op vfstest.Op) error {
		if op.Kind == vfstest.Read {
			*reads++
		}
		return nil
	})
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f, r, reads
}

// TestExportsEnd: once the context has ended, exports read no more.
func TestExportsEnd(t *testing.T) {
	_, r, reads := longRun(t, 6000) // more than a block
	for name, write := range map[string]func(context.Context, io.Writer) error{
		"CSV": r.WriteCSV, "TensorBoard": r.WriteTensorBoard,
	} {
		*reads = 0
		n := 0
		var w writes = func(int) { n++ }
		if err := write(t.Context(), &w); err != nil {
			t.Fatal(err)
		}
		all, half := *reads, n/2
		*reads, n = 0, 0
		before := 0
		ctx, cancel := context.WithCancel(t.Context())
		w = func(int) {
			if n++; n == half {
				cancel()
				before = *reads
			}
		}
		if err := write(ctx, &w); !errors.Is(err, context.Canceled) || *reads != before ||
			before >= all || n > half+1 {
			t.Errorf("%s: %v after %d of %d reads, %d after its end; %d writes, %d before its end",
				name, err, *reads, all, *reads-before, n, half)
		}
	}
}

// TestTensorBoardGoesOn: what is new of a long run is written without reading what is not.
func TestTensorBoardGoesOn(t *testing.T) {
	f, r, reads := longRun(t, 6000)
	size := 0
	var w writes = func(n int) { size += n }
	b := NewTensorBoard(r, &w)
	if err := b.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole := size
	f.iterations(t, 6001, 6002)
	f.evaluation(t, 6001)
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	*reads, size = 0, 0
	if err := b.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	if size == 0 || size > whole/1000 || *reads > 10 {
		t.Errorf("two iterations are %d bytes, after %d reads", size, *reads)
	}
	size, *reads = 0, 0
	if err := b.Write(t.Context()); err != nil || size+*reads > 0 {
		t.Errorf("nothing is %d bytes, after %d reads; %v", size, *reads, err)
	}
}
