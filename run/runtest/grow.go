package runtest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"time"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/vfs"
)

// Growth says what Grow makes of a run.
type Growth struct {
	Iterations int // finished
	Games      int // of the replay window; at most those played in the iterations
	// Change, if not nil, changes the configuration: the number of games an iteration, the cycle,
	// and whatever else the run could have begun with.
	Change func(*configs.Config)
}

// mostEvaluations is the most evaluations of a grown run: evaluations take a share of a run's time,
// however many iterations that has.
const mostEvaluations = 1000

// Grow makes of the run in one folder a longer one in another, which must not exist, as if training
// had been stopped after the last iteration: `tengen train --resume` continues it. Its games are
// those of the first run, again and again, with numbers, iterations and steps of their own; its
// curves are the first run's, stretched; all its checkpoints have the first run's last network.
// Evaluations are the first run's last, if it has one. All files are written by the packages that
// write those of real runs, on to's file system.
func Grow(ctx context.Context, from, to run.Files, g Growth) error {
	small, err := readSmall(ctx, from)
	if err != nil {
		return fmt.Errorf("grow %s: %w", from.Folder, err)
	}
	w := &grower{small: small, to: to, Growth: g}
	if err := w.configure(); err != nil {
		return fmt.Errorf("grow %s: %w", from.Folder, err)
	}
	if err := w.write(ctx); err != nil {
		return fmt.Errorf("grow %s to %s: %w", from.Folder, to.Folder, err)
	}
	return nil
}

// smallRun is a run to grow.
type smallRun struct {
	config     *configs.Config
	checkpoint *checkpoints.Checkpoint
	games      []*record.Game
	progress   []run.Event // of its iterations
	strength   *run.Strength
	ratings    *run.Ratings
	evaluated  int // iteration of its last evaluation
	evaluation map[string]any
	matches    []run.EvaluationGame // of the last evaluation
}

func readSmall(ctx context.Context, from run.Files) (*smallRun, error) {
	from, err := from.Identify()
	if err != nil {
		return nil, err
	}
	s := &smallRun{}
	if s.config, err = from.ReadConfig(); err != nil {
		return nil, err
	}
	if s.checkpoint, _, err = from.Store().Latest(); err != nil {
		return nil, err
	}
	var damages []*replay.Damage
	s.games, damages, err = replay.Load(from.FS, from.Replay())
	s.games = s.games[max(0, len(s.games)-10_000):]
	if err == nil && len(damages) > 0 {
		err = damages[0]
	}
	if err == nil && len(s.games) == 0 {
		err = errors.New("it has no games")
	}
	if err != nil {
		return nil, err
	}
	if err := from.EachEvent(ctx, func(e run.Event) {
		switch {
		case e.Progress != nil && e.Progress.Dropped == "":
			s.progress = append(s.progress, e)
		case e.Strength != nil:
			s.strength, s.evaluated = e.Strength, e.Iteration
		}
	}); err != nil {
		return nil, err
	}
	if len(s.progress) == 0 {
		return nil, errors.New("its events tell of no iteration")
	}
	if s.strength == nil {
		return s, nil
	}
	if s.ratings, err = from.ReadRatings(); err != nil {
		return nil, err
	}
	text, err := vfs.ReadFile(from.FS, from.Evaluation(s.evaluated))
	if errors.Is(err, fs.ErrNotExist) { // broken off: there is no evaluation
		s.strength = nil
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s.evaluation)
	}
	if err != nil {
		return nil, err
	}
	log, err := from.OpenGameLog(len(s.strength.Points), 10_000)
	if err != nil {
		return nil, err
	}
	for _, x := range log.Games() {
		if x.Evaluation == s.evaluated {
			s.matches = append(s.matches, x)
		}
	}
	return s, nil
}

// grower writes a grown run.
type grower struct {
	Growth
	small   *smallRun
	to      run.Files
	config  configs.Config
	began   time.Time
	seconds float64 // an iteration
	every   int     // iterations an evaluation
}

func (w *grower) configure() error {
	w.config = *w.small.config
	if w.Change != nil {
		w.Change(&w.config)
	}
	c := &w.config
	const most = 1_000_000 // training.iterations
	c.Training.Iterations = min(max(w.Iterations, most), w.Iterations+max(100, w.Iterations/10))
	c.Training.Minutes = 0
	c.Replay.Games, c.Replay.Growth = w.Games, 0
	c.Evaluation.Every = max(c.Evaluation.Every,
		(w.Iterations+mostEvaluations-1)/mostEvaluations)
	w.every = c.Evaluation.Every
	if w.Iterations < 1 || w.Games < 1 || w.Games > w.gamesAt(w.Iterations) {
		return fmt.Errorf("%d iterations have %d games; a window of %d can't be filled",
			w.Iterations, w.gamesAt(w.Iterations), w.Games)
	}
	last := w.small.progress[len(w.small.progress)-1].Progress
	w.seconds = last.Elapsed / float64(w.small.checkpoint.Iteration)
	w.began = Began
	return nil
}

// gamesAt returns the number of games played in the first iterations.
func (w *grower) gamesAt(iteration int) int {
	if iteration == 0 {
		return 0
	}
	return w.config.WarmStart.InitialGames + iteration*w.config.Training.Games
}

// iterationOf returns the iteration of a game.
func (w *grower) iterationOf(number int) int {
	return max(0, number-w.config.WarmStart.InitialGames) / w.config.Training.Games
}

// stepAt returns the training steps after an iteration.
func (w *grower) stepAt(iteration int) uint64 {
	return w.small.checkpoint.Step * uint64(iteration) / uint64(w.small.checkpoint.Iteration)
}

// first returns the number of the window's first game after an iteration.
func (w *grower) first(iteration int) int { return max(0, w.gamesAt(iteration)-w.Games) }

func (w *grower) elapsed(iteration int) float64 { return float64(iteration) * w.seconds }

func (w *grower) timeAt(iteration int) time.Time {
	return w.began.Add(time.Duration(w.elapsed(iteration) * float64(time.Second)))
}

// newest returns the number of the newest checkpoints that a run keeps to be resumed from.
func (w *grower) newest() int {
	n := w.config.Checkpoints.KeepLast
	if w.config.Training.Cycle != configs.CycleSynchronous {
		n++ // games depend on the one before
	}
	return min(n, w.Iterations)
}

func (w *grower) write(ctx context.Context) error {
	id, err := run.NewIdentity(&w.config, "", w.began)
	if err != nil {
		return err
	}
	w.to = w.to.Of(id)
	return w.to.Create(id, func() error {
		return errors.Join(w.writeGames(ctx), w.writeEvents(ctx), w.writeEvaluations(),
			w.writeCheckpoints())
	})
}

// writeGames writes the games from which the newest checkpoints can be resumed.
func (w *grower) writeGames(ctx context.Context) error {
	log, err := replay.OpenLog(w.to.FS, w.to.Replay(), 1000)
	if err != nil {
		return err
	}
	log.Run = w.to.Run
	ended := w.config.Training.Cycle == configs.CycleAsynchronous
	for n := w.first(w.Iterations - w.newest() + 1); n < w.gamesAt(w.Iterations); n++ {
		g := *w.small.games[n%len(w.small.games)]
		g.Number, g.Iteration = uint64(n), w.iterationOf(n)
		g.Stream, g.EndOrder = 0, ended
		if ended {
			g.Stream = uint64(n)
		}
		g.Seats = slices.Clone(g.Seats)
		for i := range g.Seats {
			if g.Seats[i].Kind == record.Network {
				g.Seats[i].Step = w.stepAt(g.Iteration)
			}
		}
		if err := cmp.Or(ctx.Err(), log.Append(&g)); err != nil {
			return errors.Join(err, log.Close())
		}
	}
	return log.Close()
}

// progress returns what an iteration has achieved: the first run's curves are stretched.
func (w *grower) progress(iteration int) *run.Progress {
	list := w.small.progress
	p := *list[(iteration-1)*len(list)/w.Iterations].Progress
	// What changes from iteration to iteration is the first run's too.
	noise := list[iteration%len(list)].Progress
	p.Plies, p.Scores, p.CacheHits = noise.Plies, noise.Scores, noise.CacheHits
	p.PlaySeconds, p.Seconds = noise.PlaySeconds, noise.Seconds
	p.Losses.GradientNorm = noise.Losses.GradientNorm
	share := float64(iteration) / float64(len(list))
	games := w.gamesAt(iteration)
	p.Games, p.Window = games, min(games, w.Games)
	p.Positions = int(float64(p.Window) * p.Plies)
	p.Evaluations = uint64(share * float64(list[len(list)-1].Progress.Evaluations))
	if p.Asked > 0 {
		p.Asked = uint64(share * float64(list[len(list)-1].Progress.Asked))
	}
	p.Steps, p.Elapsed = w.stepAt(iteration), w.elapsed(iteration)
	return &p
}

func (w *grower) event(iteration int) run.Event {
	return run.Event{
		Time: w.timeAt(iteration), Kind: run.EventIteration, Iteration: iteration,
		Progress: w.progress(iteration),
	}
}

func (w *grower) writeEvents(ctx context.Context) error {
	log, err := w.to.OpenEvents(func() time.Time { return w.began })
	if err != nil {
		return err
	}
	add := func(e run.Event) {
		if err == nil {
			_, err = log.Write(e)
		}
	}
	add(run.Event{Time: w.began, Kind: run.EventStart, Run: w.to.Run})
	for i := 1; i <= w.Iterations && err == nil; i++ {
		add(w.event(i))
		err = cmp.Or(err, ctx.Err())
		if w.evaluates(i) {
			s := *w.small.strength
			s.Elo, s.Elapsed = w.rating(i), w.elapsed(i)
			if len(s.Earlier) > 0 {
				s.Earlier = slices.Clone(s.Earlier)[:1]
				s.Earlier[0].Iteration = i - w.every
			}
			add(run.Event{
				Time: w.timeAt(i), Kind: run.EventEvaluation, Iteration: i, Strength: &s,
			})
		}
	}
	add(run.Event{
		Time: w.timeAt(w.Iterations), Kind: run.EventStop, Iteration: w.Iterations,
		Message: run.StoppedAfter(w.Iterations, w.config.Training.Iterations),
	})
	return errors.Join(err, log.Close())
}

// evaluates reports whether the network of an iteration was evaluated.
func (w *grower) evaluates(iteration int) bool {
	return w.small.strength != nil && iteration > w.every && iteration%w.every == 0
}

// evaluated returns the iterations whose networks were evaluated.
func (w *grower) evaluated() (list []int) {
	for i := w.every; i <= w.Iterations; i += w.every {
		if w.evaluates(i) {
			list = append(list, i)
		}
	}
	return list
}

// rating returns the rating of an iteration's network, nil without ratings.
func (w *grower) rating(iteration int) *run.Elo {
	if w.small.strength.Elo == nil {
		return nil
	}
	e := *w.small.strength.Elo
	less := 300 * math.Exp(-5*float64(iteration)/float64(w.Iterations))
	e.Rating -= less
	for _, bound := range []**float64{&e.Low, &e.High} {
		if *bound != nil {
			x := **bound - less
			*bound = &x
		}
	}
	return &e
}

// writeEvaluations writes what the folder of evaluations holds.
func (w *grower) writeEvaluations() error {
	list := w.evaluated()
	if len(list) == 0 {
		return nil
	}
	log, err := w.to.OpenGameLog(len(w.small.strength.Points), 1)
	if err != nil {
		return err
	}
	// Those of many evaluations are written at once: each write is synced.
	var games []run.EvaluationGame
	for k, i := range list {
		names := map[string]string{
			run.IterationName(w.small.evaluated): run.IterationName(i),
		}
		for _, x := range w.small.matches {
			x.Evaluation, x.Run, x.Players = i, w.to.Run, slices.Clone(x.Players)
			for seat, name := range x.Players {
				if other, ok := names[name]; ok {
					x.Players[seat] = other
				} else if len(name) > 0 && name[0] >= '0' && name[0] <= '9' {
					x.Players[seat] = run.IterationName(i - w.every) // the earlier network
				}
			}
			games = append(games, x)
		}
		if k == len(list)-1 || len(games) > 10_000 {
			if err := log.Append(games); err != nil {
				return err
			}
			games = games[:0]
		}
		file := maps.Clone(w.small.evaluation)
		file["iteration"], file["run"] = i, w.to.Run
		if e := w.rating(i); e != nil {
			file["rating"], file["rating_low"], file["rating_high"] = e.Rating, e.Low, e.High
		}
		if err := w.to.WriteJSON(w.to.Evaluation(i), file); err != nil {
			return err
		}
	}
	if len(w.small.ratings.Networks) == 0 {
		return nil
	}
	ratings := *w.small.ratings
	ratings.Run, ratings.Networks = w.to.Run, nil
	for _, i := range list {
		ratings.Networks = append(ratings.Networks, run.NetworkRating{
			Iteration: i, Games: len(w.small.matches), Elo: *w.rating(i),
		})
	}
	return w.to.WriteJSON(w.to.Ratings(), &ratings)
}

// writeCheckpoints writes the checkpoints that the run has kept.
func (w *grower) writeCheckpoints() error {
	policy := checkpoints.Policy{KeepLast: w.newest(), PerOctave: checkpoints.PerOctave}
	if list := w.evaluated(); len(list) > 0 {
		policy.Keep = list[len(list)-1:]
	}
	keeper := w.to.Store().Keeper()
	for i := 1; i <= w.Iterations; i++ {
		if !policy.Keeps(i, w.Iterations) {
			continue
		}
		c := *w.small.checkpoint
		c.Iteration, c.Step, c.Run = i, w.stepAt(i), w.to.Run
		var err error
		if c.State, err = w.state(i); err == nil {
			_, err = keeper.Save(&c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// state returns the trainer's state after an iteration: docs/formats/checkpoint.md.
func (w *grower) state(iteration int) (json.RawMessage, error) {
	s := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(w.small.checkpoint.State))
	d.UseNumber()
	if err := d.Decode(&s); err != nil {
		return nil, err
	}
	first := []int{}
	for i := max(1, iteration-w.newest()+1); i <= iteration; i++ {
		first = append(first, w.first(i))
	}
	games := w.gamesAt(iteration)
	for key, value := range map[string]any{
		"iteration": iteration, "games": games, "elapsed": w.elapsed(iteration),
		"window": map[string]any{
			"games": min(games, w.Games), "capacity": w.config.Replay.Window(games), "first": first,
		},
		"events": []run.Event{w.event(iteration)},
	} {
		if _, known := s[key]; !known {
			return nil, fmt.Errorf("the state in a checkpoint has no %q", key)
		}
		s[key] = value
	}
	delete(s, "asynchronous")
	if w.config.Training.Cycle == configs.CycleAsynchronous {
		s["asynchronous"] = map[string]any{"streams": games}
	}
	return json.MarshalIndent(s, "", "  ")
}

// GrowFolder is Grow from one folder of the operating system's file system to another, without
// waiting for the disk: what it makes need not survive a power cut.
func GrowFolder(ctx context.Context, from, to run.Folder, g Growth) error {
	if _, err := os.Stat(string(to)); err == nil {
		return fmt.Errorf("grow %s: %s exists already", from, to)
	}
	return Grow(ctx, from.On(nil), to.On(Unsynced{}), g)
}
