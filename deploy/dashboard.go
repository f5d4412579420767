package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tengen/metrics"
)

// Rows returns the dashboard's rows, from top to bottom.
func Rows() []Row {
	return []Row{
		glance(), learning(), strength(), selfPlay(), inference(), data(), cluster(), system(),
	}
}

// Dashboard returns the dashboard as JSON for Grafana (schema 39, Grafana 11 and later).
func Dashboard() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // expressions have < and >
	e.SetIndent("", "  ")
	err := e.Encode(dashboard{
		UID: "tengen", Title: "Tengen",
		Description: "What runs of Tengen learn, how strong they are, and what limits them.",
		Tags:        []string{"tengen"}, SchemaVersion: 39, Refresh: "30s", Editable: true,
		GraphTooltip: sharedCrosshair,
		Time:         span{"now-6h", "now"}, Templating: list{[]any{
			variable{
				Name: "datasource", Label: "Data source", Type: "datasource",
				Query: "prometheus", Refresh: 1,
			},
			variable{
				Name: "run", Label: "Run", Type: "query", Datasource: &source,
				Query: "label_values(tengen_iteration, run)",
				Multi: true, IncludeAll: true, AllValue: ".*", Sort: 1, Refresh: 2,
				Current: &choice{Text: []string{"All"}, Value: []string{"$__all"}},
			},
		}},
		Panels: layOut(Rows()),
	})
	return b.Bytes(), err
}

// sharedCrosshair shows the time under the cursor on all charts.
const sharedCrosshair = 1

// source is the data source selected by the dashboard's variable.
var source = datasource{"prometheus", "${datasource}"}

// The types of the JSON; names are Grafana's.
type (
	dashboard struct {
		UID           string   `json:"uid"`
		Title         string   `json:"title"`
		Description   string   `json:"description"`
		Tags          []string `json:"tags"`
		SchemaVersion int      `json:"schemaVersion"`
		Refresh       string   `json:"refresh"`
		Editable      bool     `json:"editable"`
		GraphTooltip  int      `json:"graphTooltip"`
		Time          span     `json:"time"`
		Templating    list     `json:"templating"`
		Panels        []panel  `json:"panels"`
	}
	span struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	list struct {
		List []any `json:"list"`
	}
	datasource struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	}
	variable struct {
		Name       string      `json:"name"`
		Label      string      `json:"label"`
		Type       string      `json:"type"`
		Datasource *datasource `json:"datasource,omitempty"`
		Query      string      `json:"query"`
		Multi      bool        `json:"multi"`
		IncludeAll bool        `json:"includeAll"`
		AllValue   string      `json:"allValue,omitempty"`
		Sort       int         `json:"sort"`
		Refresh    int         `json:"refresh"` // 1: on load, 2: on a new time range
		Current    *choice     `json:"current,omitempty"`
	}
	choice struct {
		Text  []string `json:"text"`
		Value []string `json:"value"`
	}
	grid struct {
		H int `json:"h"`
		W int `json:"w"`
		X int `json:"x"`
		Y int `json:"y"`
	}
	panel struct {
		ID          int            `json:"id"`
		Type        string         `json:"type"`
		Title       string         `json:"title"`
		Description string         `json:"description,omitempty"`
		GridPos     grid           `json:"gridPos"`
		Collapsed   *bool          `json:"collapsed,omitempty"` // of rows
		Panels      *[]panel       `json:"panels,omitempty"`    // of rows
		Datasource  *datasource    `json:"datasource,omitempty"`
		Targets     []target       `json:"targets,omitempty"`
		FieldConfig map[string]any `json:"fieldConfig,omitempty"`
		Options     map[string]any `json:"options,omitempty"`
	}
	target struct {
		RefID        string      `json:"refId"`
		Datasource   *datasource `json:"datasource"`
		Expr         string      `json:"expr"`
		LegendFormat string      `json:"legendFormat"`
		Range        bool        `json:"range"`
		Instant      bool        `json:"instant"`
	}
	object = map[string]any
)

// wide is the width of the grid.
const wide = 24

// size returns a panel's size on the grid.
func (p *Panel) size() (width, height int) {
	switch p.Kind {
	case Number:
		return 4, 4
	case Timeline:
		return wide, 7
	case Label:
		return 8, 5
	}
	return 8, 8
}

// layOut places the panels of each row from left to right, in lines.
func layOut(rows []Row) []panel {
	var panels []panel
	y := 0
	for _, row := range rows {
		open, none := false, []panel{}
		panels = append(panels, panel{
			ID: len(panels) + 1, Type: "row", Title: row.Title, GridPos: grid{1, wide, 0, y},
			Collapsed: &open, Panels: &none,
		})
		y++
		x, line := 0, 0
		for i := range row.Panels {
			p := &row.Panels[i]
			w, h := p.size()
			if x+w > wide {
				x, y, line = 0, y+line, 0
			}
			panels = append(panels, p.draw(len(panels)+1, grid{h, w, x, y}))
			x, line = x+w, max(line, h)
		}
		y += line
	}
	return panels
}

// draw returns the panel as JSON for Grafana.
func (p *Panel) draw(id int, at grid) panel {
	d := panel{
		ID: id, Type: string(Chart), Title: p.Title, Description: p.Description, GridPos: at,
		Datasource: &source,
	}
	defaults := object{"unit": p.Unit}
	var overrides []object
	for i, q := range p.Queries {
		name := string(rune('A' + i))
		d.Targets = append(d.Targets, target{
			RefID: name, Datasource: &source, Expr: q.Expr, LegendFormat: q.Legend,
			Range: p.Kind != Label, Instant: p.Kind == Label,
		})
		if q.Dashed {
			overrides = append(overrides, object{
				"matcher": object{"id": "byFrameRefID", "options": name},
				"properties": []object{
					{"id": "custom.lineStyle",
						"value": object{"fill": "dash", "dash": []int{6, 6}}},
					{"id": "custom.lineWidth", "value": 1},
				},
			})
		}
	}
	last := object{"calcs": []string{"lastNotNull"}, "fields": "", "values": false}
	switch p.Kind {
	case Number:
		d.Type = string(Number)
		d.Options = object{
			"reduceOptions": last, "graphMode": "area", "colorMode": "none", "textMode": "auto",
		}
	case Label:
		d.Type = string(Number)
		d.Options = object{
			"reduceOptions": last, "graphMode": "none", "colorMode": "none", "textMode": "name",
		}
	case Timeline:
		d.Type = string(Timeline)
		d.Options = object{
			"showValue": "never", "mergeValues": true, "legend": object{"showLegend": false},
			"rowHeight": 0.8,
		}
		defaults["mappings"] = []object{{"type": "value", "options": object{
			"0": object{"text": "no", "color": "transparent"},
			"1": object{"text": "yes", "color": "blue"},
		}}}
	default:
		scale := object{"type": "linear"}
		if p.Log {
			scale = object{"type": "log", "log": 10}
		}
		// Connect points across gaps of minutes: some gauges change once an iteration, and rates
		// pause.
		defaults["custom"] = object{
			"lineWidth": 2, "spanNulls": 600_000, "showPoints": "auto", "scaleDistribution": scale,
		}
		d.Options = object{
			"legend":  object{"displayMode": "list", "placement": "bottom"},
			"tooltip": object{"mode": "multi", "sort": "desc"},
		}
	}
	d.FieldConfig = object{"defaults": defaults, "overrides": overrides}
	if overrides == nil {
		d.FieldConfig["overrides"] = []object{}
	}
	return d
}

// Row is a heading and the panels below it.
type Row struct {
	Title  string
	Panels []Panel
}

// Panel shows one or more expressions.
type Panel struct {
	Title       string
	Description string
	Unit        string // Grafana's name for it, or such as "suffix: games/s"
	Kind        Kind
	Log         bool // a logarithmic scale
	Queries     []Query
}

// Kind is the type of a panel; the zero value is a chart over time.
type Kind string

// The kinds.
const (
	Chart  Kind = "timeseries"
	Number Kind = "stat" // the last value, large
	// the legend, large, for metrics whose information is in the labels
	Label    Kind = "label"
	Timeline Kind = "state-timeline" // when each series was 1
)

// Query is an expression and the name of each of its series.
type Query struct {
	Expr   string // PromQL, with Grafana's variables $run and $__rate_interval
	Legend string
	Dashed bool // drawn dashed, such as bounds of an interval
}

// placeholders abbreviate text in the expressions: the selected runs, and the interval of
// rates.
var placeholders = strings.NewReplacer("RUN", `run=~"$run"`, "RATE", "$__rate_interval")

// show returns a query whose legend begins with the run's name.
func show(expr, legend string) Query {
	return Query{Expr: placeholders.Replace(expr), Legend: strings.TrimSpace("{{run}} " + legend)}
}

// dashed returns a query that is drawn dashed.
func dashed(expr, legend string) Query {
	q := show(expr, legend)
	q.Dashed = true
	return q
}

// mean returns a query of the current mean of a histogram's observations.
func mean(histogram, legend string) Query {
	return show("sum by (run) (rate("+histogram+"_sum{RUN}[RATE])) / sum by (run) (rate("+histogram+
		"_count{RUN}[RATE]))", legend)
}

// quantile returns a dashed query of a quantile of a histogram's current observations.
func quantile(q, histogram, legend string) Query {
	return dashed("histogram_quantile("+q+", sum by (run, le) (rate("+histogram+
		"_bucket{RUN}[RATE])))", legend)
}

var (
	// selector is a metric's name and its label matchers, or the bracket of its range.
	selector = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{([^}]*)\}|\[)`)
	// bare is a name with one of our prefixes, whatever follows.
	bare    = regexp.MustCompile(`\b(?:tengen|process|go)_[a-z0-9_]+`)
	matcher = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)\s*(?:=~|!~|!=|=)`)
	quoted  = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// common are the labels that every series has.
var common = []string{"run", "instance", "job"}

// CheckExpression returns the metrics in an expression that families lack (except up, which
// Prometheus provides), and labels that the metrics do not have.
func CheckExpression(expr string, families []metrics.Family) []string {
	var problems []string
	find := func(name string) *metrics.Family {
		for i := range families {
			f := &families[i]
			if name == f.Name && f.Type != "histogram" ||
				len(f.Name) < len(name) &&
					slices.Contains(suffixes[f.Type], strings.TrimPrefix(name, f.Name)) {
				return f
			}
		}
		return nil
	}
	plain := quoted.ReplaceAllString(expr, `""`)
	for _, m := range selector.FindAllStringSubmatch(plain, -1) {
		name := m[1]
		f := find(name)
		if f == nil {
			if name != "up" {
				problems = append(problems, fmt.Sprintf("%s is not a metric", name))
			}
			continue
		}
		for _, l := range matcher.FindAllStringSubmatch(m[2], -1) {
			known := slices.Contains(common, l[1]) ||
				l[1] == "le" && strings.HasSuffix(name, "_bucket")
			if !known && !slices.ContainsFunc(f.Labels, func(x metrics.Label) bool {
				return x.Name == l[1]
			}) {
				problems = append(problems, fmt.Sprintf("%s has no label %s", name, l[1]))
			}
		}
	}
	for _, name := range bare.FindAllString(plain, -1) {
		if find(name) == nil {
			problems = append(problems, fmt.Sprintf("%s is not a metric", name))
		}
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

// suffixes are the suffixes of a family's series, by type.
var suffixes = map[string][]string{
	"histogram": {"_bucket", "_sum", "_count"},
	"summary":   {"_sum", "_count"},
}
