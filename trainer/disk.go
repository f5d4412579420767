package trainer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/nn/train"
	"tengen/run"
	"tengen/vfs"
)

// Disk is about what a run takes of the disk in its end, in bytes.
type Disk struct {
	Checkpoints float64 `json:"checkpoints_bytes"`
	Kept        int     `json:"checkpoints"` // their number
	Games       float64 `json:"games_bytes"`
	Events      float64 `json:"events_bytes"` // with the results of evaluations
	// Free is what the disk has left, and Taken what the run has on it already; 0 if unknown.
	Free  float64 `json:"free_bytes,omitempty"`
	Taken float64 `json:"taken_bytes,omitempty"`

	plan       *Plan
	iterations int
	game       float64 // bytes of a game
}

// What the event log and the results of evaluations take, in bytes.
const (
	iterationBytes  = 1000
	evaluationBytes = 2000
	ratedGameBytes  = 110
)

// Disk estimates what a run takes of the disk of its folder, which need not exist, from what the
// run's memory tells of its games.
func (p *Plan) Disk(m *Memory, f run.Folder) Disk {
	c := p.Config
	d := Disk{plan: p, game: m.stored}
	d.iterations = (m.games - c.WarmStart.InitialGames) / max(1, c.Training.Games)
	d.fill(c)
	d.measure(f.On(nil))
	return d
}

// fill estimates the parts with a configuration.
func (d *Disk) fill(c *configs.Config) {
	t, ahead := c.Training, 1
	if t.Cycle == configs.CyclePipelined {
		ahead = 2
	}
	last := c.Checkpoints.KeepLast + ahead - 1
	// What evaluations name: the network under evaluation, the one before, and the best; and the
	// initial one.
	policy := checkpoints.Policy{
		KeepLast: last, PerOctave: d.plan.PerOctave, Keep: make([]int, 4),
	}
	d.Kept = policy.Most(d.iterations)
	d.Checkpoints = float64(d.Kept) * d.plan.checkpointBytes()
	games := c.WarmStart.InitialGames + d.iterations*t.Games
	// The windows of the last checkpoints, and the games of the next iterations.
	d.Games = d.game * float64(min(games, c.Replay.Window(games)+(last+ahead)*t.Games))
	d.Events = float64(d.iterations) * iterationBytes
	if e := c.Evaluation; e.Every > 0 {
		each := evaluationBytes + ratedGameBytes*e.Games*(d.plan.Game.Players()+1)
		d.Events += float64(d.iterations/e.Every+1) * float64(each)
	}
}

// checkpointBytes returns the size of a checkpoint.
func (p *Plan) checkpointBytes() float64 {
	numbers := 1 // weights, and what the solver keeps of each
	if p.Train.Optimizer == train.OptimizerAdam {
		numbers += 2
	} else if p.Train.Momentum > 0 {
		numbers++
	}
	if p.Train.EMADecay > 0 {
		numbers++
	}
	return 4*float64(numbers)*p.Spec.Count() + checkpointOverhead
}

// checkpointOverhead is about what the names of tensors, the state and the manifest take.
const checkpointOverhead = 8 << 10

// measure notes what is free on a folder's disk, and what the folder has of it.
func (d *Disk) measure(f run.Files) {
	d.Free, d.Taken = 0, 0
	path, err := filepath.Abs(string(f.Folder))
	if err != nil {
		return
	}
	for {
		free, err := f.FS.Free(path)
		if err == nil {
			d.Free = float64(free)
			break
		}
		above := filepath.Dir(path)
		if above == path || !errors.Is(err, fs.ErrNotExist) {
			return
		}
		path = above
	}
	d.Taken = bytesBelow(f.FS, string(f.Folder))
}

// bytesBelow returns the size of all files below a folder; those that can't be read count nothing.
func bytesBelow(fsys vfs.FS, dir string) (n float64) {
	entries, _ := fsys.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			n += bytesBelow(fsys, filepath.Join(dir, e.Name()))
		} else if info, err := e.Info(); err == nil { // else it was removed
			n += float64(info.Size())
		}
	}
	return n
}

// All returns the sum of the parts.
func (d *Disk) All() float64 { return d.Checkpoints + d.Games + d.Events }

// Fit returns a warning if the disk has no room for what the run takes: it names the key of the
// greatest part that can be made so small that it fits, and the greatest value with which it does.
// It is "" if the run fits, or nothing is known of the disk.
func (d *Disk) Fit() (warning string) {
	room := d.Free + d.Taken
	if d.Free == 0 || d.All() <= room {
		return ""
	}
	c := d.plan.Config
	remedy := "a smaller network (network.filters), fewer iterations with more games (training.games), or a larger disk is wanted"
	keys := []struct {
		bytes float64
		name  string
		now   int
		set   func(*configs.Config, int)
	}{
		{d.Games, "replay.games", c.Replay.Games,
			func(c *configs.Config, n int) { c.Replay.Games = n }},
		{d.Checkpoints, "checkpoints.keep_last", c.Checkpoints.KeepLast,
			func(c *configs.Config, n int) { c.Checkpoints.KeepLast = n }},
	}
	if d.Checkpoints > d.Games {
		slices.Reverse(keys)
	}
	for _, k := range keys {
		tooMuch := func(n int) bool {
			other, config := *d, *c
			k.set(&config, n)
			other.fill(&config)
			return other.All() > room
		}
		if most := sort.Search(k.now+1, tooMuch) - 1; most >= 1 {
			remedy = fmt.Sprintf("%s=%d: at most %d fits", k.name, k.now, leading(most))
			break
		}
	}
	return fmt.Sprintf("the run will take up to %s of disk, and %s are free: %s",
		size(int64(d.All())), size(int64(d.Free)), remedy)
}

// Attributes returns attributes for the log: what the run will take, its parts, and what is free.
func (d *Disk) Attributes() []any {
	list := []any{
		"takes_up_to", size(int64(d.All())),
		"checkpoints", fmt.Sprintf("%d (%s)", d.Kept, size(int64(d.Checkpoints))),
		"games", size(int64(d.Games)), "events", size(int64(d.Events)),
	}
	if d.Free > 0 {
		list = append(list, "free", size(int64(d.Free)))
	}
	return list
}

// String tells what the run will take, and what is free.
func (d *Disk) String() string {
	text := fmt.Sprintf("%s, of which %d checkpoints %s, games %s, events %s",
		size(int64(d.All())), d.Kept, size(int64(d.Checkpoints)), size(int64(d.Games)),
		size(int64(d.Events)))
	if d.Free > 0 {
		text += fmt.Sprintf("; %s are free", size(int64(d.Free)))
	}
	return text
}

// filling follows what is free on a disk.
type filling struct{ list []reading }

// reading is what is free at a time.
type reading struct {
	at   time.Time
	free int64 // bytes
}

const (
	readEvery     = time.Minute
	shortReadings = 10 * time.Minute
	longReadings  = time.Hour
	diskReserve   = time.Hour
)

// due reports whether it is time for a reading.
func (f *filling) due(now time.Time) bool {
	return len(f.list) == 0 || now.Sub(f.list[len(f.list)-1].at) >= readEvery
}

// note adds a reading, and forgets those that are older than the youngest that is an hour old.
func (f *filling) note(at time.Time, free int64) {
	f.list = append(f.list, reading{at, free})
	old := 0
	for old+2 < len(f.list) && at.Sub(f.list[old+1].at) >= longReadings {
		old++
	}
	f.list = slices.Delete(f.list, 0, old)
}

// freed takes into account that bytes were freed since the last reading on purpose: the rate at
// which the disk fills is that without them.
func (f *filling) freed(bytes int64) {
	for i := range f.list {
		f.list[i].free += bytes
	}
}

// soon returns the time until the disk is full, and whether that is within an hour, or within two
// intervals of readings if these are longer: at the rate of the last hour, or of the last ten
// minutes if that is greater. Nothing is soon before there are readings ten minutes apart.
func (f *filling) soon() (left time.Duration, soon bool) {
	n := len(f.list)
	if n < 2 {
		return 0, false
	}
	last := f.list[n-1]
	short := n - 2
	for short > 0 && last.at.Sub(f.list[short].at) < shortReadings {
		short--
	}
	rate := 0.0 // bytes a nanosecond
	for _, x := range []reading{f.list[0], f.list[short]} {
		if span := last.at.Sub(x.at); span >= shortReadings {
			rate = max(rate, float64(x.free-last.free)/float64(span))
		}
	}
	horizon := max(diskReserve, 2*last.at.Sub(f.list[n-2].at))
	until := float64(last.free) / rate
	if rate == 0 || until > float64(horizon) {
		return 0, false
	}
	return time.Duration(until), true
}

// watchDisk thins the series of old checkpoints further if the disk will soon be full: it keeps
// half of it, the oldest removed first, then a quarter, and then none, until the disk lasts longer.
// What a resumed run or an evaluation needs stays. The process goes on with the thinner series.
func (r *runner) watchDisk(ctx context.Context) error {
	now := r.now()
	if r.perOctave == 0 || !r.filling.due(now) {
		return nil
	}
	free, err := r.folder.FS.Free(r.folder.Checkpoints())
	if err != nil {
		return nil // nothing is known of the disk
	}
	r.filling.note(now, free)
	left, soon := r.filling.soon()
	if !soon {
		return nil
	}
	until := left
	var removed []checkpoints.Entry
	freed := int64(0)
	for soon && r.perOctave > 0 {
		r.perOctave /= 2
		list, err := r.keeper.Excess(r.policy())
		if err != nil {
			return err
		}
		bytes := int64(0)
		for _, e := range list {
			bytes += int64(bytesBelow(r.folder.FS, e.Path))
		}
		if err := r.retain(ctx, r.policy()); err != nil {
			return err
		}
		removed, freed = append(removed, list...), freed+bytes
		r.filling.freed(bytes)
		left, soon = r.filling.soon()
	}
	did := "no old checkpoint can be removed"
	if n := len(removed); n > 0 {
		slices.SortFunc(removed, func(a, b checkpoints.Entry) int {
			return a.Iteration - b.Iteration
		})
		did = fmt.Sprintf("%d old checkpoints, of the iterations %d to %d, are removed: %s",
			n, removed[0].Iteration, removed[n-1].Iteration, size(freed))
	}
	if soon {
		did += fmt.Sprintf("; it will be full in %s all the same, and the run then waits",
			left.Round(time.Minute))
	}
	r.warn(fmt.Sprintf("the disk would be full in %s: %s", until.Round(time.Minute), did),
		r.state.Iteration)
	return nil
}
