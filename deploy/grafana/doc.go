// Package grafana is the dashboard of runs: [Rows] say what it shows, and
// [Dashboard] is the JSON that Grafana reads.
//
// The file dashboards/tengen.json is made from them,
//
//	go test ./deploy/grafana -run TestFile -update
//
// and provisioning/ has Grafana load it. It can be imported by hand as well: it asks
// for the data source, and shows any number of runs, chosen by name, side by side.
//
// Expressions use metrics of the contract alone (docs/metrics.md). What a run
// does now is asked for over Grafana's $__rate_interval, so that the dashboard suits any
// scrape interval.
package grafana
