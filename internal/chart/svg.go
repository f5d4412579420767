package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Sheet is a picture: rows of panels below a key.
type Sheet struct {
	Width     float64 // in pixels
	RowHeight float64 // of each row of panels, in pixels
	Key       []Entry // of all panels; nil: none
	Rows      [][]*Panel
}

// Sizes in pixels.
const (
	font    = 11.0
	line    = 16.0 // of text
	margin  = 10.0
	sample  = 26.0 // of a line in a key
	tickGap = 5.0
)

// width estimates the width of a text.
func width(text string) float64 {
	w := 0.0
	for _, r := range text {
		if w += 0.58 * font; r > 0x2e80 {
			w += 0.42 * font
		}
	}
	return w
}

// SVG draws the sheet.
func (s *Sheet) SVG() []byte {
	columns := 1
	if len(s.Key) > 0 {
		widest := 0.0
		for _, e := range s.Key {
			widest = max(widest, width(e.Name))
		}
		columns = max(1, int((s.Width-2*margin)/(widest+sample+2*margin)))
	}
	top := margin + line*float64((len(s.Key)+columns-1)/columns)
	height := top + s.RowHeight*float64(len(s.Rows))
	d := &drawing{}
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%v" height="%v" viewBox="0 0 %[1]v %[2]v"`, num(s.Width), num(height))
	d.printf(" font-family=\"sans-serif\" font-size=\"%v\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", num(font))
	step := (s.Width - 2*margin) / float64(columns)
	for i, e := range s.Key {
		d.entry(e, margin+step*float64(i%columns), margin+line*(float64(i/columns)+0.5))
	}
	left := map[[2]int]float64{} // of the axes in a column of rows with so many panels
	for _, row := range s.Rows {
		for i, p := range row {
			at := [2]int{len(row), i}
			left[at] = max(left[at], p.left())
		}
	}
	for _, row := range s.Rows {
		wide := (s.Width - margin) / float64(len(row))
		for i, p := range row {
			d.panel(p, box{margin/2 + wide*float64(i), top, wide - margin/2, s.RowHeight},
				left[[2]int{len(row), i}])
		}
		top += s.RowHeight
	}
	d.printf("</svg>\n")
	return d.Bytes()
}

// left returns the width that the labels of the vertical axis need.
func (p *Panel) left() float64 {
	w := 0.0
	for _, t := range p.Y.ticks() {
		w = max(w, width(t.Label))
	}
	if p.Y.Label != "" {
		w += line
	}
	return w + tickGap
}

type box struct{ x, y, width, height float64 }

// drawing is an SVG in the making.
type drawing struct {
	bytes.Buffer
	clips int
}

func (d *drawing) printf(form string, args ...any) { fmt.Fprintf(d, form, args...) }

// num writes a length with two decimals at most.
func num(x float64) string {
	text := strings.TrimRight(strconv.FormatFloat(x, 'f', 2, 64), "0")
	if text = strings.TrimSuffix(text, "."); text == "-0" {
		return "0"
	}
	return text
}

// text writes a text; more are further attributes.
func (d *drawing) text(x, y float64, anchor, text, more string) {
	d.printf(`<text x="%s" y="%s" text-anchor="%s"%s>`, num(x), num(y), anchor, more)
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	_ = xml.EscapeText(d, []byte(text)) // a buffer takes all
	d.printf("</text>\n")
}

func (s Style) stroke() string {
	ink, thick := s.Color, s.Width
	if ink == "" {
		ink = "black"
	}
	if thick == 0 {
		thick = 1.3
	}
	text := fmt.Sprintf(`stroke="%s" stroke-width="%s" fill="none"`, ink, num(thick))
	if s.Dash != "" {
		text += fmt.Sprintf(` stroke-dasharray="%s"`, s.Dash)
	}
	return text
}

func (d *drawing) line(x1, y1, x2, y2 float64, stroke string) {
	d.printf("<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" %s/>\n",
		num(x1), num(y1), num(x2), num(y2), stroke)
}

// mark draws a curve's mark.
func (d *drawing) mark(s Style, x, y float64) {
	ink := s.Color
	if ink == "" {
		ink = "black"
	}
	const r = 2.8
	switch s.Mark {
	case Dot:
		d.printf("<circle cx=\"%s\" cy=\"%s\" r=\"%v\" fill=\"%s\"/>\n", num(x), num(y), r, ink)
	case Ring:
		d.printf("<circle cx=\"%s\" cy=\"%s\" r=\"%v\" fill=\"none\" stroke=\"%s\"/>\n",
			num(x), num(y), r, ink)
	case Square:
		d.printf("<rect x=\"%s\" y=\"%s\" width=\"%v\" height=\"%[3]v\" fill=\"%[4]s\"/>\n",
			num(x-r), num(y-r), 2*r, ink)
	case Triangle:
		d.printf("<path d=\"M%s %sl%v %vh%vz\" fill=\"%s\"/>\n",
			num(x), num(y-r-0.5), r+0.4, 2*r, -2*(r+0.4), ink)
	case Cross:
		d.printf("<path d=\"M%s %sl%v %[3]vm%[4]v 0l%[3]v %[4]v\" stroke=\"%[5]s\"/>\n",
			num(x-r), num(y-r), 2*r, -2*r, ink)
	}
}

// entry draws a line of a key.
func (d *drawing) entry(e Entry, x, y float64) {
	if !e.Style.NoLine {
		d.line(x, y, x+sample-6, y, e.Style.stroke())
	}
	d.mark(e.Style, x+(sample-6)/2, y)
	d.text(x+sample, y+font/3, "start", e.Name, "")
}

// panel draws a panel; left is the width of its axis.
func (d *drawing) panel(p *Panel, b box, left float64) {
	d.text(b.x+left+(b.width-left)/2, b.y+line-4, "middle", p.Title, "")
	in := box{b.x + left, b.y + line + 4, b.width - left - margin, b.height - 2*line - 4 - margin}
	if p.X.Label != "" {
		in.height -= line
		d.text(in.x+in.width/2, b.y+b.height-margin, "middle", p.X.Label, "")
	}
	if p.Y.Label != "" {
		x, y := b.x+font, in.y+in.height/2
		d.text(x, y, "middle",
			p.Y.Label, fmt.Sprintf(` transform="rotate(-90 %s %s)"`, num(x), num(y)))
	}
	at := func(q Point) (x, y float64) {
		return in.x + in.width*p.X.at(q.X), in.y + in.height*(1-p.Y.at(q.Y))
	}
	const grid, axis = `stroke="#e1e1e1"`, `stroke="black"`
	for _, t := range p.X.ticks() {
		x := in.x + in.width*p.X.at(t.Value)
		if !p.Bare {
			d.line(x, in.y, x, in.y+in.height, grid)
		}
		d.text(x, in.y+in.height+line-2, "middle", t.Label, "")
	}
	for _, t := range p.Y.ticks() {
		y := in.y + in.height*(1-p.Y.at(t.Value))
		if !p.Bare {
			d.line(in.x, y, in.x+in.width, y, grid)
		}
		d.text(in.x-tickGap, y+font/3, "end", t.Label, "")
	}
	d.clips++
	d.printf("<clipPath id=\"c%d\"><rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/></clipPath>\n<g clip-path=\"url(#c%[1]d)\">\n",
		d.clips, num(in.x-4), num(in.y-4), num(in.width+8), num(in.height+8))
	for _, x := range p.items {
		d.item(x, at)
	}
	d.printf("</g>\n")
	if !p.Bare {
		d.line(in.x, in.y, in.x, in.y+in.height, axis)
		d.line(in.x, in.y+in.height, in.x+in.width, in.y+in.height, axis)
	}
	d.key(p, in)
}

// item draws what stands over the axes.
func (d *drawing) item(x item, at func(Point) (x, y float64)) {
	var path strings.Builder
	for i, q := range x.points {
		px, py := at(q)
		fmt.Fprintf(&path, "%c%s %s", "ML"[min(i, 1)], num(px), num(py))
	}
	switch {
	case x.solid:
		d.printf("<path d=\"%sz\" fill=\"%s\" stroke=\"white\" stroke-width=\"1.5\"/>\n",
			&path, x.style.Color)
		ax, ay := at(x.points[0])
		bx, by := at(x.points[2])
		d.text((ax+bx)/2, (ay+by)/2+font/3, "middle", x.text, fmt.Sprintf(` fill="%s"`, x.ink))
	case x.area:
		d.printf("<path d=\"%sz\" fill=\"%s\" fill-opacity=\"0.16\"/>\n", &path, x.style.Color)
	default:
		if !x.style.NoLine && len(x.points) > 1 {
			d.printf("<path d=\"%s\" %s/>\n", &path, x.style.stroke())
		}
		if x.style.Mark != NoMark {
			for _, q := range x.points {
				px, py := at(q)
				d.mark(x.style, px, py)
			}
		}
	}
}

// key draws the names of a panel's curves in its corner.
func (d *drawing) key(p *Panel, in box) {
	widest := 0.0
	for _, e := range p.key {
		widest = max(widest, width(e.Name))
	}
	x, y := in.x+margin, in.y+margin
	if p.Corner == TopRight || p.Corner == BottomRight {
		x = in.x + in.width - margin - sample - widest
	}
	if p.Corner == BottomLeft || p.Corner == BottomRight {
		y = in.y + in.height - margin/2 - line*float64(len(p.key))
	}
	for i, e := range p.key {
		d.entry(e, x, y+line*(float64(i)+0.5))
	}
}
