//go:build slow

package trainer

import (
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tengen/configs"
	"tengen/internal/random"
	"tengen/metrics"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/backend/cudabackend"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/nntest"
	"tengen/nn/train"
	"tengen/replay"
	"tengen/run"
	"tengen/vfs"
)

// quickProduct and quickGradient compute what train_product.cu and train_gradient.cu do: the same
// factors, rounded as there, summed in fp32 in another order, and the results rounded as there. One
// thread does all, with gcc's vectors, a hundred times as fast as the emulation of matrix
// instructions.
const quickParts = `#include "train_element.h"
typedef float v8 __attribute__((vector_size(32), aligned(4)));
#define NO_CHECKS __attribute__((optimize("O3"), no_sanitize("undefined")))
#define CELLS (HEIGHT * WIDTH)
static NO_CHECKS float factor(element x) {
	float f = element_to_float(x);
#if PRECISION_TF32
	f = __uint_as_float(float_to_tf32(f));
#endif
	return f;
}
static NO_CHECKS int on_board(int p, int t) {
	if (TAPS == 1) return 1;
	int cell = p % CELLS, y = cell / WIDTH + t / 3 - 1, x = cell % WIDTH + t % 3 - 1;
	return y >= 0 && y < HEIGHT && x >= 0 && x < WIDTH;
}
static int offset(int t) { return TAPS == 1 ? 0 : (t / 3 - 1) * WIDTH + t % 3 - 1; }
static float zeros[IN > OUT ? IN : OUT];
`

const quickProduct = quickParts + `
static float weights[TAPS * IN * OUT], all[MOST * IN];
static NO_CHECKS void multiply(const element *x, const element *w, const element *add, element *y, int positions) {
	for (int o = 0; o < OUT; o++)
		for (int t = 0; t < TAPS; t++)
			for (int i = 0; i < IN; i++) weights[(t * IN + i) * OUT + o] = factor(w[(o * TAPS + t) * IN + i]);
	for (int i = 0; i < positions * IN; i++) all[i] = factor(x[i]);
	for (int p = 0; p < positions; p += 4)
		for (int o = 0; o < OUT; o += 16) {
			v8 s[4][2] = {};
			for (int t = 0; t < TAPS; t++) {
				const float *from[4], *f = weights + t * IN * OUT + o;
				for (int k = 0; k < 4; k++) {
					int q = p + k;
					from[k] = q < positions && on_board(q, t) ? all + (q + offset(t)) * IN : zeros;
				}
				for (int i = 0; i < IN; i++, f += OUT) {
					v8 a = *(const v8 *)f, b = *(const v8 *)(f + 8);
					for (int k = 0; k < 4; k++) {
						s[k][0] += from[k][i] * a;
						s[k][1] += from[k][i] * b;
					}
				}
			}
			for (int k = 0; k < 4 && p + k < positions; k++)
				for (int c = 0; c < 16; c++) {
					int at = (p + k) * OUT + o + c;
					float sum = s[k][c / 8][c % 8];
					y[at] = float_to_element(add ? sum + element_to_float(add[at]) : sum);
				}
		}
}
#if TAPS == 9 && !PLAIN /* the part in BatchNorm, as train_product.cu has it */
#define NORM_PARAMETERS , const element *out, const element *z, const float *mean, float *part
static NO_CHECKS void normalize(element *y, int positions NORM_PARAMETERS) {
	for (int first = 0; first < positions; first += 64, part += 2 * OUT)
		for (int o = 0; o < OUT; o++) {
			int last = min(first + 64, positions);
			float sum = 0, second = 0;
			for (int p = first; p < last; p++) {
				int at = p * OUT + o;
				if (out && element_to_float(out[at]) <= 0) y[at] = float_to_element(0);
				float d = element_to_float(y[at]);
				sum += d;
				if (out) second += d * (element_to_float(z[at]) - mean[o]);
			}
			if (!out) {
				sum /= last - first;
				for (int p = first; p < last; p++) {
					float d = element_to_float(y[p * OUT + o]) - sum;
					second += d * d;
				}
			}
			part[o] = sum;
			part[OUT + o] = second;
		}
}
#else
#define NORM_PARAMETERS
#endif
KERNEL(product)(const element *x, const element *w, const element *add, element *y, int positions NORM_PARAMETERS) {
	if (threadIdx.x || blockIdx.x) return;
	multiply(x, w, add, y, positions);
#if TAPS == 9 && !PLAIN
	if (part) normalize(y, positions, out, z, mean, part);
#endif
}
`

const quickGradient = quickParts + `
static float all[MOST * IN], gradients[MOST * OUT];
static NO_CHECKS void multiply(const element *x, const element *dz, float *part, int positions, int length) {
	for (int i = 0; i < positions * IN; i++) all[i] = factor(x[i]);
	for (int i = 0; i < positions * OUT; i++) gradients[i] = factor(dz[i]);
	for (int begin = 0; begin < positions; begin += length, part += TAPS * IN * OUT)
		for (int t = 0; t < TAPS; t++)
			for (int i = 0; i < IN; i += 4)
				for (int o = 0; o < OUT; o += 16) {
					v8 s[4][2] = {};
					int end = min(begin + length, positions);
					for (int p = begin; p < end; p++) {
						if (!on_board(p, t)) continue;
						const float *d = gradients + p * OUT + o, *f = all + (p + offset(t)) * IN + i;
						v8 a = *(const v8 *)d, b = *(const v8 *)(d + 8);
						for (int k = 0; k < 4; k++) {
							s[k][0] += f[k] * a;
							s[k][1] += f[k] * b;
						}
					}
					for (int k = 0; k < 4; k++)
						for (int c = 0; c < 16; c++) part[(t * IN + i + k) * OUT + o + c] = s[k][c / 8][c % 8];
				}
}
KERNEL(gradient)(const element *x, const element *dz, float *part, int positions, int length) {
	if (threadIdx.x == 0 && blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0) multiply(x, dz, part, positions, length);
}
`

// quick returns an emulated device whose products are the quick ones, of at most so many positions.
func quick(t testing.TB, positions int) driver.API {
	return fake.Compiling(fake.Ampere(t, 1), func(s *driver.Source) error {
		switch s.Name {
		case "train_product.cu":
			s.Text = quickProduct
		case "train_gradient.cu":
			s.Text = quickGradient
		default:
			return nil
		}
		s.Defines = append(slices.Clone(s.Defines), fmt.Sprintf("MOST=%d", positions))
		return nil
	})
}

// trainedBy trains on another backend.
type trainedBy struct {
	backend.Backend
	trainer func(*nn.Params, train.Config) (train.Trainer, error)
}

func (b trainedBy) NewTrainer(p *nn.Params, c train.Config) (train.Trainer, error) {
	return b.trainer(p, c)
}

// emulated returns a backend that trains on an emulated device in a precision, and evaluates on the
// processor.
func emulated(t testing.TB, api driver.API, precision string) backend.Backend {
	t.Helper()
	b, err := cudabackend.New(api, backend.Spec{Kind: backend.CUDA, Training: precision},
		cudabackend.Options{Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return trainedBy{backend.NewCPU(), b.NewTrainer}
}

// TestQuickProducts compares steps with the quick products with those of the kernels.
func TestQuickProducts(t *testing.T) {
	spec := nntest.AllSpecs()[0]
	c, rng := train.DefaultConfig(), random.New(1, random.Test)
	c.Batch, c.Optimizer = 24, train.OptimizerSGD
	p, b := nntest.Random(spec, rng), train.RandomBatch(spec, c.Batch, rng)
	for _, precision := range []string{backend.BF16, backend.TF32, backend.FP32} {
		var all [2][]float64
		for i, api := range []driver.API{
			fake.Ampere(t, 1), quick(t, c.Batch*spec.Cells()),
		} {
			trainer, err := emulated(t, api, precision).NewTrainer(p, c)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				l, err := trainer.Step(b)
				if err != nil {
					t.Fatal(err)
				}
				all[i] = append(all[i], l.Total, l.GradientNorm)
			}
		}
		for i, want := range all[0] {
			// A sum in another order is rounded to another bf16 number here and there.
			limit := map[string]float64{backend.BF16: 2e-2}[precision] + 1e-5
			if by := math.Abs(all[1][i]-want) / want; !(by <= limit) {
				t.Errorf("%s: %g, the kernels %g", precision, all[1][i], want)
			}
		}
	}
}

// BenchmarkPrecisions trains a network of 20 blocks × 32 filters on a fixed window of UCT's games
// of quick, b.N steps of 64 rows on an emulated device in each precision, and reports the losses on
// held-out games. The seeds differ in the first weights alone.
func BenchmarkPrecisions(b *testing.B) {
	r, err := configs.Resolve(configs.Options{Name: "quick", Set: []string{
		"network.blocks=20", "network.filters=32", "training.batch=64", "training.warmup_steps=20",
		"training.iterations=1", "training.games=1", "warm_start.initial_games=400",
		"warm_start.simulations=64", "warm_start.initial_epochs=0", "replay.held_out=0.2",
		"selfplay.workers=1", "search.simulations=1", "training.max_steps=1", "evaluation.every=0",
		"metrics.address=",
	}})
	if err != nil {
		b.Fatal(err)
	}
	plan, err := NewPlan(&r.Config)
	if err != nil {
		b.Fatal(err)
	}
	dir := run.Folder(filepath.Join(b.TempDir(), "run"))
	if err := Run(b.Context(), Options{
		Plan: plan, Folder: dir, Monitor: new(Monitor), Metrics: metrics.New(nil),
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}); err != nil {
		b.Fatal(err)
	}
	games, _, err := replay.Load(vfs.OS{}, dir.Replay())
	if err != nil {
		b.Fatal(err)
	}
	api := quick(b, plan.Train.Batch*plan.Spec.Cells())
	for seed := range uint64(3) {
		p, err := nn.NewParams(plan.Spec)
		if err != nil {
			b.Fatal(err)
		}
		p.Init(random.New(seed, random.Test))
		for _, precision := range []string{backend.FP32, backend.TF32, backend.BF16} {
			b.Run(fmt.Sprintf("%s/seed=%d", precision, seed), func(b *testing.B) {
				plan.Backend = emulated(b, api, precision)
				u, err := newUpdater(plan, p)
				if err != nil {
					b.Fatal(err)
				}
				defer u.Close()
				if _, err := u.Add(b.Context(), games); err != nil {
					b.Fatal(err)
				}
				got, err := u.Through(b.Context(), 1, b.N,
					func(share float64) float64 { return share })
				if err != nil || got.HeldOut == nil {
					b.Fatal(got, err)
				}
				b.ReportMetric(got.HeldOut.Policy, "policy")
				b.ReportMetric(got.HeldOut.Value, "value")
				b.ReportMetric(got.Losses.Policy, "trained-policy")
				b.ReportMetric(got.Losses.Value, "trained-value")
			})
		}
	}
}
