package v1

import (
	"encoding/json"
	"fmt"
	"testing"

	"tengen/run"
	"tengen/web/internal/webtest"
)

// TestCluster: workers are summed up over all of them, and those that are refused are listed first.
func TestCluster(t *testing.T) {
	dir := webtest.MakeRun(t, webtest.Run{Game: "tictactoe", Iterations: 1, Games: 1})
	ask := func(o Options) (v clusterView) {
		t.Helper()
		o.Folder = string(dir)
		w := webtest.Request(newAPI(t, o).Handler(), "GET", "/api/v1/cluster", "")
		if w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		webtest.Must(t, json.Unmarshal(w.Body.Bytes(), &v))
		return v
	}
	if v := ask(Options{}); v.Known || len(v.Workers) > 0 {
		t.Errorf("without workers: %+v", v)
	}
	c := run.Cluster{
		Given: 7, Queues: []run.Queue{{Name: "games", Messages: 3, Bytes: 900}},
		Refused: map[string]uint64{"record": 5},
	}
	for i := range 300 {
		c.Workers = append(c.Workers, run.Worker{
			ID: fmt.Sprint("w", i), Build: "v1", Kernels: "avx2", Rate: float64(i), Alive: i != 250,
		})
	}
	c.Workers[20].Alive, c.Workers[20].Reason = false, "another build"
	v := ask(Options{Cluster: func() run.Cluster { return c }})
	if !v.Known || v.All != 300 || v.Playing != 298 || v.Rate != 299*300/2-20-250 ||
		v.Paths["avx2"] != 298 || v.Builds["v1"] != 298 {
		t.Errorf("%+v", v)
	}
	if len(v.Workers) != maxWorkers || v.Workers[0].Reason == "" || v.Workers[1].ID != "w299" ||
		v.Given != 7 || v.Queues[0].Bytes != 900 || v.Refused["record"] != 5 {
		t.Errorf("%d workers, the first are %+v, %+v", len(v.Workers), v.Workers[0], v.Workers[1])
	}
}
