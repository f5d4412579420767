// Package chart draws curves, bands and marks over two axes, as SVG:
//
//	p := chart.New("points by seat")
//	p.X.Label, p.Y.Label = "games played", "points"
//	p.Line("Black", []chart.Point{{X: 0, Y: 8}, {X: 100, Y: 12}}, chart.Style{Color: chart.Colors[0]})
//	svg := (&chart.Sheet{Width: 600, RowHeight: 340, Rows: [][]*chart.Panel{{p}}}).SVG()
//
// Axes grow with what is added; [Axis].Min and Max may be set before, so that they begin there,
// and after, so that they end there. The same panels give the same bytes.
//
// Caveats: the width of texts is estimated, since viewers choose the font. Points that are not
// finite are left out.
package chart
