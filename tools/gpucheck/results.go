package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// results are the measurements and the figures.
type results struct {
	Device string `json:"device"` // as tengen describes it
	// what nvidia-smi says of devices and driver, the system, the processor and its cores
	Machine   []string        `json:"machine"`
	Kernels   []kernel        `json:"kernels"` // in the order in which they were tried
	Errors    []deviation     `json:"errors"`
	Parts     []part          `json:"parts"`
	Tests     []test          `json:"tests"`
	Inference []networks      `json:"inference"`
	Training  []networks      `json:"training"`
	Others    []networks      `json:"others"`  // inference and training of other networks
	Heads     []networks      `json:"heads"`   // steps of presets with heads or losses of their own
	Conv      []networks      `json:"conv"`    // steps of two blocks, whose convolutions count
	Devices   []networks      `json:"devices"` // inference and training of several devices
	Feed      []feed          `json:"feed"`
	SelfPlay  *selfPlay       `json:"selfplay"`
	Together  *selfPlay       `json:"selfplay_of_devices"` // of several
	Run       *shortRun       `json:"run"`
	Precision []learned       `json:"precision"`
	Failed    []missing       `json:"failed"`
	Torch     json.RawMessage `json:"torch"`
	Figures   []figure        `json:"figures"`

	torch torch
}

// part is the outcome of a part of the script.
type part struct {
	Name    string `json:"name"`
	Seconds string `json:"seconds"`
	Status  string `json:"status"` // "0"; "124" ran out of time; "skipped: " and why
}

// missing is a measurement that failed or was left no time.
type missing struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Why    string `json:"why"` // the last line of its log
}

// test is a test of the device.
type test struct {
	Name   string `json:"name"`
	Result string `json:"result"` // PASS, FAIL, SKIP, CUT OFF or NO TIME
}

// shortRun is a run of some iterations, and the same one killed and resumed.
type shortRun struct {
	Iterations int     `json:"iterations"`
	Seconds    float64 `json:"seconds"` // of the uninterrupted one
	Killed     bool    `json:"killed"`  // false if the other ended before
	Differ     float64 `json:"files_that_differ"`
}

// learned is what training in a precision made of the games of a seed.
type learned struct {
	Precision string `json:"precision"`
	Seed      int    `json:"seed"`
	Steps     int    `json:"steps"`
	HeldOut   struct {
		Policy float64 `json:"policy"`
		Value  float64 `json:"value"`
	} `json:"held_out"` // nats
}

// loss is the sum of both.
func (l *learned) loss() float64 { return l.HeldOut.Policy + l.HeldOut.Value }

// kernel is a line of tengen's log about kernels: that they were measured, passed over, or are
// used.
type kernel struct {
	Outcome string `json:"outcome"` // measured, passed over, used
	Text    string `json:"text"`    // the way, the plan, the time or the reason
}

// deviation is a difference from the float64 reference that a test of the device logs.
type deviation struct {
	Precision string  `json:"precision"`
	Of        string  `json:"of"`    // policy, values, loss
	Got       float64 `json:"got"`   // of the numbers' spread; of the loss
	Limit     float64 `json:"limit"` // of the test
	Network   string  `json:"network"`
}

// networks is what tengen bench nn and bench train print for a device.
type networks struct {
	Device      string   `json:"device"`
	Description string   `json:"description"`
	BF16        *float64 `json:"bf16_flop_per_second"`
	TF32        *float64 `json:"tf32_flop_per_second"`
	FP32        *float64 `json:"fp32_flop_per_second"`
	Copy        *float64 `json:"copy_bytes_per_second"`
	Why         string   `json:"not_measured,omitempty"`
	of          []string // the words of the file's name
	Networks    []struct {
		Game       string   `json:"game"`
		Network    string   `json:"network"`
		Precision  string   `json:"precision"`
		Batch      int      `json:"batch"`
		Seconds    float64  `json:"seconds_per_batch"`
		OneWorker  float64  `json:"positions_per_second_one_worker"`
		AllWorkers float64  `json:"positions_per_second_all_workers"`
		TFLOPS     float64  `json:"tflop_per_second"`
		Devices    int      `json:"devices"`
		OfPeak     *float64 `json:"of_peak"`
		Kernels    *kernels `json:"kernels,omitempty"`
	} `json:"networks"`
}

// kernels is where the time of a step or of a batch goes.
type kernels struct {
	Seconds float64 `json:"seconds"`        // as it normally runs
	Device  float64 `json:"device_seconds"` // of its calls, a graph as one
	Sum     float64 `json:"calls_seconds"`  // of its calls, one by one
	InAll   float64 `json:"calls_in_all"`   // their number
	Calls   []struct {
		Name      string   `json:"name"`
		Launches  float64  `json:"launches"`
		Seconds   float64  `json:"seconds"`
		Share     float64  `json:"share"`
		TFLOPS    *float64 `json:"tflop_per_second"`
		GigaBytes *float64 `json:"gigabytes_per_second"`
	} `json:"calls"`
}

// feed is self-play with a number of games for each worker.
type feed struct {
	Games  int  `json:"games_per_worker"`
	Cached bool `json:"cached,omitempty"`
	selfPlay
}

// selfPlay is what tengen bench selfplay prints.
type selfPlay struct {
	On struct {
		Device string `json:"device"`
	} `json:"on_device"`
	Workers     int      `json:"workers"`
	Evaluations float64  `json:"evaluations_per_second"`
	FromCache   float64  `json:"cache_hits_per_second"`
	Simulations float64  `json:"simulations_per_second"`
	Fill        float64  `json:"batch_fill"`
	Games       float64  `json:"games_per_hour"`
	Busy        *float64 `json:"device_busy"`
	Waiting     float64  `json:"workers_waiting"`
	Alone       float64  `json:"network_alone_evaluations_per_second"`
	Hours       *float64 `json:"paper_games_hours"`
	Uncached    *float64 `json:"paper_games_hours_without_cache"`
}

// torch is the output of tools/measure/torch/torch_gpu.py, as far as figures use it.
type torch struct {
	Version   string   `json:"torch"`
	Inference *float64 `json:"best_inference_bf16"`
	Training  *float64 `json:"best_training_tf32"`
	Mixed     *float64 `json:"best_training_bf16"`
}

// read reads the results in a folder. It skips missing and damaged files; their parts and
// figures show that.
func read(folder string) *results {
	r := &results{
		Inference: readNetworks(folder, "inference-*.json"),
		Training:  readNetworks(folder, "training-*.json"),
		Others:    readNetworks(folder, "other-*.json"), Feed: readFeed(folder), Tests: []test{},
		Heads: readNetworks(folder, "heads-*.json"),
		Conv:  readNetworks(folder, "conv-*.json"), Precision: readLearned(folder),
		Parts: readParts(filepath.Join(folder, "parts.txt")), Failed: []missing{},
	}
	for _, pattern := range []string{"devices-nn.json", "devices-train.json"} {
		r.Devices = append(r.Devices, readNetworks(folder, pattern)...)
	}
	for _, w := range readWords(filepath.Join(folder, "failed.txt")) {
		r.Failed = append(r.Failed, missing{w[0], w[1], w[2]})
	}
	for name, to := range map[string]**selfPlay{
		"selfplay.json": &r.SelfPlay, "devices-selfplay.json": &r.Together,
	} {
		if s := new(selfPlay); readJSON(filepath.Join(folder, name), s) == nil {
			*to = s
		}
	}
	if s := new(shortRun); readJSON(filepath.Join(folder, "run.json"), s) == nil {
		r.Run = s
	}
	if readJSON(filepath.Join(folder, "torch.json"), &r.torch) == nil {
		r.Torch, _ = os.ReadFile(filepath.Join(folder, "torch.json"))
	}
	r.Tests = readTests(filepath.Join(folder, "tests.txt"))
	r.Errors = readErrors(filepath.Join(folder, "tests.txt"))
	r.Kernels = readKernels(filepath.Join(folder, "device.txt"), filepath.Join(folder, "bench.txt"),
		filepath.Join(folder, "tests.txt"))
	for _, file := range []string{"nvidia-smi.csv", "machine.txt"} {
		r.Machine = append(r.Machine, lines(filepath.Join(folder, file))...)
	}
	for _, n := range append(slices.Clone(r.Inference), r.Training...) {
		r.Device = n.Device + ": " + n.Description
		break
	}
	return r
}

// readNetworks reads documents of bench nn or bench train, one for each network and batch, in the
// order of their batches.
func readNetworks(folder, pattern string) []networks {
	all := []networks{}
	for _, file := range list(folder, pattern) {
		var n networks
		if readJSON(file, &n) == nil && len(n.Networks) > 0 {
			n.of = strings.Split(strings.TrimSuffix(filepath.Base(file), ".json"), "-")
			for i := range n.Networks {
				one := n
				one.Networks = n.Networks[i : i+1]
				all = append(all, one)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b networks) int {
		return a.Networks[0].Batch - b.Networks[0].Batch
	})
	return all
}

// readFeed reads self-play by the number of games: "feed-64.json", "feed-64-cached.json".
func readFeed(folder string) []feed {
	all := []feed{}
	for _, file := range list(folder, "feed-*.json") {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "feed-"), ".json")
		games, rest, _ := strings.Cut(name, "-")
		f := feed{Cached: rest != ""}
		var err error
		if f.Games, err = strconv.Atoi(games); err == nil &&
			readJSON(file, &f.selfPlay) == nil {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b feed) int { return a.Games - b.Games })
	return all
}

// readLearned reads the last events of runs: "precision-bf16-1.json".
func readLearned(folder string) []learned {
	all := []learned{}
	for _, file := range list(folder, "precision-*.json") {
		words := strings.Split(strings.TrimSuffix(filepath.Base(file), ".json"), "-")
		l := learned{}
		if len(words) != 3 || readJSON(file, &l) != nil || l.HeldOut.Value == 0 {
			continue
		}
		var err error
		if l.Seed, err = strconv.Atoi(words[2]); err == nil {
			l.Precision = words[1]
			all = append(all, l)
		}
	}
	return all
}

func list(folder, pattern string) []string {
	files, _ := filepath.Glob(filepath.Join(folder, pattern)) // the pattern is valid
	slices.Sort(files)
	return files
}

func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	return err
}

// readParts parses lines of name, seconds and status.
func readParts(path string) []part {
	list := []part{}
	for _, w := range readWords(path) {
		list = append(list, part{w[0], w[1], w[2]})
	}
	return list
}

// readWords parses lines of two words and a rest.
func readWords(path string) (list [][3]string) {
	for _, line := range lines(path) {
		if words := strings.SplitN(line, " ", 3); len(words) == 3 {
			list = append(list, [3]string(words))
		}
	}
	return list
}

// ended are lines of a Go test's verbose output, and of the script about a test that was cut off or
// was left no time.
var ended = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP|CUT OFF|NO TIME): (\S+)`)

func readTests(path string) []test {
	list := []test{}
	for _, line := range lines(path) {
		if m := ended.FindStringSubmatch(line); m != nil {
			list = append(list, test{m[2], m[1]})
		}
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") {
			list = append(list, test{line, "FAIL"})
		}
	}
	return list
}

// aboutKernels are the lines of tengen's log about kernels.
var aboutKernels = regexp.MustCompile(`(INF|WRN|ERR) (kernels measured|training: kernels measured|kernels passed over|inference|training: a slow kernel replaces a fast one|training: kernels for networks of every shape are used|compiled kernels) (.*)`)

// readKernels reads those lines, each once.
func readKernels(paths ...string) []kernel {
	list := []kernel{}
	seen := map[kernel]bool{}
	for _, path := range paths {
		for _, line := range lines(path) {
			m := aboutKernels.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			k := kernel{"passed over", m[3]}
			switch m[2] {
			case "kernels measured":
				k.Outcome = "measured"
			case "training: kernels measured":
				k = kernel{"measured", "training: " + m[3]}
			case "inference":
				k.Outcome = "used"
			case "training: kernels for networks of every shape are used":
				k = kernel{"used", "training, of every shape: " + m[3]}
			case "training: a slow kernel replaces a fast one":
				k.Text = "training: " + m[3]
			case "compiled kernels":
				k.Outcome = "remark"
			}
			if !seen[k] {
				seen[k] = true
				list = append(list, k)
			}
		}
	}
	return list
}

// offBy are the lines of cudabackend's tests: "off by 0.0123 of at most 0.1: bf16 policy, 8 × 128
// on …".
var offBy = regexp.MustCompile(`off by (\S+) of at most (\S+): (\S+) (\S+), (.*)`)

// readErrors reads those lines; of several for a precision and kind of numbers, the one that is
// nearest to its limit.
func readErrors(path string) []deviation {
	list := []deviation{}
	for _, line := range lines(path) {
		m := offBy.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		got, err := strconv.ParseFloat(m[1], 64)
		limit, e := strconv.ParseFloat(m[2], 64)
		if err != nil || e != nil || math.IsNaN(got) || math.IsInf(got, 0) || math.IsNaN(limit) ||
			math.IsInf(limit, 0) {
			continue // JSON has no such numbers; the test fails then
		}
		x := deviation{m[3], m[4], got, limit, m[5]}
		i := slices.IndexFunc(list, func(y deviation) bool {
			return y.Precision == x.Precision && y.Of == x.Of
		})
		switch {
		case i < 0:
			list = append(list, x)
		case x.Got*list[i].Limit > list[i].Got*x.Limit:
			list[i] = x
		}
	}
	return list
}

func lines(path string) []string {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || err != nil {
		return nil
	}
	defer f.Close()
	var list []string
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		list = append(list, s.Text())
	}
	return list
}
