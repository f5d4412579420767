package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"tengen/cmd/internal/cli"
	"tengen/nn/backend"
)

// tracing times the calls of a device: backend.Traced.
type tracing func(whole bool, f func() error) ([]backend.Call, error)

// newTracing returns nil unless calls are wanted.
func newTracing(b backend.Backend, wanted bool) (tracing, error) {
	if !wanted {
		return nil, nil
	}
	t, ok := b.(backend.Traced)
	if !ok {
		return nil, cli.Usagef("--kernels: the calls of %s can't be timed", b.Name())
	}
	f, err := t.Trace()
	if err != nil {
		return nil, cli.Usagef("--kernels: %w", err)
	}
	return f, nil
}

// breakdown says where the time of a step, or of a batch alone, goes.
type breakdown struct {
	Steps    int        `json:"steps"`          // that were timed
	Seconds  float64    `json:"seconds"`        // of a step as it normally runs, per step as below
	Device   float64    `json:"device_seconds"` // sum of its calls, a captured graph as one
	Sum      float64    `json:"calls_seconds"`  // sum of its calls, those of a graph one by one
	Launches float64    `json:"calls_in_all"`
	Calls    []callTime `json:"calls"` // by name, the longest first
}

// callTime is the time of all calls of a name in a step.
type callTime struct {
	Name     string  `json:"name"`
	Launches float64 `json:"launches"`
	Seconds  float64 `json:"seconds"`
	Share    float64 `json:"share"` // of the sum
	// nominal rates; null where the work is not known or nothing is computed
	TFLOPS    *float64 `json:"tflop_per_second"`
	GigaBytes *float64 `json:"gigabytes_per_second"`
}

// mostTraced bounds the steps that are timed call by call.
const mostTraced = 20

// breakDown times the calls of steps for about d; seconds is the time of a step as it normally
// runs. The first step of each kind, which prepares, is not counted.
func (trace tracing) breakDown(
	d time.Duration, seconds float64, step func() error,
) (*breakdown, error) {
	r := &breakdown{
		Seconds: seconds, Steps: int(max(1, min(mostTraced, d.Seconds()/max(seconds, 1e-6)))),
	}
	steps := func(whole bool) ([]backend.Call, error) {
		if _, err := trace(whole, step); err != nil {
			return nil, err
		}
		return trace(whole, func() error {
			for range r.Steps {
				if err := step(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	whole, err := steps(true)
	if err != nil {
		return nil, err
	}
	calls, err := steps(false)
	if err != nil {
		return nil, err
	}
	each := 1 / float64(r.Steps)
	for _, c := range whole {
		r.Device += each * c.Seconds
	}
	flop, bytes := map[string]float64{}, map[string]float64{}
	for _, c := range calls {
		i := slices.IndexFunc(r.Calls, func(x callTime) bool { return x.Name == c.Name })
		if i < 0 {
			i = len(r.Calls)
			r.Calls = append(r.Calls, callTime{Name: c.Name})
		}
		r.Calls[i].Launches += each
		r.Calls[i].Seconds += each * c.Seconds
		r.Sum += each * c.Seconds
		r.Launches += each
		flop[c.Name] += each * c.FLOP
		bytes[c.Name] += each * c.Bytes
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		if r.Sum > 0 {
			c.Share = c.Seconds / r.Sum
		}
		c.TFLOPS = rateOf(flop[c.Name]/1e12, c.Seconds)
		c.GigaBytes = rateOf(bytes[c.Name]/1e9, c.Seconds)
	}
	slices.SortStableFunc(r.Calls, func(a, b callTime) int {
		return cmp.Compare(b.Seconds, a.Seconds)
	})
	return r, nil
}

// rateOf returns n ÷ seconds, nil without either.
func rateOf(n, seconds float64) *float64 {
	if n == 0 || seconds == 0 {
		return nil
	}
	rate := n / seconds
	return &rate
}

// write writes the table; of is "step" or "batch".
func (r *breakdown) write(w io.Writer, of string) error {
	width := len("kernel or copy")
	for _, c := range r.Calls {
		width = max(width, len([]rune(c.Name)))
	}
	fmt.Fprintf(w, "  %-*s %8s %9s %9s %6s %8s %8s\n", width, "kernel or copy", "a "+of, "µs each",
		"µs a "+of, "share", "TFLOP/s", "GB/s")
	number := func(x *float64, format string) string {
		if x == nil {
			return "-"
		}
		return fmt.Sprintf(format, *x)
	}
	for _, c := range r.Calls {
		fmt.Fprintf(w, "  %-*s %8.4g %9.1f %9.1f %5.1f%% %8s %8s\n", width, c.Name, c.Launches,
			1e6*c.Seconds/max(c.Launches, 1e-9), 1e6*c.Seconds, 100*c.Share,
			number(c.TFLOPS, "%.1f"), number(c.GigaBytes, "%.0f"))
	}
	for _, x := range []struct {
		what    string
		seconds float64
	}{
		{fmt.Sprintf("sum of %.4g calls", r.Launches), r.Sum},
		{"gaps between them in graphs", r.Device - r.Sum},
		{"the device idle: host and waiting", r.Seconds - r.Device},
		{"a " + of + " as it normally runs", r.Seconds},
	} {
		fmt.Fprintf(w, "  %-*s %9.1f µs\n", width+18, x.what, 1e6*x.seconds)
	}
	_, err := fmt.Fprintf(w, "  (means of %d; operations and bytes are nominal; in a graph a call takes 1 to 2 µs less)\n", r.Steps)
	return err
}
