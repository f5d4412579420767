package history

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tengen/configs"
	"tengen/run"
)

// MaxRuns is the number of runs with different colors and glyphs in a picture.
const MaxRuns = 24

// Comparison compares runs. Lists with one element per run are in the order of Runs.
type Comparison struct {
	Runs     []Result  `json:"runs"`
	Settings []Setting `json:"settings"` // that differ between runs
	Notes    []string  `json:"notes"`    // what is not comparable and what could not be read

	runs []*Run
}

// Compare reads and compares the runs in the folders. It returns an error for a folder without
// a run.
func Compare(ctx context.Context, folders []string) (*Comparison, error) {
	var runs []*Run
	for _, dir := range folders {
		run, err := Read(ctx, dir)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return CompareRuns(labels(folders), runs)
}

// CompareRuns compares runs that were read before, under these names.
func CompareRuns(names []string, runs []*Run) (*Comparison, error) {
	c := &Comparison{runs: runs}
	for i, run := range runs {
		c.Runs = append(c.Runs, ResultOf(names[i], run))
	}
	var err error
	if c.Settings, err = settings(c.runs); err != nil {
		return nil, err
	}
	c.Notes = c.notes()
	return c, nil
}

// Read returns the histories of the runs.
func (c *Comparison) Read() []*Run { return c.runs }

// labels returns names for the folders: as few of the last elements of their paths as make
// them different.
func labels(folders []string) []string {
	parts := make([][]string, len(folders))
	for i, dir := range folders {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		parts[i] = strings.Split(strings.Trim(filepath.ToSlash(dir), "/"), "/")
	}
	names := make([]string, len(folders))
	for i := range folders {
		for n := 1; n <= len(parts[i]); n++ {
			names[i] = last(parts[i], n)
			alone := true
			for k := range folders {
				alone = alone && (k == i || last(parts[k], n) != names[i])
			}
			if alone {
				break
			}
		}
	}
	return names
}

// last joins the last n parts.
func last(parts []string, n int) string {
	return strings.Join(parts[max(0, len(parts)-n):], "/")
}

// Result is the result of a run so far. Missing figures are null.
type Result struct {
	Name      string `json:"name"`
	Folder    string `json:"folder"`
	Game      string `json:"game"` // "" if the configuration can't be read
	Algorithm string `json:"algorithm"`
	State     State  `json:"state"`
	// times started or resumed; the format keeps its former name
	Processes  int          `json:"sittings"`
	Iterations int          `json:"iterations"` // finished
	Of         int          `json:"of"`         // configured
	Games      int          `json:"games"`
	Steps      uint64       `json:"steps"`
	Seconds    float64      `json:"seconds"` // over all processes, up to the last event
	Training   *Losses      `json:"losses"`  // of the last iteration
	HeldOut    *Losses      `json:"held_out"`
	Strength   *Measurement `json:"strength"` // of the last evaluation
	Rating     *LastRating  `json:"rating"`   // of the last rated network
	Damaged    []Damage     `json:"damaged,omitempty"`
}

// Losses has the losses by head. A head that the network does not have is null.
type Losses struct {
	Total  float64  `json:"total"`
	Policy *float64 `json:"policy"`
	Value  float64  `json:"value"`
	// ValueTargetEntropy is the entropy of the values' targets, which Value can't fall below;
	// null where they are no distributions, or results alone.
	ValueTargetEntropy *float64 `json:"value_target_entropy"`
	// The auxiliary heads' losses (nn.Losses); left out where the network lacks the head.
	Cells *float64 `json:"cells,omitempty"`
	Seats *float64 `json:"seats,omitempty"`
	// Belief is the loss of what the network believes of hidden facts, BeliefPrior that of
	// counting.
	Belief      *float64 `json:"belief,omitempty"`
	BeliefPrior *float64 `json:"belief_prior,omitempty"`
}

// LastRating is the rating of a network relative to UCT.
type LastRating struct {
	Iteration int `json:"iteration"`
	run.Elo
}

// ResultOf returns the result of a run under a name.
func ResultOf(name string, r *Run) Result {
	x := Result{
		Name: name, Folder: string(r.Folder), Game: r.Game(), State: r.State(),
		Processes:  r.Processes,
		Iterations: r.Iteration(), Of: r.All(), Seconds: r.Took(), Damaged: r.Damaged,
	}
	if r.Config != nil {
		x.Algorithm = string(r.Config.Algorithm)
	}
	if r.Iteration() > 0 {
		last := func(name string) float64 { v, _ := r.Iterations.Last(name); return v }
		losses := func(kind string) *Losses {
			part := func(name string) *float64 { return nonzero(last(kind + "/" + name)) }
			return &Losses{
				last(kind + "/total"), part("policy"), last(kind + "/value"),
				part("value_target_entropy"),
				part("cells"), part("seats"), part("belief"), part("belief_prior"),
			}
		}
		x.Games, x.Steps = int(last("games")), uint64(last("steps"))
		x.Training = losses("losses")
		if _, ok := r.Iterations.Last("held_out/value"); ok {
			x.HeldOut = losses("held_out")
		}
	}
	if n := len(r.Evaluations.Rows); n > 0 {
		x.Strength = r.Measured()
		if list := r.rated(); len(list) > 0 {
			last := list[len(list)-1]
			x.Rating = &LastRating{last.Iteration, last.Elo}
		}
	}
	return x
}

// nonzero returns nil for 0, the loss of a head that the network does not have.
func nonzero(x float64) *float64 {
	if x == 0 {
		return nil
	}
	return &x
}

// Measurement is an evaluation for people: by seat, with names, and null for what is
// unknown or infinite.
type Measurement struct {
	Iteration int          `json:"iteration"` // of the evaluated network
	Against   string       `json:"against"`   // "" if unknown
	Games     int          `json:"games"`     // for each seat; 0 if unknown
	Seats     []SeatPoints `json:"seats"`
	Sum       float64      `json:"sum"`
	CI95      *float64     `json:"sum_ci95"` // half the width of its interval
}

// SeatPoints is the mean score in one seat.
type SeatPoints struct {
	Seat     string   `json:"seat"`
	Points   float64  `json:"points"`
	CI95     *float64 `json:"ci95"`
	Baseline *float64 `json:"baseline"` // UCT's in all seats
}

// Measured returns the last evaluation, nil if there is none.
func (r *Run) Measured() *Measurement {
	n := len(r.Evaluations.Rows)
	if n == 0 {
		return nil
	}
	e := r.Evaluations.Rows[n-1]
	s := e.Strength
	m := &Measurement{
		Iteration: e.Iteration, Against: s.Against, Games: s.Games, Sum: s.Sum,
		CI95: s.SumCI.Finite(),
	}
	for i, points := range s.Points {
		seat := SeatPoints{Points: points, CI95: s.CI[i].Finite()}
		if i < len(r.Seats) {
			seat.Seat = r.Seats[i]
		}
		if i < len(s.Baseline) {
			seat.Baseline = &s.Baseline[i]
		}
		m.Seats = append(m.Seats, seat)
	}
	return m
}

// Setting is a configuration key in which runs differ.
type Setting struct {
	Key    string   `json:"key"`    // search.simulations
	Values []string `json:"values"` // by run, as in a configuration; "" if it can't be read
}

// settings returns the settings in which the runs differ, in the order of a configuration.
// It ignores runs whose configuration can't be read.
func settings(runs []*Run) ([]Setting, error) {
	flat := make([]map[string]string, len(runs))
	for i, r := range runs {
		if r.Config == nil {
			continue
		}
		var err error
		if flat[i], err = flatten(r.Config); err != nil {
			return nil, err
		}
	}
	list := []Setting{} // in JSON a list, also without any
	for _, key := range configs.Keys() {
		s := Setting{Key: key, Values: make([]string, len(runs))}
		var known []string
		for i, values := range flat {
			if values != nil {
				s.Values[i] = values[key]
				known = append(known, values[key])
			}
		}
		if len(slices.Compact(known)) > 1 {
			list = append(list, s)
		}
	}
	return list, nil
}

// flatten returns the values of a configuration as text by key.
func flatten(c *configs.Config) (map[string]string, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("compare settings: %w", err)
	}
	var tree map[string]json.RawMessage
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, fmt.Errorf("compare settings: %w", err)
	}
	flat := map[string]string{}
	flattenInto(flat, "", tree)
	return flat, nil
}

func flattenInto(flat map[string]string, prefix string, tree map[string]json.RawMessage) {
	for key, raw := range tree {
		var group map[string]json.RawMessage
		var text string
		switch {
		case json.Unmarshal(raw, &group) == nil && group != nil:
			flattenInto(flat, prefix+key+".", group)
		case json.Unmarshal(raw, &text) == nil && strings.TrimSpace(text) != "":
			flat[prefix+key] = text
		case string(raw) == "null":
			flat[prefix+key] = "[]" // a list without entries
		default:
			flat[prefix+key] = string(raw)
		}
	}
}
