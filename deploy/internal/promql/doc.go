// Package promql checks that expressions for Prometheus ask for metrics that there are.
//
//	problems := promql.Check(`rate(tengen_steps_total{run="quick"}[5m])`, metrics.Contract())
//
// It reads names and labels, not the grammar: whether an expression can be
// evaluated, Prometheus tells.
package promql
