package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// figure is a measurement with a target.
type figure struct {
	Name    string   `json:"name"`
	Want    float64  `json:"want"` // the minimum, or the maximum if Most
	Most    bool     `json:"most,omitempty"`
	Got     *float64 `json:"got"`     // null if not measured
	Reached bool     `json:"reached"` // false if not measured
	Note    string   `json:"note,omitempty"`
}

// fastest returns the greatest rate in a precision, nil if there is none.
func fastest(list []networks, precision string) (rate, ofPeak *float64, batch int) {
	for _, n := range list {
		for _, x := range n.Networks {
			best := max(x.OneWorker, x.AllWorkers)
			if x.Precision == precision && best > 0 && (rate == nil || best > *rate) {
				rate, ofPeak, batch = &best, x.OfPeak, x.Batch
			}
		}
	}
	return rate, ofPeak, batch
}

// over returns a ÷ b, nil if one is missing.
func over(a, b *float64) *float64 {
	if a == nil || b == nil || *b == 0 {
		return nil
	}
	q := *a / *b
	return &q
}

// judge compares the measurements with their targets.
func (r *results) judge() {
	ours, ofPeak, batch := fastest(r.Inference, "bf16")
	note := ""
	if ours != nil {
		note = fmt.Sprintf("best batch %d", batch)
	}
	r.add(figure{
		Name: "inference in bf16: nominal FLOP/s ÷ the device's measured rate", Want: 0.4,
		Got: ofPeak, Note: note,
	})
	r.add(figure{
		Name: "inference in bf16 ÷ PyTorch's best", Want: 2, Got: over(ours, r.torch.Inference),
	})
	trained, _, _ := fastest(r.Training, "tf32")
	r.add(figure{
		Name: "training in tf32 ÷ PyTorch's best", Want: 1, Got: over(trained, r.torch.Training),
	})
	mixed, _, _ := fastest(r.Training, "bf16")
	if mixed != nil {
		r.add(figure{
			Name: "training in bf16 ÷ PyTorch's best", Want: 1, Got: over(mixed, r.torch.Mixed),
		})
	}
	busy := figure{Name: "self-play: the device is busy", Want: 0.7}
	var hours *float64
	if s := r.SelfPlay; s != nil {
		busy.Got, hours = s.Busy, s.Hours
		if busy.Got != nil && *busy.Got < busy.Want && s.Waiting < 0.05 {
			busy.Reached = true
			busy.Note = fmt.Sprintf("the %d workers are saturated at %.0f evaluations a second",
				s.Workers, s.Evaluations)
		}
	}
	r.add(busy)
	r.add(figure{
		Name: "hours for the paper's 50,000 games", Want: 1, Most: true, Got: hours,
		Note: "the goal is ten minutes",
	})
	passed := figure{Name: "tests on the device that fail or are missing", Most: true}
	wrong, done := 0.0, 0
	for _, t := range r.Tests {
		switch t.Result {
		case "PASS":
			done++
		case "FAIL", "CUT OFF", "NO TIME":
			wrong++
		}
	}
	for _, p := range r.Parts {
		if p.Name == "tests" && p.Status != "0" && wrong == 0 {
			wrong++ // it did not finish
		}
	}
	if done > 0 || wrong > 0 {
		passed.Got = &wrong
	}
	if done > 0 {
		passed.Note = fmt.Sprintf("%d pass", done)
	}
	r.add(passed)
	r.add(r.stepsFigure())
	r.add(r.convFigure())
	r.addGoals()
	if len(r.Precision) > 0 {
		r.add(r.precisionFigure())
	}
	resumed := figure{Name: "files of a run that differ after a kill", Most: true}
	if r.Run != nil && r.Run.Killed {
		resumed.Got = &r.Run.Differ
		resumed.Note = fmt.Sprintf("%d iterations in %.0f s", r.Run.Iterations, r.Run.Seconds)
	}
	r.add(resumed)
}

// goals are what a Hopper device is to reach, in bf16.
var goals = []struct {
	training                bool
	blocks, filters, size   int
	batch                   int
	milliseconds, perSecond float64 // one of them
}{
	{true, 8, 128, 5, 4096, 5.1, 0},
	{true, 8, 128, 5, 256, 0.8, 0},
	{true, 10, 128, 9, 1024, 5, 0},
	{true, 20, 256, 19, 256, 38, 0},
	{false, 20, 256, 19, 1024, 0, 26000},
}

// addGoals adds a figure for each goal if the device is a Hopper.
func (r *results) addGoals() {
	if !hopper.MatchString(r.Device) {
		return
	}
	for _, g := range goals {
		f := figure{
			Name: fmt.Sprintf("ms of a step of %d rows, %d × %d on %d×%d",
				g.batch, g.blocks, g.filters, g.size, g.size),
			Want: g.milliseconds, Most: true,
		}
		lists := [][]networks{r.Training, r.Others}
		if !g.training {
			f.Name = fmt.Sprintf("positions/s of inference, %d × %d on %d×%d", g.blocks, g.filters,
				g.size, g.size)
			f.Want, f.Most, lists = g.perSecond, false, [][]networks{r.Others}
		}
		for _, n := range slices.Concat(lists...) {
			x := n.Networks[0]
			if n.trains() != g.training || x.Precision != "bf16" || x.Batch != g.batch ||
				!strings.HasPrefix(x.Network, fmt.Sprintf("%d blocks × %d filters,",
					g.blocks, g.filters)) ||
				!strings.HasPrefix(x.Game, fmt.Sprintf("go:size=%d,", g.size)) {
				continue
			}
			got := 1000 * x.Seconds
			if !g.training {
				got = max(x.OneWorker, x.AllWorkers)
			}
			f.Got = &got
		}
		r.add(f)
	}
}

// hopper are the devices for which the goals are.
var hopper = regexp.MustCompile(`\bG?H[12]00\b`)

// trains reports whether the rates are of training.
func (n *networks) trains() bool {
	return len(n.of) > 0 && (n.of[0] == "training" || len(n.of) > 1 && n.of[1] == "train")
}

// convolution is a kernel's rate.
type convolution struct {
	shape, kernel string
	each          float64  // seconds
	tera          float64  // TFLOP/s
	ofPeak        *float64 // of the measured rate of large products
}

// blocksOwn are the kernels of the blocks' convolutions: forward, of the input's gradient, and of
// the weights' gradient.
var blocksOwn = regexp.MustCompile(`^(product|gradient) 9×(\d+)→(\d+)`)

// convolutions returns the rates of the blocks' convolutions.
func (r *results) convolutions() (all []convolution) {
	var peak *float64
	for _, n := range slices.Concat(r.Conv, r.Training, r.Inference) {
		if peak == nil {
			peak = n.BF16 // documents of small batches have none
		}
	}
	for _, n := range r.Conv {
		x := n.Networks[0]
		if x.Kernels == nil {
			continue
		}
		for _, c := range x.Kernels.Calls {
			m := blocksOwn.FindStringSubmatch(c.Name)
			if m == nil || m[2] != m[3] || c.TFLOPS == nil || c.Launches == 0 {
				continue
			}
			flops := 1e12 * *c.TFLOPS
			all = append(all, convolution{
				strings.Join(n.of[1:], "-"), c.Name, c.Seconds / c.Launches, *c.TFLOPS,
				over(&flops, peak),
			})
		}
	}
	return all
}

// convFigure is the rate of the slowest convolution.
func (r *results) convFigure() figure {
	f := figure{Name: "convolutions in bf16: the slowest ÷ the device's measured rate", Want: 0.65}
	for _, c := range r.convolutions() {
		if c.ofPeak != nil && (f.Got == nil || *c.ofPeak < *f.Got) {
			f.Got, f.Note = c.ofPeak, c.kernel+" of "+c.shape
		}
	}
	return f
}

// writeConv writes the rates of convolutions.
func (r *results) writeConv(b *strings.Builder) {
	all := r.convolutions()
	if len(all) == 0 {
		return
	}
	b.WriteString("\nconvolutions in bf16 beside large products of cuBLAS\n")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "board×filters\tbatch\tµs each\tTFLOP/s\tof peak\t  kernel\n")
	for _, c := range all {
		share := "-"
		if c.ofPeak != nil {
			share = fmt.Sprintf("%.0f %%", 100**c.ofPeak)
		}
		batch := 0
		for _, n := range r.Conv {
			if strings.Join(n.of[1:], "-") == c.shape {
				batch = n.Networks[0].Batch
			}
		}
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%.1f\t%s\t  %s\n", c.shape, batch, 1e6*c.each, c.tera, share,
			c.kernel)
	}
	w.Flush()
}

// precisionFigure compares the held-out losses of bf16 with those of fp32, or of tf32 for seeds
// without it, in the mean over the seeds.
func (r *results) precisionFigure() figure {
	f := figure{
		Name: "held-out loss after training in bf16, less that of fp32 or tf32, nats", Want: 0.005,
		Most: true,
	}
	of := func(precision string, seed int) *learned {
		for i := range r.Precision {
			if l := &r.Precision[i]; l.Precision == precision && l.Seed == seed {
				return l
			}
		}
		return nil
	}
	sum, seeds := 0.0, 0
	for _, l := range r.Precision {
		like := of("fp32", l.Seed)
		if like == nil {
			like = of("tf32", l.Seed)
		}
		if l.Precision == "bf16" && like != nil {
			sum += l.loss() - like.loss()
			seeds++
		}
	}
	if seeds > 0 {
		mean := sum / float64(seeds)
		f.Got, f.Note = &mean, fmt.Sprintf("mean of %d seeds", seeds)
	}
	return f
}

// writePrecision writes the held-out losses of training's precisions.
func writePrecision(b *strings.Builder, list []learned) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\nheld-out losses of training on the same games, nats\n")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "precision\tseed\tsteps\tpolicy\tvalue\tsum\t\n")
	for i := range list {
		l := &list[i]
		fmt.Fprintf(w, "%s\t%d\t%d\t%.4f\t%.4f\t%.4f\t\n", l.Precision, l.Seed, l.Steps,
			l.HeldOut.Policy, l.HeldOut.Value, l.loss())
	}
	w.Flush()
}

// stepsFigure counts the presets of part heads that can't be trained. It is not measured if some
// were left no time and the others can.
func (r *results) stepsFigure() figure {
	f := figure{Name: "presets with heads or losses of their own that fail", Most: true}
	wrong, late := 0.0, false
	var names []string
	for _, m := range r.Failed {
		name, ok := strings.CutPrefix(m.Name, "heads-")
		switch {
		case !ok:
		case cutOff(m.Status):
			late = true
		default:
			wrong++
			names = append(names, name)
		}
	}
	if wrong > 0 || len(r.Heads) > 0 && !late {
		f.Got = &wrong
	}
	f.Note = fmt.Sprintf("%d train", len(r.Heads))
	if wrong > 0 {
		f.Note += ", not " + strings.Join(names, ", ")
	}
	return f
}

// add adds a figure, and sets whether it is reached.
func (r *results) add(f figure) {
	if f.Got != nil && (f.Most && *f.Got <= f.Want || !f.Most && *f.Got >= f.Want) {
		f.Reached = true
	}
	r.Figures = append(r.Figures, f)
}

// status returns the exit status.
func (r *results) status() int {
	status := reached
	for _, f := range r.Figures {
		switch {
		case f.Got == nil:
			status = max(status, notMeasured)
		case !f.Reached:
			return missed
		}
	}
	return status
}

// Verdicts of a line.
const (
	good     = "good"
	fair     = "fair"
	poor     = "POOR"
	failed   = "FAILED"
	unknown  = "not known"
	smallest = 1024 // rows of a batch of which a share of the peak rate is expected
)

// ofPeakVerdict judges a rate of inference or training by its share of the device's measured rate.
func ofPeakVerdict(precision string, batch int, share *float64) string {
	switch {
	case precision == "fp32":
		return "a reference"
	case batch < smallest:
		return "a small batch"
	case share == nil:
		return unknown
	case *share >= 0.4:
		return good
	case *share >= 0.2:
		return fair
	}
	return poor
}

// verdict judges self-play by the time for which the device is busy.
func (s *selfPlay) verdict() string {
	switch {
	case s.Busy == nil:
		return unknown
	case *s.Busy >= 0.7:
		return good
	case s.Waiting < 0.05:
		return "the cores are saturated"
	}
	return poor
}

// verdict judges an error.
func (d *deviation) verdict() string {
	if d.Got <= d.Limit {
		return good
	}
	return failed
}

// table returns all results as text, with a verdict in each line.
func (r *results) table() string {
	var b strings.Builder
	device := r.Device
	if device == "" {
		device = "no device was measured"
	}
	fmt.Fprintf(&b, "%s\n", device)
	for _, line := range r.Machine {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if all := slices.Concat(r.Inference, r.Training); len(all) > 0 {
		n, verdict := all[0], good
		if i := slices.IndexFunc(all, func(n networks) bool { return n.Copy != nil }); i >= 0 {
			n = all[i] // documents of small batches have no peak
		}
		if n.BF16 == nil || n.TF32 == nil || n.FP32 == nil || n.Copy == nil {
			verdict = unknown
		}
		fmt.Fprintf(&b, "measured peak of large products: bf16 %s, tf32 %s, fp32 %s TFLOP/s; large copy %s TB/s: %s %s\n", tera(n.BF16), tera(n.TF32), tera(n.FP32), tera(n.Copy), verdict, n.Why)
	}
	if len(r.Kernels) > 0 {
		b.WriteString("\nkernels\n")
	}
	for _, k := range r.Kernels {
		fmt.Fprintf(&b, "  %s: %s\n", k.Outcome, k.Text)
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows := func(what string, list []networks) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s\tbatch\tms\tpositions/s\tall workers\tTFLOP/s\tof peak\tverdict\t\n",
			what)
		for _, n := range list {
			for _, x := range n.Networks {
				share := "-"
				if x.OfPeak != nil {
					share = fmt.Sprintf("%.0f %%", 100**x.OfPeak)
				}
				fmt.Fprintf(w, "%s\t%d\t%.3f\t%.0f\t%.0f\t%.1f\t%s\t%s\t\n", x.Precision, x.Batch,
					1000*x.Seconds, x.OneWorker, x.AllWorkers, x.TFLOPS, share,
					ofPeakVerdict(x.Precision, x.Batch, x.OfPeak))
			}
		}
	}
	rows("inference", r.Inference)
	rows("training", r.Training)
	what := func(n networks) string {
		if n.trains() {
			return "training"
		}
		return "inference"
	}
	for _, n := range r.Others {
		for _, x := range n.Networks {
			rows(fmt.Sprintf("%s of %s, %s", what(n), x.Network, x.Game), []networks{n})
		}
	}
	for _, n := range r.Devices {
		rows(what(n)+" on "+n.Device, []networks{n})
	}
	w.Flush()
	writeHeads(&b, r.Heads)
	r.writeConv(&b)
	writePrecision(&b, r.Precision)
	for _, list := range []struct {
		what string
		of   []networks
	}{{"a batch", r.Inference}, {"a step", r.Training}} {
		for _, n := range list.of {
			for _, x := range n.Networks {
				x.Kernels.write(&b, fmt.Sprintf("%s of %d in %s", list.what, x.Batch, x.Precision))
			}
		}
	}
	writeFeed(&b, r.Feed)
	if s := r.SelfPlay; s != nil {
		busy := "not known"
		if s.Busy != nil {
			busy = fmt.Sprintf("%.0f %%", 100**s.Busy)
		}
		fmt.Fprintf(&b, "\nself-play of %d workers: the device busy %s of the time, workers waiting %.0f %%: %s\n", s.Workers, busy, 100*s.Waiting, s.verdict())
		fmt.Fprintf(&b, "  %.0f evaluations/s (%.0f of the network alone), %.0f from the cache; batches %.0f %% full; %.0f games an hour\n",
			s.Evaluations, s.Alone, s.FromCache, 100*s.Fill, s.Games)
	}
	if s := r.Together; s != nil {
		fmt.Fprintf(&b, "self-play on %s by %d workers: %.0f evaluations/s, %.0f from the cache; workers waiting %.0f %%\n",
			s.On.Device, s.Workers, s.Evaluations, s.FromCache, 100*s.Waiting)
	}
	if x := r.Run; x != nil {
		result := "the same bits"
		if x.Differ > 0 {
			result = fmt.Sprintf("%.0f files of its last checkpoint differ: %s", x.Differ, failed)
		}
		if !x.Killed {
			result = "it ended before it could be killed"
		}
		fmt.Fprintf(&b, "a run of %d iterations in %.0f s; killed and resumed: %s\n", x.Iterations,
			x.Seconds, result)
	}
	if r.torch.Version != "" {
		fmt.Fprintf(&b, "PyTorch %s: inference in bf16 %s, training in tf32 %s, in bf16 %s million positions/s\n", r.torch.Version,
			millions(r.torch.Inference), millions(r.torch.Training), millions(r.torch.Mixed))
	}
	if len(r.Errors) > 0 {
		b.WriteString("\ngreatest errors, of the float64 reference's spread (policy, values) and of the processor's loss\n")
	}
	w = tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, e := range r.Errors {
		fmt.Fprintf(w, "  %s %s\t%.3g\t≤ %g\t%s\t%s\n",
			e.Precision, e.Of, e.Got, e.Limit, e.verdict(), e.Network)
	}
	w.Flush()
	for _, t := range r.Tests {
		if t.Result != "PASS" {
			fmt.Fprintf(&b, "%s: %s\n", t.Result, t.Name)
		}
	}
	b.WriteString("\n")
	w = tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	counts := map[string]int{}
	for _, f := range r.Figures {
		verdict, got, sign := "MISSED", "-", "≥"
		switch {
		case f.Reached:
			verdict = "reached"
		case f.Got == nil:
			verdict = "NOT MEASURED"
		}
		counts[verdict]++
		if f.Got != nil {
			got = fmt.Sprintf("%.*g", max(3, 1+int(math.Log10(max(*f.Got, 1)))), *f.Got)
		}
		if f.Most {
			sign = "≤"
		}
		fmt.Fprintf(w, "%s\t%s\t%s %g\t%s\t%s\n", f.Name, got, sign, f.Want, verdict, f.Note)
	}
	w.Flush()
	for _, p := range r.Parts {
		if why, ok := strings.CutPrefix(p.Status, "skipped: "); ok {
			fmt.Fprintf(&b, "part %s: skipped, %s\n", p.Name, why)
		} else if p.Status != "0" {
			fmt.Fprintf(&b, "part %s: %s after %s s\n", p.Name, ending(p.Status), p.Seconds)
		}
	}
	for _, m := range r.Failed {
		why := m.Why
		if why != "" {
			why = ": " + why
		}
		fmt.Fprintf(&b, "missing: %s: %s%s\n", m.Name, ending(m.Status), why)
	}
	fmt.Fprintf(&b, "VERDICT: %d figures reached, %d missed, %d not measured\n",
		counts["reached"], counts["MISSED"], counts["NOT MEASURED"])
	return b.String()
}

// cutOff reports whether a status is that of a program that was left no time.
func cutOff(status string) bool { return status == "124" || status == "137" }

// ending says how a program ended.
func ending(status string) string {
	if cutOff(status) {
		return "cut off, no time was left: status " + status
	}
	return "status " + status
}

// write writes where the time of what goes; nothing for nil.
func (k *kernels) write(b *strings.Builder, what string) {
	if k == nil {
		return
	}
	fmt.Fprintf(b, "\nwhere the %.3f ms of %s go\n", 1000*k.Seconds, what)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "launches\tµs\tshare\tTFLOP/s\tGB/s\t  kernel or copy\n")
	number := func(x *float64) string {
		if x == nil {
			return "-"
		}
		return fmt.Sprintf("%.4g", *x)
	}
	for _, c := range k.Calls {
		fmt.Fprintf(w, "%.4g\t%.1f\t%.1f %%\t%s\t%s\t  %s\n", c.Launches, 1e6*c.Seconds,
			100*c.Share, number(c.TFLOPS), number(c.GigaBytes), c.Name)
	}
	w.Flush()
	fmt.Fprintf(b, "  sum %.3f ms of %.4g calls, gaps in graphs %.3f, the device idle %.3f\n",
		1000*k.Sum, k.InAll, 1000*(k.Device-k.Sum), 1000*(k.Seconds-k.Device))
}

// writeHeads writes the steps of presets with heads or losses of their own.
func writeHeads(b *strings.Builder, list []networks) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\ntraining of presets with heads or losses of their own\n")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "preset\tbatch\tms a step\trows/s\t  network\n")
	for _, n := range list {
		x := n.Networks[0]
		fmt.Fprintf(w, "%s\t%d\t%.3f\t%.0f\t  %s\n", strings.Join(n.of[1:], "-"), x.Batch,
			1000*x.Seconds, x.OneWorker, x.Network)
	}
	w.Flush()
}

// writeFeed writes self-play by the number of games.
func writeFeed(b *strings.Builder, list []feed) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\nself-play by games of a worker, without a cache\n")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "games\tsimulations/s\tevaluations/s\tcached/s\tof the network alone\tfull\tdevice busy\tworkers wait\t\n")
	for _, f := range list {
		busy, note := "-", ""
		if f.Busy != nil {
			busy = fmt.Sprintf("%.0f %%", 100**f.Busy)
		}
		if f.Cached {
			note = "  with a cache"
		}
		fmt.Fprintf(w, "%d\t%.0f\t%.0f\t%.0f\t%.0f %%\t%.0f %%\t%s\t%.0f %%\t%s\n", f.Games,
			f.Simulations, f.Evaluations, f.FromCache, 100*f.Evaluations/max(f.Alone, 1),
			100*f.Fill, busy, 100*f.Waiting, note)
	}
	w.Flush()
}

func tera(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.4g", *x/1e12)
}

func millions(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *x/1e6)
}
