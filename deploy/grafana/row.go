package grafana

import "strings"

// Row is a headline and the panels below it.
type Row struct {
	Title  string
	Panels []Panel
}

// Panel is a picture of some expressions.
type Panel struct {
	Title       string
	Description string
	Unit        string // Grafana's name of it; "suffix: games/s" for one that it has no name for
	Kind        Kind
	Log         bool // a logarithmic scale
	Queries     []Query
}

// Kind is how a panel shows its expressions; the zero value is a chart over time.
type Kind string

// Kinds beside the chart.
const (
	Chart    Kind = "timeseries"
	Number   Kind = "stat"           // the last value, large
	Label    Kind = "label"          // the legend, large: for metrics whose labels tell
	Timeline Kind = "state-timeline" // when each series was 1
)

// Query is an expression and the name of each of its series.
type Query struct {
	Expr   string // PromQL, with Grafana's variables $run and $__rate_interval
	Legend string
	Dashed bool // drawn so, as bounds of an interval are
}

// What stands for longer text in the expressions below: the runs chosen, and the
// time over which rates are taken.
var placeholders = strings.NewReplacer("RUN", `run=~"$run"`, "RATE", "$__rate_interval")

// show is a query; the legend begins with the run's name.
func show(expr, legend string) Query {
	return Query{Expr: placeholders.Replace(expr), Legend: strings.TrimSpace("{{run}} " + legend)}
}

// dashed is a query that is drawn with dashes.
func dashed(expr, legend string) Query {
	q := show(expr, legend)
	q.Dashed = true
	return q
}

// mean is the mean of what a histogram observes now, and quantile a quantile.
func mean(histogram, legend string) Query {
	return show("sum by (run) (rate("+histogram+"_sum{RUN}[RATE])) / sum by (run) (rate("+histogram+"_count{RUN}[RATE]))", legend)
}

func quantile(q, histogram, legend string) Query {
	return dashed("histogram_quantile("+q+", sum by (run, le) (rate("+histogram+"_bucket{RUN}[RATE])))", legend)
}
