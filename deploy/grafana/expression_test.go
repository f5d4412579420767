package grafana

import (
	"reflect"
	"testing"

	"tengen/metrics"
)

func TestCheckExpression(t *testing.T) {
	families := []metrics.Family{
		{Name: "tengen_loss", Type: "gauge", Labels: []metrics.Label{{Name: "data"}}},
		{Name: "tengen_depth", Type: "histogram"},
		{Name: "go_gc_duration_seconds", Type: "summary"},
	}
	for expr, want := range map[string][]string{
		`tengen_loss`: nil,
		`tengen_loss{run=~"$run", data="{held_out}"} > 0`:           nil,
		`sum by (run, le) (rate(tengen_depth_bucket{le!="1"}[5m]))`: nil,
		`rate(go_gc_duration_seconds_count{instance="a"}[5m])`:      nil,
		`up{job="tengen"} == 0`:                                     nil,
		`time() - tengen_lost`: {
			"tengen_lost is not a metric",
		},
		`rate(tengen_lost[5m])`: {"tengen_lost is not a metric"},
		`rate(lost[5m])`:        {"lost is not a metric"},
		// a histogram has only series with suffixes
		`tengen_depth > 1`:           {"tengen_depth is not a metric"},
		`tengen_loss_count{run="a"}`: {"tengen_loss_count is not a metric"},
		`tengen_loss{dat="a"}`:       {"tengen_loss has no label dat"},
		`tengen_loss{le="1"}`:        {"tengen_loss has no label le"},
		`tengen_loss{data="a"} / on (run) tengen_depth_sum{seat="Black"}`: {
			"tengen_depth_sum has no label seat",
		},
	} {
		if got := CheckExpression(expr, families); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
}
