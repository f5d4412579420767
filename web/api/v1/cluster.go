package v1

import (
	"cmp"
	"net/http"
	"slices"

	"tengen/run"
)

// maxWorkers is the most workers that an answer lists. Those that are refused come first, then
// those that play, fastest first.
const maxWorkers = 200

// clusterView is what the page shows of workers on other machines.
type clusterView struct {
	run.Cluster
	// Known is false if this process has no workers on other machines; everything else is empty
	// then.
	Known   bool    `json:"known"`
	All     int     `json:"all"` // workers, the listed and the others
	Playing int     `json:"playing"`
	Rate    float64 `json:"evaluations_per_second"` // of all that play
	// Builds and Paths are the numbers of playing workers by build and by kernel path.
	Builds map[string]int `json:"builds"`
	Paths  map[string]int `json:"kernel_paths"`
}

func (api *API) getCluster(w http.ResponseWriter, r *http.Request) {
	api.answer(w, r, api.cluster(), nil)
}

func (api *API) cluster() *clusterView {
	v := &clusterView{Builds: map[string]int{}, Paths: map[string]int{}}
	if api.options.Cluster == nil {
		return v
	}
	v.Known, v.Cluster = true, api.options.Cluster()
	v.All = len(v.Workers)
	for i := range v.Workers {
		if x := &v.Workers[i]; x.Alive {
			v.Playing++
			v.Rate += x.Rate
			v.Builds[x.Build]++
			v.Paths[x.Kernels]++
		}
	}
	slices.SortStableFunc(v.Workers, func(a, b run.Worker) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(b.Rate, a.Rate))
	})
	v.Workers = v.Workers[:min(len(v.Workers), maxWorkers)]
	return v
}

func rank(w *run.Worker) int {
	switch {
	case w.Reason != "":
		return 0
	case w.Alive:
		return 1
	}
	return 2
}
