package grafana

import "strings"

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
