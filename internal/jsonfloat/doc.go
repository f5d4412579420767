// Package jsonfloat writes floating-point numbers as JSON, which has none for NaN
// and the infinities: they become null.
//
//	json.Marshal(struct{ Low *float64 }{jsonfloat.OrNull(low)})
package jsonfloat
