package lab

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"tengen/arena"
	"tengen/configs"
	"tengen/research"
	"tengen/trainer"
)

// Todo is what a lab has still to do.
type Todo struct {
	Arms    []ArmTodo `json:"arms"`
	Matches int       `json:"matches"` // that are not complete
	Games   int       `json:"games"`   // of them that are not played
	// Seconds are estimates from a short measurement on this machine, without evaluations of runs.
	TrainSeconds float64 `json:"train_seconds"`
	MatchSeconds float64 `json:"match_seconds"`
}

// ArmTodo is what is to do for an arm.
type ArmTodo struct {
	Name    string           `json:"name"`
	Keys    []configs.Change `json:"keys"`    // that differ from the first arm
	Trained int              `json:"trained"` // runs
	Begun   int              `json:"begun"`
	Missing int              `json:"missing"`
	// since the run of the first seed, which is not used
	Changed []configs.Change `json:"changed,omitempty"`
	// Seconds and Games are estimates of a run.
	Seconds float64 `json:"seconds_a_run"`
	Games   int     `json:"games_a_run"`
}

// Todo returns what Run would do. It measures each arm that has runs to train for about d, and
// writes nothing.
func (l *Lab) Todo(ctx context.Context, o Options, d time.Duration) (*Todo, error) {
	cores := max(1, o.Cores/max(1, o.Parallel))
	todo := &Todo{}
	ended := map[place]string{}
	for i := range l.Arms {
		a := ArmTodo{Name: l.Arms[i].Name, Keys: l.Arms[i].Keys}
		for s, seed := range l.File.Seeds {
			folder, changes, err := l.folder(o.Dir, i, seed)
			if err != nil {
				return nil, err
			}
			if s == 0 {
				a.Changed = changes
			}
			done, err := research.Ended(folder)
			switch {
			case err != nil:
				return nil, err
			case done:
				a.Trained++
				ended[place{i, s}] = folder.Name()
			case folder.Exists():
				a.Begun++
			default:
				a.Missing++
			}
		}
		todo.Arms = append(todo.Arms, a)
	}
	if err := l.countGames(o.Dir, ended, todo); err != nil {
		return nil, err
	}
	for i := range l.Arms {
		a := &todo.Arms[i]
		runs := a.Begun + a.Missing
		if runs == 0 && (i > 0 || todo.Games == 0) {
			continue
		}
		p, err := l.Arms[i].plan(l.File.Seeds[0], cores, o.Device)
		if err != nil {
			return nil, err
		}
		e, err := trainer.Measure(ctx, p, d)
		if err != nil {
			return nil, fmt.Errorf("arm %s: %w", a.Name, err)
		}
		a.Seconds, a.Games = e.TotalSeconds, e.Games
		todo.TrainSeconds += float64(runs) * e.TotalSeconds / float64(max(1, o.Parallel))
		if i == 0 {
			usual := p.Config.Search.Simulations
			if p.Descends() {
				usual = max(1, p.Config.Descent.Iterations)
			}
			a := e.EvaluationsPerGame * float64(l.Simulations) / float64(usual)
			todo.MatchSeconds = float64(todo.Games) * a / e.EvaluationsPerSecond /
				float64(max(1, o.Parallel))
		}
	}
	return todo, nil
}

// countGames counts the matches and games that are not played. Games of matches with other
// settings, which are not used, may be taken for theirs.
func (l *Lab) countGames(dir string, ended map[place]string, todo *Todo) error {
	seatings := len(must(arena.Seatings(2, l.Game.Players())))
	for _, m := range l.matches() {
		games, round := l.File.Match.Games, seatings
		other := ended[place{m.other, m.column}]
		if m.opponent >= 0 {
			games, round = l.opponents[m.opponent].Games, l.Game.Players()
			other = fileName(l.opponents[m.opponent].player.Name())
		}
		games = (games + round - 1) / round * round
		own := ended[place{m.arm, m.seed}]
		kept := 0
		for k := 1; own != "" && other != ""; k++ {
			path := filepath.Join(numberedName(filepath.Join(dir, matchesFolder, own+"_vs_"+other),
				k), arena.MatchFile)
			data, err := os.ReadFile(path)
			if err != nil {
				break
			}
			records, _, err := arena.ReadRecords(data)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			kept = len(records)
		}
		if kept < games {
			todo.Matches++
			todo.Games += games - kept
		}
	}
	return nil
}

// WriteText writes what is to do as a table.
func (t *Todo) WriteText(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tab, "arm\ttrained\tbegun\tto train\ta run takes\tgames a run\tkeys\n")
	for _, a := range t.Arms {
		var keys []string
		for _, k := range a.Keys {
			keys = append(keys, k.Key+"="+k.New)
		}
		took, games := "", ""
		if a.Seconds > 0 {
			took, games = "about "+duration(a.Seconds), fmt.Sprint(a.Games)
		}
		fmt.Fprintf(tab, "%s\t%d\t%d\t%d\t%s\t%s\t%s\n",
			a.Name, a.Trained, a.Begun, a.Missing, took, games, strings.Join(keys, " "))
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for _, a := range t.Arms {
		if len(a.Changed) > 0 {
			fmt.Fprintf(w,
				"%s has changed since its run (%s): it is trained anew, and the old run stays\n",
				a.Name, text(a.Changed))
		}
	}
	_, err := fmt.Fprintf(w, "%d matches with %d games are to play\nabout %s of training and %s of matches, without the runs' own evaluations\n",
		t.Matches, t.Games, duration(t.TrainSeconds), duration(t.MatchSeconds))
	return err
}

func duration(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}
