// Package figures writes numbers, and tables of named values, as text:
//
//	figures.Write(w, "searches", []figures.Figure{{"simulations/s", figures.Grouped(1234567)}})
package figures
