package kernels

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/nn/cuda/driver"
)

// Work is what a launch computes by definition: operations, two for each multiplication and
// addition of a product, padded channels and borders included; and bytes, each array that it reads
// or writes counted once, whatever the caches do. Both are 0 where they are not known.
type Work struct {
	Name        string // of the kernel, with the shape of a product
	FLOP, Bytes float64
}

// WorkOf returns the work of a launch that a driver.Trace timed.
func WorkOf(c *driver.Call) Work {
	w := Work{Name: c.Name, Bytes: float64(c.Bytes)}
	if c.Source == nil || c.Args == nil {
		return w
	}
	r := &reader{args: c.Args, defines: map[string]float64{}}
	for _, d := range c.Source.Defines {
		name, value, _ := strings.Cut(d, "=")
		if n, err := strconv.Atoi(value); err == nil {
			r.defines[name] = float64(n)
		} else {
			r.defines[name] = 1
		}
	}
	r.element = r.defines["ELEMENT"]
	if r.element == 0 {
		r.element = 4
		if r.has("PRECISION_BF16") || r.has("PRECISION_FP16") {
			r.element = 2
		}
	}
	f := works[c.Name]
	switch {
	case c.Name == "product" || c.Name == "gradient":
		f = linearWork
	case r.has("LAYERED") || c.Source.Name == "any_shape.cu":
		f = layeredWorks[c.Name]
	}
	if f == nil {
		return w
	}
	r.blocks = c.Grid.Blocks
	known := f(r, c.Name)
	if r.missing {
		return w
	}
	if known.Name == "" {
		known.Name = w.Name
	}
	return known
}

// reader reads a launch's arguments and macros.
type reader struct {
	args    *driver.Args
	defines map[string]float64
	element float64 // bytes of an activation
	blocks  [3]int
	missing bool // an argument
}

func (r *reader) has(define string) bool {
	_, ok := r.defines[define]
	return ok
}

// n returns argument i, an integer.
func (r *reader) n(i int) float64 {
	if i < 0 || i >= r.args.Len() {
		r.missing = true
		return 0
	}
	switch kind, v := r.args.At(i); kind {
	case driver.ArgInt32:
		return float64(int32(v))
	case driver.ArgInt64:
		return float64(int64(v))
	}
	r.missing = true
	return 0
}

// given returns 1 if argument i is an address, 0 for a null pointer.
func (r *reader) given(i int) float64 {
	if i >= r.args.Len() {
		r.missing = true
		return 0
	}
	if _, v := r.args.At(i); v != 0 {
		return 1
	}
	return 0
}

// linearWork is that of a product or of its weights' gradient.
func linearWork(r *reader, name string) Work {
	in, out := r.defines["IN"], r.defines["OUT"]
	if r.has("GENERAL") {
		in, out = r.n(r.args.Len()-2), r.n(r.args.Len()-1)
	}
	taps, e := r.defines["TAPS"], r.element
	rows := r.n(4)
	if name == "gradient" {
		rows = r.n(3)
	}
	w, pass := Work{FLOP: 2 * rows * taps * in * out}, ""
	if name == "gradient" {
		parts := float64(int((rows + r.n(4) - 1) / r.n(4)))
		w.Bytes = rows*(in+out)*e + 4*parts*taps*in*out
	} else {
		w.Bytes = rows*(in+out*(1+r.given(2)))*e + taps*in*out*e
		if taps == 9 && !r.has("PLAIN") && !r.has("INFERENCE") { // its part in BatchNorm
			w.Bytes += rows*out*e*(r.given(5)+r.given(6)) +
				stretches(rows, out, MomentStretch)*r.given(10)
			if r.given(6) > 0 {
				pass = ", back"
			} else if r.given(10) > 0 {
				pass = ", forward"
			}
		}
	}
	kind := map[bool]string{true: ", plain"}[r.has("PLAIN")] +
		map[bool]string{true: ", wgmma"}[r.has("WGMMA")] +
		map[bool]string{true: ", any shape"}[r.has("GENERAL")]
	w.Name = fmt.Sprintf("%s %.0f×%.0f→%.0f%s%s", name, taps, in, out, pass, kind)
	return w
}

// traffic is the work of a kernel that computes little.
func traffic(bytes func(r *reader) float64) func(*reader, string) Work {
	return func(r *reader, _ string) Work { return Work{Bytes: bytes(r)} }
}

// stretches returns the bytes of BatchNorm's partial sums.
func stretches(positions, channels, stretch float64) float64 {
	return 8 * channels * float64(ceil(int(positions), max(1, int(stretch))))
}

// works are those of training's kernels and of the heads, by name.
var works = map[string]func(r *reader, name string) Work{
	"norm_moments": traffic(func(r *reader) float64 {
		return r.n(2)*r.n(3)*r.element + stretches(r.n(2), r.n(3), NormStretch)
	}),
	"norm_join":    traffic(func(r *reader) float64 { return stretches(r.n(1), r.n(2), r.n(3)) }),
	"norm_running": traffic(func(r *reader) float64 { return 12 * r.n(1) }),
	"norm_apply": traffic(func(r *reader) float64 {
		return 4 * r.n(6) * r.element * (2 + r.given(1))
	}),
	"norm_gate": traffic(func(r *reader) float64 {
		return r.n(7)*r.n(8)*r.element*(3+r.given(0)) + stretches(r.n(7), r.n(8), NormStretch)
	}),
	"norm_backward": traffic(func(r *reader) float64 {
		return 4 * r.n(6) * r.element * (3 + 2*r.given(9))
	}),
	"observe": traffic(func(r *reader) float64 {
		return r.n(2) * (4*r.n(3) + r.n(5)*r.element)
	}),
	"pack": traffic(func(r *reader) float64 {
		taps, filters := r.n(3), r.n(5)
		stem, others := taps*r.n(4)*filters, taps*r.n(6)*filters*filters+r.n(8)*r.n(9)
		return stem*(4+r.element) + others*(4+2*r.element)
	}),
	"sum_parts": traffic(func(r *reader) float64 {
		bytes := 0.0
		if r.given(0) > 0 {
			bytes = stretches(r.n(1), r.n(2), r.n(3))
		}
		for i := 10; i < r.args.Len(); i += 4 {
			bytes += 4 * r.n(i+2) * (r.n(i+3) + 1)
		}
		return bytes
	}),
	"squares": traffic(func(r *reader) float64 { return 4 * (r.n(1) + r.n(3)) }),
	"sgd": traffic(func(r *reader) float64 {
		return 20*r.n(3) + 12*(r.n(10)+r.n(11)*r.given(9))
	}),
	"adam": traffic(func(r *reader) float64 {
		return 28*r.n(4) + 12*(r.n(13)+r.n(14)*r.given(12))
	}),
	"exchange": traffic(func(r *reader) float64 { return 16 * r.n(2) }),
	"compare":  traffic(func(r *reader) float64 { return 8 * r.n(2) }),
	"softmax_loss": traffic(func(r *reader) float64 {
		return 4 * r.n(6) * r.n(7) * (3*r.n(8) + 4)
	}),
	"logit_loss": traffic(func(r *reader) float64 { return 4 * r.n(4) * (4*r.n(5) + 2) }),
	"measure": traffic(func(r *reader) float64 {
		return float64(r.blocks[0]) * r.n(5) *
			(16*(r.n(1)+r.given(2)) + 4*(r.given(8)+r.given(9)) + 128*r.given(11))
	}),
	"decide":       traffic(func(r *reader) float64 { return 16 * r.n(1) }),
	"judge":        traffic(func(r *reader) float64 { return 16 * r.n(1) }),
	"join":         traffic(func(r *reader) float64 { return 4 * r.n(2) * (r.n(3) + 1) }),
	"squared_loss": traffic(func(r *reader) float64 { return 28 * r.n(3) }),
	"cells_loss": traffic(func(r *reader) float64 {
		return r.n(5) * (r.n(7)*(r.n(6)+8*r.n(8)) + 8)
	}),
	"seats_loss": traffic(func(r *reader) float64 { return 4 * r.n(4) * (3*r.n(5) + 2) }),
	"belief_loss": traffic(func(r *reader) float64 {
		return r.n(6) * (r.n(7) + 16*r.n(8) + 4 + 128)
	}),
	"hidden_relu": traffic(func(r *reader) float64 { return 2 * r.n(2) * r.element }),
	"value_logits": func(r *reader, _ string) Work {
		logits := r.n(4) * r.n(5) * r.n(7)
		return Work{
			FLOP: 2 * logits * r.n(6), Bytes: r.n(4)*r.n(8)*r.element + 4*logits,
		}
	},
	"value_backward": func(r *reader, _ string) Work {
		logits := r.n(4) * r.n(5) * r.n(7)
		return Work{
			FLOP: 2 * logits * r.n(6), Bytes: 2*r.n(4)*r.n(9)*r.element + 4*logits,
		}
	},
	"map_dots": func(r *reader, _ string) Work {
		return Work{
			FLOP:  2 * r.n(4) * r.n(5) * r.n(6),
			Bytes: r.n(4) * (r.n(5)*r.element + 4*r.n(6)),
		}
	},
	"cell_mean": traffic(func(r *reader) float64 { return 4 * r.n(2) * r.element * (1 + r.n(4)) }),
	"policy_logits": traffic(func(r *reader) float64 {
		return 4 * r.n(3) * (r.n(4)*r.n(5) + r.n(4) + r.n(5) - 1)
	}),
	"policy_spread": traffic(func(r *reader) float64 {
		return 4 * r.n(2) * (r.n(3)*r.n(4) + r.n(3) + r.n(4) - 1)
	}),
	"policy_hidden": traffic(func(r *reader) float64 {
		return r.n(3) * 2 * r.n(4) * (4 + r.element)
	}),
	"policy_dense": func(r *reader, _ string) Work {
		return Work{
			FLOP:  4 * r.n(4) * r.n(5) * r.n(6),
			Bytes: r.n(4) * (2*r.n(6)*r.element + 4*r.n(5)),
		}
	},
	"policy_dense_backward": func(r *reader, _ string) Work {
		return Work{
			FLOP:  4 * r.n(4) * r.n(5) * r.n(6),
			Bytes: r.n(4) * (2*r.n(6)*(r.element+4) + 4*r.n(5)),
		}
	},
	"map_backward": func(r *reader, _ string) Work {
		n := 4 * r.n(3)
		return Work{
			FLOP: 2 * n * r.n(5), Bytes: 2*n*r.element + 4*n/r.n(4)/r.n(6)*r.n(5),
		}
	},
	"outer_parts": func(r *reader, _ string) (w Work) {
		for i := 1; i < r.args.Len(); i += 9 {
			rows, n, m := r.n(i+2), r.n(i+4), r.n(i+5)
			if n == 0 {
				break
			}
			w.FLOP += 2 * rows * n * m * r.given(i) * r.given(i+1)
			w.Bytes += rows*(4*n*r.given(i)+n/r.n(i+6)*m*r.element*r.given(i+1)) +
				4*float64(ceil(int(rows), int(r.n(i+3))))*n*m
		}
		return w
	},

	"tower": func(r *reader, _ string) Work {
		d, n := r.defines, r.n(4)
		taps := 9.0
		if d["CELLS"] == 1 {
			taps = 1
		}
		blocks, planes := r.n(5), r.n(6)
		weights := taps * (planes*d["CHANNELS"] + 2*blocks*d["CHANNELS"]*d["CHANNELS"])
		return Work{
			FLOP: 2 * n * d["CELLS"] * weights,
			Bytes: n*d["CELLS"]*(4*planes+d["CHANNELS"]*r.element) +
				weights*r.element,
		}
	},
	"heads": func(r *reader, _ string) Work {
		split, n := r.n(6), r.n(7)
		inputs, columns, maps, logits := r.n(8)*r.n(9), r.n(10), r.n(11), 0.0
		if maps > 0 {
			logits = r.n(12)
		}
		dense := maps * r.n(8) * logits * r.n(14)
		return Work{
			FLOP: 2 * n * (inputs*(columns+maps) + dense),
			Bytes: n*(inputs*r.element+4*(split*columns+logits)) +
				inputs*columns*r.element,
		}
	},
	"values": func(r *reader, _ string) Work {
		split, n, players := r.n(4), r.n(5), r.n(6)
		return Work{
			FLOP: 2 * n * players * r.n(7) * r.n(9), Bytes: 4 * n * (split*r.n(8) + players),
		}
	},
}

// layeredWorks are those of inference with one launch per layer.
var layeredWorks = map[string]func(r *reader, name string) Work{
	"planes": traffic(func(r *reader) float64 {
		return r.n(2) * r.n(4) * (4*r.n(3) + r.element*r.n(5))
	}),
	"layer": func(r *reader, _ string) Work {
		rows, in, out, taps := r.n(5), r.n(6), r.n(7), r.n(8)
		return Work{
			Name:  fmt.Sprintf("layer %.0f×%.0f→%.0f", taps, in, out),
			FLOP:  2 * rows * taps * in * out,
			Bytes: 4*rows*(in+out*(1+r.given(3))) + 4*taps*in*out,
		}
	},
	"maps": func(r *reader, _ string) Work {
		return Work{
			FLOP:  2 * r.n(3) * r.n(4) * r.n(5),
			Bytes: r.n(3) * (r.element*r.n(4) + 4*r.n(5)),
		}
	},
	"policy": traffic(func(r *reader) float64 {
		return 4 * r.n(3) * (r.n(5)*r.n(6) + r.n(4))
	}),
	"values": func(r *reader, _ string) Work {
		return Work{
			FLOP:  2 * r.n(3) * r.n(4) * r.n(5) * r.n(7),
			Bytes: 4 * r.n(3) * (r.n(6) + r.n(4)),
		}
	},
}
