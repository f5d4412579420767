package deploy

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"tengen/metrics"
)

const dashboardFile = "grafana/dashboards/tengen.json"

func TestDashboardFile(t *testing.T) {
	want, err := Dashboard()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(dashboardFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date: go test ./deploy -run DashboardFile -update", dashboardFile)
	}
}

// The rows after the first are the sections of the metrics' contract.
func TestRowsAreTheSections(t *testing.T) {
	var titles []string
	for _, r := range Rows()[1:] {
		titles = append(titles, r.Title)
	}
	if got, want := strings.Join(titles, ", "),
		strings.Join(metrics.Sections(), ", "); got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
}

// units are Grafana's names for units, apart from suffixes.
var units = map[string]bool{
	"none": true, "short": true, "percentunit": true, "s": true, "bytes": true, "bool_on_off": true,
}

// Every panel has a description and a unit; every expression uses existing metrics of the
// selected runs, and its legend names the run.
func TestPanels(t *testing.T) {
	families := metrics.Contract()
	for _, r := range Rows() {
		titles := map[string]bool{}
		for _, p := range r.Panels {
			if p.Title == "" || titles[p.Title] || !strings.HasSuffix(p.Description, ".") ||
				len(p.Queries) == 0 {
				t.Errorf("%s: the panel %q has the description %q and %d expressions",
					r.Title, p.Title, p.Description, len(p.Queries))
			}
			titles[p.Title] = true
			if suffix, ok := strings.CutPrefix(p.Unit, "suffix: "); !units[p.Unit] &&
				(!ok || suffix == "") {
				t.Errorf("%s: %q is not a unit of Grafana", p.Title, p.Unit)
			}
			for _, q := range p.Queries {
				for _, problem := range CheckExpression(q.Expr, families) {
					t.Errorf("%s: %s: %s", p.Title, q.Expr, problem)
				}
				if !strings.HasPrefix(q.Legend, "{{run}}") {
					t.Errorf("%s: the legend %q does not distinguish runs", p.Title, q.Legend)
				}
				chosen := strings.Count(q.Expr, `run=~"$run"`)
				if named := len(regexp.MustCompile(`(?:tengen|process|go)_[a-z_]+`).
					FindAllString(q.Expr, -1)); chosen != named || chosen == 0 {
					t.Errorf("%s: %s asks %d of %d metrics for the runs chosen",
						p.Title, q.Expr, chosen, named)
				}
			}
		}
	}
}

// shownElsewhere are metrics without a panel, because others have the same information.
var shownElsewhere = map[string]bool{
	"tengen_games_started_total": true, // see finished games and games in progress
	"tengen_checkpoints_total":   true, // see their time and duration
}

// The dashboard shows every metric of ours.
func TestEveryMetricIsShown(t *testing.T) {
	text, err := Dashboard()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range metrics.Contract() {
		if shown := regexp.MustCompile(`\b` + f.Name + `(?:_bucket|_sum|_count)?\b`).
			Match(text); shown == shownElsewhere[f.Name] {
			t.Errorf("%s is shown: %v", f.Name, shown)
		}
	}
}

// The JSON is valid for Grafana: panels have unique ids and do not overlap, and use the data
// source of the variable.
func TestDashboard(t *testing.T) {
	text, err := Dashboard()
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Templating struct {
			List []struct{ Name, Type string }
		}
		Panels []struct {
			ID                       int
			Type, Title, Description string
			GridPos                  struct{ X, Y, W, H int }
			Datasource               *struct{ Type, UID string }
			Targets                  []struct {
				RefID, Expr string
				Datasource  struct{ Type, UID string }
			}
			FieldConfig struct {
				Defaults struct{ Unit string }
			}
		}
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if v := d.Templating.List; len(v) != 2 || v[0].Name != "datasource" ||
		v[0].Type != "datasource" || v[1].Name != "run" {
		t.Errorf("variables %+v", v)
	}
	ids, taken := map[int]bool{}, map[[2]int]string{}
	panels := 0
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("%s has the id of another panel", p.Title)
		}
		ids[p.ID] = true
		g := p.GridPos
		if g.X < 0 || g.X+g.W > wide || g.W == 0 || g.H == 0 {
			t.Errorf("%s lies at %+v", p.Title, g)
		}
		for x := range g.W {
			for y := range g.H {
				at := [2]int{g.X + x, g.Y + y}
				if other, ok := taken[at]; ok {
					t.Fatalf("%s overlaps %s", p.Title, other)
				}
				taken[at] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		panels++
		if p.Datasource == nil || p.Datasource.UID != "${datasource}" ||
			p.FieldConfig.Defaults.Unit == "" || p.Description == "" {
			t.Errorf("%s: data source %v, unit %q",
				p.Title, p.Datasource, p.FieldConfig.Defaults.Unit)
		}
		refs := map[string]bool{}
		for _, q := range p.Targets {
			if refs[q.RefID] || q.Datasource.UID != "${datasource}" || q.Expr == "" {
				t.Errorf("%s: %+v", p.Title, q)
			}
			refs[q.RefID] = true
		}
	}
	want := 0
	for _, r := range Rows() {
		want += len(r.Panels)
	}
	if panels != want {
		t.Errorf("%d panels, want %d", panels, want)
	}
}

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
