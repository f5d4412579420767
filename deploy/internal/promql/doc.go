// Package promql checks that Prometheus expressions use existing metrics.
//
//	problems := promql.Check(`rate(tengen_steps_total{run="quick"}[5m])`, metrics.Contract())
//
// It checks names and labels, not the grammar.
package promql
