package history

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"tengen/internal/random"
)

// shown is what TensorBoard shows of a figure at a step.
type shown struct {
	time  float64
	value float32
}

// tensorBoard reads a folder as TensorBoard does, by its published sources: the files in the order
// of their names, each up to the first record that is cut short or damaged; a SessionLog that says
// START drops what has its step or a later one. A step that a figure has twice is an error.
func tensorBoard(t *testing.T, dir string) (figures map[string]map[int64]shown, configured bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*tfevents*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: there are no event files in %s", err, dir)
	}
	figures = map[string]map[int64]shown{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for first := true; ; first = false {
			var event []byte
			if event, data = nextRecord(data); event == nil {
				break
			}
			at, step, version, restarts, values := decodeEvent(t, event)
			if first && version != "brain.Event:2" {
				t.Errorf("%s begins with %q", file, version)
			}
			if restarts {
				for _, points := range figures {
					for at := range points {
						if at >= step {
							delete(points, at)
						}
					}
				}
				configured = configured && step > 0
			}
			for _, v := range values {
				tag, value := scalar(v)
				if tag == "_hparams_/session_start_info" {
					configured = true
					continue
				}
				if figures[tag] == nil {
					figures[tag] = map[int64]shown{}
				}
				if _, twice := figures[tag][step]; twice {
					t.Errorf("%s has step %d twice", tag, step)
				}
				figures[tag][step] = shown{at, value}
			}
		}
	}
	return figures, configured
}

// nextRecord returns the next event of a file; nil at its end and where it is damaged.
func nextRecord(data []byte) (event, rest []byte) {
	sum := func(data []byte) uint32 {
		crc := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
		return (crc>>15 | crc<<17) + 0xa282ead8
	}
	if len(data) < 12 || sum(data[:8]) != binary.LittleEndian.Uint32(data[8:]) {
		return nil, nil
	}
	n := binary.LittleEndian.Uint64(data)
	if uint64(len(data)) < n+16 || sum(data[12:12+n]) != binary.LittleEndian.Uint32(data[12+n:]) {
		return nil, nil
	}
	return data[12 : 12+n], data[n+16:]
}

// parts calls f with the fields of a message.
func parts(data []byte, f func(field int, x uint64, inner []byte)) {
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeTag(data)
		data = data[n:]
		var x uint64
		var small uint32
		var inner []byte
		switch kind {
		case protowire.VarintType:
			x, n = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			x, n = protowire.ConsumeFixed64(data)
		case protowire.Fixed32Type:
			small, n = protowire.ConsumeFixed32(data)
			x = uint64(small)
		case protowire.BytesType:
			inner, n = protowire.ConsumeBytes(data)
		}
		data = data[n:]
		f(int(field), x, inner)
	}
}

func decodeEvent(
	t *testing.T, event []byte,
) (at float64, step int64, version string, restarts bool, values [][]byte) {
	t.Helper()
	parts(event, func(field int, x uint64, inner []byte) {
		switch field {
		case 1:
			at = math.Float64frombits(x)
		case 2:
			step = int64(x)
		case 3:
			version = string(inner)
		case 5:
			parts(inner, func(_ int, _ uint64, value []byte) { values = append(values, value) })
		case 7:
			parts(inner, func(field int, x uint64, _ []byte) {
				restarts = restarts || field == 1 && x == 1
			})
		default:
			t.Errorf("field %d of an event", field)
		}
	})
	return at, step, version, restarts, values
}

func scalar(value []byte) (tag string, x float32) {
	parts(value, func(field int, bits uint64, inner []byte) {
		switch field {
		case 1:
			tag = string(inner)
		case 2:
			x = math.Float32frombits(uint32(bits))
		}
	})
	return tag, x
}

// checkShown compares what TensorBoard shows of a folder with the run's history.
func checkShown(t *testing.T, what, dir, folder string) {
	t.Helper()
	r, err := Read(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	got, configured := tensorBoard(t, dir)
	if !configured {
		t.Errorf("%s: the configuration is not shown", what)
	}
	points := 0
	for _, list := range got {
		points += len(list)
	}
	for _, table := range r.tables() {
		for i := range table.Rows {
			row := &table.Rows[i]
			for _, f := range table.figures(row) {
				p, ok := got[tag(f.name)][int64(row.Iteration)]
				if points--; !ok || p.value != float32(f.x) ||
					p.time != wallTime(row.Time) {
					t.Errorf("%s: %s at step %d is %v (%v), want %g at %v",
						what, f.name, row.Iteration, p, ok, f.x, row.Time)
				}
			}
		}
	}
	if points != 0 {
		t.Errorf("%s: %d points are shown that the history does not have", what, points)
	}
}

// followed is a run that goes on between calls of Follow, each of which stands for a process.
type followed struct {
	folder string
	minute int
}

func newFollowed(t *testing.T, folder, id string) *followed {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "config.yaml"), []byte(config),
		0o644); err != nil {
		t.Fatal(err)
	}
	r := &followed{folder: folder}
	r.log(t, fmt.Sprintf(`{"time":"%%s","event":"start","iteration":0,"run":"%s"}`, id))
	return r
}

func (r *followed) log(t *testing.T, line string) {
	t.Helper()
	r.minute++
	at := time.Date(2026, 1, 2, 3, r.minute, 0, 0, time.UTC).Format(time.RFC3339)
	f, err := os.OpenFile(filepath.Join(r.folder, "events.jsonl"),
		os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(strings.ReplaceAll(line, "%s", at) + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// iterations logs iterations, whose figures differ each time.
func (r *followed) iterations(t *testing.T, from, to int) {
	for n := from; n <= to; n++ {
		r.log(t, iteration(n, 10*n, 4*n, 100*r.minute, float64(60*r.minute),
			fmt.Sprintf(`,"plies":%d`, r.minute)))
	}
}

func (r *followed) evaluation(t *testing.T, n int) {
	r.log(t, fmt.Sprintf(`{"time":"%%s","event":"evaluation","iteration":%d,"strength":{"points":[%d,2,3],"ci95":[1,1,1],"sum":6}}`, n, r.minute))
}

// follow writes what there is, as a process that ends then.
func (r *followed) follow(t *testing.T, dir string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Follow(ctx, r.folder, dir, time.Hour); err != nil {
		t.Fatal(err)
	}
}

// TestFollowResumed: TensorBoard shows one history of a run that is resumed again and again, after
// processes that ended and that were killed while they wrote, also where iterations are made again,
// and evaluations end late.
func TestFollowResumed(t *testing.T) {
	root := t.TempDir()
	r := newFollowed(t, filepath.Join(root, "run"), "00000000000000a7")
	dir := filepath.Join(root, "logs")
	shows := filepath.Join(dir, "run")
	rng := random.New(1, random.Test, 0, 0)
	at := 0
	for process := range 60 {
		if process > 0 {
			at = max(0, at-rng.IntN(3)) // a damaged checkpoint is passed over
			r.log(t, fmt.Sprintf(`{"time":"%%s","event":"resume","iteration":%d}`, at))
		}
		n := rng.IntN(4)
		r.iterations(t, at+1, at+n)
		at += n
		if rng.IntN(2) == 0 {
			r.evaluation(t, max(0, at-rng.IntN(3)))
		}
		r.follow(t, dir)
		checkShown(t, fmt.Sprintf("process %d", process), shows, r.folder)
		files, err := filepath.Glob(filepath.Join(shows, "*tfevents*"))
		if err != nil {
			t.Fatal(err)
		}
		if rng.IntN(2) == 0 { // it was killed: the last bytes did not come to be written
			last := files[len(files)-1]
			info, err := os.Stat(last)
			if err == nil {
				err = os.Truncate(last, rng.Int64N(info.Size()))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if at < 20 {
		t.Errorf("it came to iteration %d", at)
	}
}

// TestFollowKilled: wherever a write is cut short, the next process mends it.
func TestFollowKilled(t *testing.T) {
	root := t.TempDir()
	r := newFollowed(t, filepath.Join(root, "run"), "00000000000000a7")
	r.iterations(t, 1, 2)
	dir := filepath.Join(root, "logs")
	r.follow(t, dir)
	files, _ := filepath.Glob(filepath.Join(dir, "run", "*tfevents*"))
	if len(files) != 1 {
		t.Fatalf("%q", files)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	r.log(t, `{"time":"%s","event":"resume","iteration":2}`)
	r.iterations(t, 3, 3)
	for cut := 0; cut <= len(whole); cut += 1 + cut/97 {
		again := filepath.Join(root, fmt.Sprint("cut", cut))
		to := filepath.Join(again, "run", filepath.Base(files[0]))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755),
			os.WriteFile(to, whole[:cut], 0o644)); err != nil {
			t.Fatal(err)
		}
		r.follow(t, again)
		checkShown(t, fmt.Sprintf("cut at %d", cut), filepath.Dir(to), r.folder)
	}
	// A process that has nothing to add leaves no file.
	before, _ := os.ReadDir(filepath.Join(root, "cut0", "run"))
	r.log(t, `{"time":"%s","event":"resume","iteration":3}`)
	r.follow(t, filepath.Join(root, "cut0"))
	if after, _ := os.ReadDir(filepath.Join(root, "cut0", "run")); len(after) != len(before) {
		t.Errorf("there are %d files, where %d were", len(after), len(before))
	}
}

// TestFollowAmongOthers: runs of one name have folders of their own, which they find again, also if
// they begin at once; files of other programs stay apart too.
func TestFollowAmongOthers(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "logs")
	foreign := filepath.Join(dir, "quick", "events.out.tfevents.1.host")
	if err := errors.Join(os.MkdirAll(filepath.Dir(foreign), 0o755),
		os.WriteFile(foreign, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	const n = 6
	var runs []*followed
	for k := range n {
		r := newFollowed(t, filepath.Join(root, fmt.Sprint(k), "quick"), fmt.Sprintf("%016x", 77+k))
		r.iterations(t, 1, k+1)
		runs = append(runs, r)
	}
	for range 3 {
		var group sync.WaitGroup
		for _, r := range runs {
			group.Go(func() { r.follow(t, dir) })
		}
		group.Wait()
		for _, r := range runs {
			r.log(t, `{"time":"%s","event":"resume","iteration":1}`)
			r.iterations(t, 2, 2)
		}
	}
	for _, r := range runs {
		r.follow(t, dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != n+1 {
		t.Fatalf("%v: %v", err, entries)
	}
	for k, r := range runs {
		id := fmt.Appendf(nil, "%016x", 77+k)
		for i := 2; i <= n+1; i++ {
			shows := filepath.Join(dir, fmt.Sprint("quick-", i))
			owner, err := os.ReadFile(filepath.Join(shows, ".tengen"))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(owner, id) {
				checkShown(t, shows, shows, r.folder)
				id = nil
			}
		}
		if id != nil {
			t.Errorf("run %d has no folder", k)
		}
	}
}
