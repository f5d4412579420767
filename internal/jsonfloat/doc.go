// Package jsonfloat encodes floating-point numbers as JSON. NaN and infinities, which
// JSON can't represent, become null.
//
//	json.Marshal(struct{ Low *float64 }{jsonfloat.OrNull(low)})
package jsonfloat
