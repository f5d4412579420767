package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tengen/cmd"
	"tengen/configs"
	"tengen/nn/backend"
	"tengen/nn/backend/cudabackend"
	"tengen/nn/cuda/driver/fake"
	"tengen/trainer"
)

// folder returns a folder with the results of a check in which everything was measured.
func folder(t *testing.T, change map[string]string) string {
	t.Helper()
	files := map[string]string{
		"parts.txt":                "device 9 0\ninference 90 0\ntraining 20 0\nselfplay 50 0\ntests 60 0\ntorch 100 0\n",
		"inference-bf16-4096.json": `{"device": "cuda:0", "description": "NVIDIA H200", "networks": [{"precision": "bf16", "batch": 4096, "seconds_per_batch": 0.002, "positions_per_second_one_worker": 2.5e6, "positions_per_second_all_workers": 3e6, "tflop_per_second": 354, "of_peak": 0.44}]}`,
		"inference-bf16-64.json": `{"device": "cuda:0", "description": "NVIDIA H200", "bf16_flop_per_second": 8e14, "tf32_flop_per_second": 4e14, "fp32_flop_per_second": 5e13, "copy_bytes_per_second": 4e12,
			"networks": [{"precision": "bf16", "batch": 64, "positions_per_second_one_worker": 4e5, "of_peak": 0.05}]}`,
		"inference-tf32-512.json": `{"device": "cuda:0", "networks": [{"precision": "tf32", "batch": 512, "positions_per_second_one_worker": 9e6, "of_peak": 0.9}]}`,
		"training-tf32.json":      `{"device": "cuda:0", "networks": [{"precision": "tf32", "batch": 4096, "positions_per_second_one_worker": 4e5, "of_peak": 0.3, "kernels": {"calls_in_all": 163, "calls": []}}]}`,
		"selfplay.json":           `{"workers": 16, "evaluations_per_second": 2e6, "device_busy": 0.8, "workers_waiting": 0.3, "paper_games_hours": 0.4}`,
		"torch.json":              `{"torch": "2.6", "best_inference_bf16": 1.2e6, "best_training_tf32": 3e5, "best_training_bf16": null, "failed": {}}`,
		"heads-go9.json":          `{"device": "cuda:0", "networks": [{"network": "3 blocks", "precision": "tf32", "batch": 256, "seconds_per_batch": 0.0015, "positions_per_second_one_worker": 170000}]}`,
		"training-bf16.json": `{"device": "cuda:0", "networks": [{"game": "go:size=5,players=3", "network": "8 blocks × 128 filters, conv policy", "precision": "bf16", "batch": 4096, "seconds_per_batch": 0.005},
			{"game": "go:size=5,players=3", "network": "8 blocks × 128 filters, conv policy", "precision": "bf16", "batch": 256, "seconds_per_batch": 0.0007}]}`,
		"other-train-10x128-9x9-1024.json":  `{"networks": [{"game": "go:size=9,players=2", "network": "10 blocks × 128 filters, conv policy", "precision": "bf16", "batch": 1024, "seconds_per_batch": 0.0045}]}`,
		"other-train-20x256-19x19-256.json": `{"networks": [{"game": "go:size=19,players=2", "network": "20 blocks × 256 filters, conv policy", "precision": "bf16", "batch": 256, "seconds_per_batch": 0.036}]}`,
		"other-nn-20x256-19x19-1024.json":   `{"networks": [{"game": "go:size=19,players=2", "network": "20 blocks × 256 filters, conv policy", "precision": "bf16", "batch": 1024, "positions_per_second_all_workers": 27000}]}`,
		"conv-5x5x128.json": `{"networks": [{"precision": "bf16", "batch": 4096, "kernels": {"calls": [{"name": "product 9×128→128", "launches": 8, "seconds": 6e-4, "tflop_per_second": 560},
			{"name": "gradient 9×128→128", "launches": 4, "seconds": 3e-4, "tflop_per_second": 528}, {"name": "product 9×16→128", "launches": 1, "seconds": 1e-5, "tflop_per_second": 90},
			{"name": "sum_parts", "launches": 5, "seconds": 5e-5, "gigabytes_per_second": 900}]}}]}`,
		"run.json":  `{"iterations": 8, "seconds": 9, "killed": true, "files_that_differ": 0}`,
		"tests.txt": "=== RUN   TestDeviceInference\n--- PASS: TestDeviceInference (9.00s)\n    --- PASS: TestDeviceInference/part (1.0s)\nPASS\n",
	}
	for name, text := range change {
		files[name] = text
	}
	dir := t.TempDir()
	for name, text := range files {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The status and the table show what is reached, missed and not measured.
func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		change map[string]string
		status int
		says   []string
	}{
		"all reached": {nil, reached,
			[]string{
				"cuda:0: NVIDIA H200", "bf16 800, tf32 400, fp32 50 TFLOP/s; large copy 4 TB/s",
				"best batch 4096", "2.5", "1.33", "1 train\n", "8 iterations in 9 s\n",
				"a run of 8 iterations in 9 s; killed and resumed: the same bits",
				"go9    256      1.500  170000  3 blocks", "ms of 163 calls, gaps",
			}},
		"a preset can't be trained": {map[string]string{"failed.txt": "heads-kuhn 1 tengen: no kernels\nheads-leduc 124 \n"},
			missed, []string{"1 train, not kuhn", "missing: heads-kuhn: status 1: tengen: no kernels\n",
				"missing: heads-leduc: cut off, no time was left: status 124\n"}},
		"a preset was left no time": {map[string]string{"failed.txt": "heads-leduc 137 \n"}, notMeasured,
			[]string{"NOT MEASURED", "missing: heads-leduc: cut off"}},
		"no preset was trained": {map[string]string{"heads-go9.json": ""}, notMeasured,
			[]string{"0 train"}},
		"a convolution is slow": {map[string]string{"conv-19x19x256.json": `{"networks": [{"precision": "bf16", "batch": 256, "kernels": {"calls": [{"name": "gradient 9×256→256, any shape", "launches": 4, "seconds": 4e-3, "tflop_per_second": 240}]}}]}`},
			missed, []string{"0.3    ≥ 0.65", "gradient 9×256→256, any shape of 19x19x256",
				"256   1000.0    240.0     30 %  gradient 9×256→256, any shape"}},
		"no convolution": {map[string]string{"conv-5x5x128.json": ""}, notMeasured,
			[]string{"NOT MEASURED"}},
		"a step is slow": {map[string]string{"other-train-20x256-19x19-256.json": `{"networks": [{"game": "go:size=19,players=2", "network": "20 blocks × 256 filters, conv policy", "precision": "bf16", "batch": 256, "seconds_per_batch": 0.0625}]}`},
			missed, []string{"ms of a step of 256 rows, 20 × 256 on 19×19", "62.5   ≤ 38"}},
		"a step is missing": {map[string]string{"other-train-10x128-9x9-1024.json": ""}, notMeasured,
			[]string{"NOT MEASURED"}},
		"precisions learn alike": {map[string]string{
			"precision-bf16-1.json": `{"event": "iteration", "steps": 3000, "held_out": {"policy": 3.001, "value": 0.5}}`,
			"precision-tf32-1.json": `{"event": "iteration", "steps": 3000, "held_out": {"policy": 3.2, "value": 0.5}}`,
			"precision-fp32-1.json": `{"event": "iteration", "steps": 3000, "held_out": {"policy": 3, "value": 0.5}}`,
			"precision-bf16-2.json": `{"event": "iteration", "steps": 3000, "held_out": {"policy": 3.003, "value": 0.5}}`,
			"precision-tf32-2.json": `{"event": "iteration", "steps": 3000, "held_out": {"policy": 3, "value": 0.5}}`,
			"precision-tf32-3.json": `{"event": "iteration", "held_out": null}`,
		}, reached, []string{"0.002  ≤ 0.005", "mean of 2 seeds",
			"bf16     1   3000  3.0010  0.5000  3.5010"}},
		"bf16 learns less": {map[string]string{
			"precision-bf16-1.json": `{"event": "iteration", "steps": 3000, "held_out": {"policy": 3.1, "value": 0.5}}`,
			"precision-tf32-1.json": `{"event": "iteration", "steps": 3000, "held_out": {"policy": 3, "value": 0.5}}`,
		}, missed, []string{"mean of 1 seeds"}},
		"a run differs": {map[string]string{"run.json": `{"iterations": 8, "seconds": 9, "killed": true, "files_that_differ": 2}`},
			missed, []string{"2 files of its last checkpoint differ: FAILED"}},
		"a run ended before its kill": {map[string]string{"run.json": `{"iterations": 8, "seconds": 9, "killed": false, "files_that_differ": 0}`},
			notMeasured, []string{"it ended before it could be killed"}},
		"one device": {map[string]string{"parts.txt": "devices 0 skipped: there is one\n"}, reached,
			[]string{"part devices: skipped, there is one\n"}},
		"several devices": {map[string]string{
			"devices-nn.json":       `{"device": "cuda:0-7", "networks": [{"precision": "bf16", "batch": 4096, "positions_per_second_all_workers": 2e7, "devices": 8, "of_peak": 0.5}]}`,
			"devices-selfplay.json": `{"workers": 96, "evaluations_per_second": 9e6, "on_device": {"device": "cuda:0-7"}}`,
		}, reached, []string{"inference on cuda:0-7", "20000000",
			"self-play on cuda:0-7 by 96 workers: 9000000 evaluations/s"}},
		"too slow": {map[string]string{"inference-bf16-4096.json": `{"device": "cuda:0", "networks": [{"precision": "bf16", "batch": 4096, "positions_per_second_one_worker": 2.5e6, "of_peak": 0.3}]}`},
			missed, []string{"0.3  ", "≥ 0.4", "MISSED"}},
		"without PyTorch": {map[string]string{"torch.json": "", "parts.txt": "torch 1 77\n"},
			notMeasured, []string{"NOT MEASURED", "part torch: status 77 after 1 s"}},
		"a damaged file": {map[string]string{"torch.json": "{"}, notMeasured,
			[]string{"NOT MEASURED"}},
		"idle, but the cores are saturated": {map[string]string{"selfplay.json": `{"workers": 16, "evaluations_per_second": 2e6, "device_busy": 0.4, "workers_waiting": 0.01, "paper_games_hours": 0.4}`},
			reached, []string{"the 16 workers are saturated at 2000000 evaluations a second"}},
		"idle, and workers wait": {map[string]string{"selfplay.json": `{"workers": 16, "evaluations_per_second": 2e6, "device_busy": 0.4, "workers_waiting": 0.5, "paper_games_hours": 0.4}`},
			missed, []string{"MISSED"}},
		"too many hours": {map[string]string{
			"selfplay.json": `{"workers": 16, "device_busy": 0.9, "workers_waiting": 0.5, "paper_games_hours": 1.4}`,
		}, missed, []string{"≤ 1"}},
		"no self-play": {map[string]string{"selfplay.json": ""}, notMeasured,
			[]string{"NOT MEASURED"}},
		"a test fails": {map[string]string{
			"tests.txt": "--- FAIL: TestDeviceTraining (3.00s)\n--- PASS: TestDeviceInference (9.00s)\n",
		}, missed, []string{"FAIL: TestDeviceTraining"}},
		"a test panics": {map[string]string{
			"tests.txt": "--- PASS: TestDeviceInference (9.00s)\npanic: oh\n",
		}, missed, []string{"FAIL: panic: oh"}},
		"the tests end before their end": {map[string]string{
			"tests.txt": "--- PASS: TestDeviceInference (9.00s)\n", "parts.txt": "tests 120 124\n",
		}, missed, []string{"part tests: cut off, no time was left: status 124 after 120 s"}},
		"tests are left no time": {map[string]string{
			"tests.txt": "--- PASS: TestDeviceOpens (9.00s)\n--- CUT OFF: TestDeviceMemory (after 30 s)\n--- NO TIME: TestDeviceTrainingTF32\n",
		}, missed, []string{"CUT OFF: TestDeviceMemory", "NO TIME: TestDeviceTrainingTF32", "2      ≤ 0      MISSED"}},
		"tests are skipped": {map[string]string{
			"tests.txt": "--- SKIP: TestDeviceTraining (0.00s)\n",
		}, notMeasured, []string{"SKIP: TestDeviceTraining"}},
	} {
		dir := folder(t, c.change)
		var stdout, stderr bytes.Buffer
		if got := run([]string{dir}, &stdout, &stderr); got != c.status {
			t.Errorf("%s: status %d, want %d\n%s", name, got, c.status, &stdout)
		}
		for _, text := range c.says {
			if !strings.Contains(stdout.String(), text) {
				t.Errorf("%s: %q is missing in\n%s", name, text, &stdout)
			}
		}
		var document results
		if err := readJSON(filepath.Join(dir, "gpucheck.json"), &document); err != nil ||
			len(document.Figures) < 8 {
			t.Errorf("%s: %v, %d figures", name, err, len(document.Figures))
		}
		if text, err := os.ReadFile(filepath.Join(dir, "gpucheck.txt")); err != nil ||
			string(text) != stdout.String() {
			t.Errorf("%s: the table in the folder differs: %v", name, err)
		}
	}
	if got := run(nil, &bytes.Buffer{}, &bytes.Buffer{}); got != misused {
		t.Errorf("without a folder: status %d", got)
	}
}

// TestReport checks that the report has a verdict in each line: kernels, rates, self-play, errors.
func TestReport(t *testing.T) {
	dir := folder(t, map[string]string{
		"nvidia-smi.csv": "name, driver_version\nNVIDIA H200, 570.86.15\n",
		"machine.txt":    "Linux box\n32\n",
		"device.txt":     "12:00:00 WRN kernels passed over device=H200 way=wgmma err=\"compile inference.cu: oh\"\n12:00:01 INF device name=cuda:0\n",
		"bench.txt":      "12:00:02 INF kernels measured way=mma plan=\"a plan\" a_position=300ns\n12:00:03 INF inference device=H200 way=mma kernels=compiled\n12:00:09 INF inference device=H200 way=mma kernels=compiled\n12:01:00 INF training: kernels for networks of every shape are used device=H200 why=none\n12:01:01 INF training: kernels measured of=\"the blocks' product\" time=64µs mma.sync=110µs\n",
		"inference-bf16-1024.json": `{"device": "cuda:0", "networks": [{"precision": "bf16", "batch": 1024, "positions_per_second_one_worker": 1e6, "of_peak": 0.25},
			{"precision": "bf16", "batch": 2048, "of_peak": 0.1}, {"precision": "fp32", "batch": 2048, "of_peak": 0.01}, {"precision": "bf16", "batch": 8192}]}`,
		"tests.txt": "    suite_test.go:120: off by 0.02 of at most 0.1: bf16 policy, 2 × 32 on 5 × 5\n    suite_test.go:120: off by 0.05 of at most 0.1: bf16 policy, 8 × 128 on 5 × 5\n" +
			"    suite_test.go:120: off by 0.3 of at most 0.01: tf32 values, 8 × 128 on 5 × 5\n    suite_test.go:120: off by NaN of at most 0.01: fp32 values, x\n--- FAIL: TestDeviceInference (1.0s)\n",
	})
	var stdout, stderr bytes.Buffer
	if got := run([]string{dir}, &stdout, &stderr); got != missed {
		t.Errorf("status %d", got)
	}
	text := strings.Join(strings.Fields(stdout.String()), " ")
	for _, want := range []string{
		"NVIDIA H200, 570.86.15", "Linux box 32", "measured peak of large products: bf16 800, tf32 400, fp32 50 TFLOP/s; large copy 4 TB/s: good",
		`passed over: device=H200 way=wgmma err="compile inference.cu: oh" measured: way=mma plan="a plan" a_position=300ns used: device=H200 way=mma kernels=compiled used: training, of every shape: device=H200 why=none measured: training: of="the blocks' product" time=64µs mma.sync=110µs inference`,
		"44 % good", "25 % fair", "10 % POOR", "1 % a reference", "- not known",
		"5 % a small batch", "30 % fair",
		"self-play of 16 workers: the device busy 80 % of the time, workers waiting 30 %: good",
		"bf16 policy 0.05 ≤ 0.1 good 8 × 128 on 5 × 5", "tf32 values 0.3 ≤ 0.01 FAILED",
		"VERDICT: 13 figures reached, 1 missed, 0 not measured",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, &stdout)
		}
	}
	if strings.Contains(text, "NaN") || strings.Count(text, "kernels=compiled") != 1 {
		t.Errorf("the report is\n%s", &stdout)
	}
}

// script runs the script as on a machine without Go, with the given programs in its folder.
func script(
	t *testing.T, programs map[string]string, args ...string,
) (status int, dir, said string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	tools, out := t.TempDir(), filepath.Join(t.TempDir(), "results")
	text, err := os.ReadFile("gpucheck")
	if err != nil {
		t.Fatal(err)
	}
	programs["gpucheck"] = string(text)
	for name, text := range programs {
		if err := os.WriteFile(filepath.Join(tools, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(filepath.Join(tools, "gpucheck"), append([]string{"--out", out}, args...)...)
	c.Env = append(os.Environ(), "PATH="+tools+":"+os.Getenv("PATH"))
	both, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out, string(both)
}

// reporter replaces this program in the script's folder.
const reporter = "#!/bin/sh\necho reported $1\n"

// tester replaces the tests: the second passes, as it must not if it is run with others.
const tester = `#!/bin/sh
case "$*" in
*-test.list*) echo TestDeviceOne; echo TestDeviceTwo ;;
*'One$'*) echo "--- FAIL: TestDeviceOne (0.00s)"; exit 1 ;;
*) echo "--- PASS: TestDeviceTwo (0.00s)"; [ -n "$TENGEN_KERNELS_CACHE" ] ;;
esac
`

// Without a device the script reports so, and why, in one line.
func TestNoDevice(t *testing.T) {
	status, out, said := script(t, map[string]string{
		"report": reporter, "device.test": "#!/bin/sh\nexit 1\n",
		"tengen": "#!/bin/sh\necho 'tengen: cuda: libcuda.so.1 was not found: install the NVIDIA driver' >&2\nexit 1\n",
	})
	if status != 3 ||
		!strings.Contains(said,
			"gpucheck: no device can be used: tengen: cuda: libcuda.so.1 was not found") {
		t.Errorf("status %d\n%s", status, said)
	}
	if parts := readParts(filepath.Join(out, "parts.txt")); len(parts) != 1 ||
		parts[0].Status != "1" {
		t.Errorf("parts %+v", parts)
	}
}

// Each part runs, the results of one are kept if another fails, and a part that exceeds its
// time limit leaves no incomplete file.
func TestScript(t *testing.T) {
	status, out, said := script(t, map[string]string{
		"report":      reporter,
		"device.test": tester,
		"python3":     "#!/bin/sh\nexit 1\n", // which has no torch
		"nvidia-smi":  "#!/bin/sh\necho 'GPU 0: one'\n",
		"tengen": `#!/bin/sh
if env | grep ^TENGEN_ >&2; then exit 2; fi # tengen refuses variables that are no keys of its configuration
case "$*" in
train*) echo no training >&2; exit 4 ;;
*selfplay*) echo half; exit 1 ;;
*tf32*|*16384*|*blocks=20*|*leduc*) echo why >&2; echo oh >&2; exit 1 ;;
esac
echo '{"device": "cuda:0", "arguments": "'"$*"'"}'
`,
	}, "--device", "cuda:1")
	if status != 0 || !strings.Contains(said, "reported "+out) {
		t.Errorf("status %d\n%s", status, said)
	}
	got := map[string]string{}
	for _, p := range readParts(filepath.Join(out, "parts.txt")) {
		got[p.Name] = p.Status
	}
	for name, want := range map[string]string{
		"device": "0", "kernels": "1", "conv": "0", "feed": "1", "latency": "0", "step": "1", "heads": "1",
		"inference": "1", "selfplay": "1", "tests": "1", "torch": "77", "run": "4",
		"devices": "skipped: nvidia-smi lists no second device",
	} {
		if got[name] != want {
			t.Errorf("%s ends with status %q, want %s", name, got[name], want)
		}
	}
	for name, want := range map[string]bool{
		"inference-bf16-4096.json": true, "inference-tf32-4096.json": false,
		"training-bf16-4096.json": true, "training-tf32-4096.json": false,
		"training-bf16-smaller.json": true, "other-nn-10x128-9x9-4096.json": true,
		"heads-kuhn.json": true, "heads-leduc.json": false, "heads-leduc.err": false,
		"other-train-20x256-19x19-256.json": false,
		"selfplay.json":                     false, "selfplay.json.part": false,
	} {
		if _, err := os.Stat(filepath.Join(out, name)); (err == nil) != want {
			t.Errorf("%s is there: %v", name, err == nil)
		}
	}
	var document struct{ Arguments string }
	if err := readJSON(filepath.Join(out, "inference-bf16-4096.json"), &document); err != nil ||
		document.Arguments != "bench nn paper-alphazero --device cuda:1,inference=bf16 --batch 4096 --seconds 1.5 --kernels --json" {
		t.Errorf("%+v, %v", document, err)
	}
	if tests := readTests(filepath.Join(out, "tests.txt")); !slices.Equal(tests,
		[]test{{"TestDeviceOne", "FAIL"}, {"TestDeviceTwo", "PASS"}}) {
		t.Errorf("%+v", tests)
	}
	failed := lines(filepath.Join(out, "failed.txt"))
	for _, line := range []string{
		"heads-leduc 1 oh", "training-tf32-4096 1 oh", "feed-64 1 ", "run-whole 4 no training",
		"other-nn-20x256-19x19-1024 1 oh", "training-tf32-smaller 1 oh", "selfplay 1 ",
		"inference-bf16-more 1 oh", "inference-tf32-4096 1 oh",
	} {
		if !slices.Contains(failed, line) {
			t.Errorf("%q is not among those missing, %q", line, failed)
		}
	}
	if len(failed) != 15 {
		t.Errorf("%d are missing: %q", len(failed), failed)
	}
	if text, err := os.ReadFile(filepath.Join(out, "bench.txt")); err != nil ||
		!strings.Contains(string(text), "why\noh\n") {
		t.Errorf("the log is %q, %v", text, err)
	}
}

// TestBestFeed checks that self-play with a cache has the number of games with which it was fastest
// without.
func TestBestFeed(t *testing.T) {
	_, out, said := script(t, map[string]string{
		"report": reporter,
		"tengen": `#!/bin/sh
case "$*" in
*worker=96*cache_mib=0*) speed=4001234.5 ;;
*cache_mib=0*) speed=399123.25 ;;
*) speed=5001234.5 ;;
esac
echo '{"workers": 16,
  "simulations_per_second": '$speed'}'
`,
	}, "--only", "feed")
	all := readFeed(out)
	if len(all) != 6 || all[0].Games != 32 || all[0].Simulations != 399123.25 ||
		all[2].Games != 96 || all[2].Cached == all[3].Cached ||
		all[3].Games != 96 || all[5].Games != 512 {
		t.Errorf("%+v\n%s", all, said)
	}
}

// TestTime checks that a program which hangs does not keep the script from its end, that what is
// missing is recorded, and that all parts end within nine minutes.
func TestTime(t *testing.T) {
	hangs := "#!/bin/sh\nexec sleep 3600\n"
	status, out, said := script(t,
		map[string]string{
			"report": reporter, "tengen": hangs, "device.test": hangs, "python3": hangs,
		}, "--seconds", "1", "--only", "latency,inference")
	if status != 0 || !strings.Contains(said, "reported "+out) {
		t.Errorf("status %d\n%s", status, said)
	}
	if parts := readParts(filepath.Join(out, "parts.txt")); len(parts) != 2 ||
		parts[0].Status != "124" || parts[1].Status != "124" {
		t.Errorf("parts %+v", parts)
	}
	_, out, _ = script(t, map[string]string{
		"report": reporter, "tengen": "#!/bin/sh\nexit 124\n", "python3": "#!/bin/sh\nexit 1\n",
	}, "--only", "latency,heads")
	if missing := lines(filepath.Join(out, "failed.txt")); len(missing) != 8 ||
		missing[0] != "heads-go9 124 " || missing[7] != "inference-bf16-few 124 " {
		t.Errorf("missing are %q", missing)
	}
	text, err := os.ReadFile("gpucheck")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, m := range regexp.MustCompile(`(?m)^part \w+ (\d+) run_|^part device (\d+) `).
		FindAllStringSubmatch(string(text), -1) {
		n, _ := strconv.Atoi(m[1] + m[2])
		sum += n
	}
	if m := regexp.MustCompile(`(?m)^seconds=(\d+)$`).FindStringSubmatch(string(text)); m == nil ||
		m[1] != "540" || sum < 400 || sum > 540 {
		t.Errorf("the limits are %v, the parts' sum %d", m, sum)
	}
}

// TestCommandsAreTengens runs each command of the script, for a moment and with a tiny network, by
// tengen on a device that computes nothing: the arguments are understood, and the report finds what
// they print.
func TestCommandsAreTengens(t *testing.T) {
	_, out, _ := script(t, map[string]string{
		"report":      reporter,
		"device.test": tester,
		"python3":     "#!/bin/sh\nexit 1\n",
		"nvidia-smi":  "#!/bin/sh\necho 'GPU 0: one'; echo 'GPU 1: two'\n",
		"tengen":      "#!/bin/sh\necho \"$*\"\n",
	})
	backend.Register(func(s backend.Spec, log *slog.Logger) (backend.Backend, error) {
		b, err := cudabackend.New(fake.WithDevices(2), s, cudabackend.Options{
			Unchecked: true, Log: log,
		})
		return peaked{b}, err
	})
	t.Cleanup(func() { backend.Register(nil) })
	ran := 0
	var log bytes.Buffer
	for _, pattern := range []string{
		"device.txt", "inference-*.json", "training-*.json", "other-*.json", "feed-*.json",
		"selfplay.json", "heads-*.json", "devices-*.json", "conv-*.json",
	} {
		for _, file := range list(out, pattern) {
			args := strings.Fields(lines(file)[0])
			tiny := []string{
				"--seconds", "0.001", "--set", "network.blocks=1", "--set", "network.filters=8",
				"--set", "network.hidden=8",
			}
			if args[1] == "selfplay" {
				tiny = append(tiny, "--set", "selfplay.device_games_per_worker=2", "--set",
					"search.simulations=2")
			}
			for i, arg := range args {
				if arg != "--batch" {
					continue
				}
				if strings.Contains(args[i+1], ",") {
					args[i+1] = "4,1024"
				} else if args[i+1] != "256" {
					args[i+1] = "1024"
				}
			}
			if base := filepath.Base(file); strings.HasPrefix(base, "other-") ||
				strings.HasPrefix(base, "conv-") {
				tiny = append(tiny, "--set", "game=go:size=5,players=2")
			}
			var stdout bytes.Buffer
			if status := cmd.Main(append(args, tiny...), nil, &stdout, &log); status != 0 {
				t.Fatalf("tengen %s: status %d\n%s", strings.Join(args, " "), status, &log)
			}
			if err := os.WriteFile(file, stdout.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			ran++
		}
	}
	if err := os.WriteFile(filepath.Join(out, "bench.txt"), log.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	r := read(out)
	if ran != 35 || len(r.Inference) != 6 || len(r.Training) != 6 || len(r.Others) != 5 ||
		len(r.Heads) != 7 || len(r.Devices) != 2 || len(r.Conv) != 4 ||
		r.Devices[0].Device != "cuda:0,1,inference=bf16" ||
		r.Together == nil || r.Together.On.Device != "cuda:0,1" ||
		len(r.Feed) != 6 || r.Feed[0].Alone == 0 || r.SelfPlay == nil ||
		r.SelfPlay.Workers == 0 || r.SelfPlay.Alone == 0 {
		t.Errorf("%d commands; the report has %d rates of inference, %d of training, %d of others, self-play %+v and %+v",
			ran, len(r.Inference), len(r.Training), len(r.Others), r.Feed, r.SelfPlay)
	}
	tables := strings.Count(r.table(), "where the ")
	if tables != 3 || !strings.Contains(r.table(), "product 9×16→16") ||
		!strings.HasPrefix(r.Others[0].Networks[0].Game, "go:size=5,") ||
		!strings.HasPrefix(r.Others[0].Networks[0].Network, "1 block × 8 filters,") {
		t.Errorf("%d tables of kernels in\n%s", tables, r.table())
	}
	for _, n := range slices.Concat(r.Inference, r.Training, r.Others, r.Heads, r.Conv,
		r.Devices) {
		if x := n.Networks[0]; n.Device == "" || x.Precision == "" ||
			x.Devices == 0 || (x.OfPeak == nil) != (x.Batch < 1024) ||
			x.OneWorker == 0 || x.Seconds == 0 || x.TFLOPS == 0 {
			t.Errorf("%+v", n)
		}
	}
	for i := range r.Conv { // such a device takes no time
		calls := r.Conv[i].Networks[0].Kernels.Calls
		for j := range calls {
			calls[j].TFLOPS = new(float64)
		}
	}
	if n := len(r.convolutions()); n != 12 {
		t.Errorf("%d convolutions", n)
	}
	if !slices.ContainsFunc(r.Kernels, func(k kernel) bool {
		return k.Outcome == "used" && strings.Contains(k.Text, "kernels=compiled")
	}) {
		t.Errorf("the report has the kernels %+v of\n%s", r.Kernels, &log)
	}
}

// peaked is a backend whose peaks are known.
type peaked struct{ backend.Backend }

func (p peaked) Precisions() (inference, training string) {
	return p.Backend.(backend.Measured).Precisions()
}

func (p peaked) InUse() (evaluate, train int) { return p.Backend.(backend.Measured).InUse() }

func (p peaked) Trace() (func(bool, func() error) ([]backend.Call, error), error) {
	return p.Backend.(backend.Traced).Trace()
}

func (peaked) Peaks() (backend.Peaks, error) {
	return backend.Peaks{BF16: 8e14, TF32: 4e14, FP32: 5e13, Copy: 4e12}, nil
}

// TestMain runs tengen in place of the tests where TestRun's script starts this program.
func TestMain(m *testing.M) {
	if os.Getenv("GPUCHECK_TENGEN") != "" {
		os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestRun kills and resumes a run as part run does, on the processor: the same bits are found, and
// others if the resumed run has another network.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("four runs")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The run that is to be killed stops, so that it does not end before.
	tengen := func(change string) string {
		return `#!/bin/sh
for word; do
	shift
	[ "$word" != cuda:0 ] || word=cpu
	[ "$last" != --run ] || run=$word
	last=$word
	set -- "$@" "$word"
done
case "$*" in
*--resume*) ` + change + ` ;;
*) set -- "$@" --set game=go:size=3,players=2 --set network.blocks=1 --set network.filters=4 \
	--set search.simulations=20 --set warm_start.simulations=10 --set training.batch=32 \
	--set selfplay.cache_mib=1
	case $run in
	*/killed)
		while kill -0 $$ && [ ! -d "$run/checkpoints/000003" ]; do
			sleep 0.01
		done && kill -STOP $$ & ;;
	esac ;;
esac
GPUCHECK_TENGEN=1 exec "` + self + `" "$@"
`
	}
	for change, differ := range map[string]float64{
		"": 0, "set -- \"$@\" --set training.learning_rate=1e-3": 3,
	} {
		_, out, said := script(t, map[string]string{
			"report": reporter, "tengen": tengen(change),
		}, "--only", "run")
		r := read(out)
		if r.Run == nil || !r.Run.Killed || r.Run.Differ != differ || r.Run.Iterations != 8 {
			log, _ := os.ReadFile(filepath.Join(out, "run-killed.txt"))
			t.Fatalf("%q: %+v, %v\n%s\n%s", change, r.Run, r.Failed, said, log)
		}
		if status := map[float64]string{0: "0", 3: "1"}[differ]; r.Parts[0].Status != status {
			t.Errorf("%q: parts %+v", change, r.Parts)
		}
		if left, _ := filepath.Glob(filepath.Join(out, "run", "*")); len(left) > 0 {
			t.Errorf("%q: %q are left", change, left)
		}
	}
}

// TestPrecision trains as part precision does, on the processor with a tiny network: the report
// finds the held-out losses of each precision and seed, and the runs are removed.
func TestPrecision(t *testing.T) {
	if testing.Short() {
		t.Skip("six runs")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, out, said := script(t, map[string]string{
		"report": reporter, "tengen": `#!/bin/sh
for word; do
	shift
	case "$word" in
	cuda:0,training=*) word=cpu ;;
	esac
	set -- "$@" "$word"
done
GPUCHECK_TENGEN=1 exec "` + self + `" "$@" --set game=go:size=3,players=2 --set network.blocks=1 --set network.filters=4 --set training.batch=16 --set training.games=100 --set training.max_steps=7 --set selfplay.cache_mib=1
`,
	}, "--only", "precision")
	r := read(out)
	if len(r.Precision) != 6 {
		log, _ := os.ReadFile(filepath.Join(out, "precision-bf16-1.txt"))
		t.Fatalf("%+v, %v\n%s\n%s", r.Precision, r.Failed, said, log)
	}
	for _, l := range r.Precision {
		like := r.Precision[l.Seed-1]
		if l.Steps != 7 || l.HeldOut.Policy == 0 || l.HeldOut != like.HeldOut {
			t.Errorf("%+v, the same seed's %+v", l, like)
		}
	}
	if f := r.precisionFigure(); f.Got == nil || *f.Got != 0 || f.Note != "mean of 2 seeds" {
		t.Errorf("%+v", f)
	}
	if left, _ := filepath.Glob(filepath.Join(out, "run", "*")); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

// TestHeads checks that part heads trains all presets that have heads or losses of their own, or a
// board of one cell.
func TestHeads(t *testing.T) {
	text, err := os.ReadFile("gpucheck")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)for preset in (.*); do$`).FindStringSubmatch(string(text))
	if m == nil {
		t.Fatal("the script has no list of presets")
	}
	got := strings.Fields(m[1])
	slices.Sort(got)
	var want []string
	for _, name := range configs.PresetNames() {
		r, err := configs.Resolve(configs.Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := trainer.NewPlan(&r.Config)
		if err != nil {
			t.Fatal(err)
		}
		if s := plan.Spec; !s.Auxiliary.IsZero() || plan.Train.PolicyLogits || s.Cells() == 1 {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("it trains %q, want %q", got, want)
	}
}

// TestDeviceTests checks that the tests that part tests takes for those of a device are in the file
// with its tests, and no others.
func TestDeviceTests(t *testing.T) {
	files, err := filepath.Glob("../../nn/backend/cudabackend/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	for _, file := range files {
		for _, line := range lines(file) {
			name, ok := strings.CutPrefix(line, "func Test")
			of := filepath.Base(file) == "device_test.go"
			if ok && strings.HasPrefix(name, "Device") != of {
				t.Errorf("%s: Test%s", file, name)
			}
			if ok && of {
				number++
			}
		}
	}
	if number < 8 {
		t.Errorf("%d tests of a device", number)
	}
}

// --only runs the parts that it names; invalid arguments are usage errors.
func TestOnly(t *testing.T) {
	programs := func() map[string]string {
		return map[string]string{
			"report": reporter, "tengen": "#!/bin/sh\necho '{}'\n", "device.test": "#!/bin/sh\n",
		}
	}
	status, out, said := script(t, programs(), "--only", "step,kernels")
	parts := readParts(filepath.Join(out, "parts.txt"))
	if status != 0 || len(parts) != 2 || parts[0].Name != "kernels" || parts[1].Name != "step" {
		t.Errorf("status %d, parts %+v\n%s", status, parts, said)
	}
	for _, args := range [][]string{{"--only", "step,lunch"}, {"--device", "cpu"}, {"--fast"}} {
		if status, _, said := script(t, programs(), args...); status != 64 || said == "" {
			t.Errorf("%v: status %d, %s", args, status, said)
		}
	}
}

// The documents that tengen prints have the fields read here. The test compares names, since
// only a machine with a device prints the document.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../cmd/internal/bench/device.go")
	if err != nil {
		t.Fatal(err)
	}
	var n networks
	if err := json.Unmarshal([]byte(`{"networks": [{"of_peak": 1}]}`), &n); err != nil {
		t.Fatal(err)
	}
	document, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	var names map[string]json.RawMessage
	var inner []map[string]json.RawMessage
	if err := json.Unmarshal(document, &names); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(names["networks"], &inner); err != nil {
		t.Fatal(err)
	}
	for name := range names {
		if !strings.Contains(string(text), "`json:\""+name) {
			t.Errorf("tengen prints no %s", name)
		}
	}
	for name := range inner[0] {
		if !strings.Contains(string(text), "`json:\""+name) {
			t.Errorf("tengen prints no %s", name)
		}
	}
}
