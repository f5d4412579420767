package compare

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend is drawn above the panels, where it hides no curve.
type legend struct {
	entries []entry
	columns int
	height  vg.Length
	text    draw.TextStyle
}

// entry is a name and its style.
type entry struct {
	name  string
	line  draw.LineStyle
	glyph draw.GlyphDrawer // nil: none
}

const lineHeight = 14 // points

// legend returns the entries of the runs, then those of the kinds of lines.
func (c *Comparison) legend() *legend {
	l := &legend{text: plot.New().Legend.TextStyle}
	l.text.YAlign = draw.YCenter
	for i := range c.Runs {
		ink, glyph := style(i)
		l.entries = append(l.entries, entry{c.Runs[i].Name, draw.LineStyle{Color: ink, Width: vg.Points(1.3)}, glyph})
	}
	dark := color.Gray{60}
	if len(c.groups(c.heads)) > 0 {
		l.entries = append(l.entries, entry{"losses on held-out games", draw.LineStyle{Color: dark, Width: vg.Points(1), Dashes: []vg.Length{vg.Points(4), vg.Points(3)}}, nil})
	}
	if len(c.groups(c.measured)) > 0 {
		l.entries = append(l.entries, entry{"UCT alone; bands: 95 %", draw.LineStyle{Color: dark, Width: vg.Points(1), Dashes: []vg.Length{vg.Points(1), vg.Points(3)}}, nil})
	}
	widest := vg.Length(0)
	for _, e := range l.entries {
		widest = max(widest, l.text.Width(e.name))
	}
	l.columns = max(1, int((width-2*margin)/(widest+60)))
	l.height = vg.Length((len(l.entries)+l.columns-1)/l.columns)*lineHeight + 3*margin
	return l
}

// draw draws the entries row by row.
func (l *legend) draw(c draw.Canvas) {
	step := (c.Max.X - c.Min.X) / vg.Length(l.columns)
	for i, e := range l.entries {
		x := c.Min.X + vg.Length(i%l.columns)*step
		y := c.Max.Y - (vg.Length(i/l.columns)+0.5)*lineHeight
		c.StrokeLine2(e.line, x, y, x+28, y)
		if e.glyph != nil {
			c.DrawGlyph(draw.GlyphStyle{Color: e.line.Color, Shape: e.glyph, Radius: vg.Points(2.5)}, vg.Point{X: x + 14, Y: y})
		}
		c.FillText(l.text, vg.Point{X: x + 36, Y: y}, e.name)
	}
}
