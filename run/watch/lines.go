package watch

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tengen/game"
	"tengen/internal/notation"
	"tengen/run/history"
)

const (
	labelWidth = 10 // of the first column
	maxSpark   = 40
	minSpark   = 6
	minWidth   = 20
)

// Lines formats a snapshot as lines of at most width columns. With color, labels are dim
// and the title is bold; no information is in the color alone.
func Lines(x *Snapshot, width int, color bool) []string {
	p := &page{width: max(width, minWidth), color: color}
	p.head(x)
	p.rates(x)
	p.learning(x)
	p.strength(x)
	p.times(x)
	for i, w := range x.Warnings {
		name := "warnings"
		if i > 0 {
			name = ""
		}
		text := notation.Plain(w.Text)
		if !w.Time.IsZero() {
			text = clock(w.Time, x.Time) + " " + text
		}
		p.words(name, strings.Fields(text))
	}
	return p.lines
}

// page collects lines.
type page struct {
	width int
	color bool
	lines []string
}

// words adds words after a label, on as many lines as they need.
func (p *page) words(label string, words []string) {
	room := p.width - labelWidth
	line := ""
	for _, w := range words {
		w = clip(w, room)
		switch {
		case line == "":
			line = w
		case length(line)+1+length(w) <= room:
			line += " " + w
		default:
			p.put(label, line)
			label, line = "", w
		}
	}
	if line != "" {
		p.put(label, line)
	}
}

// parts adds parts separated by two spaces. It breaks a part only if it is longer than a
// line.
func (p *page) parts(label string, parts ...string) {
	room := p.width - labelWidth
	line := ""
	flush := func() {
		switch {
		case line == "":
			return
		case length(line) <= room:
			p.put(label, line)
		default:
			p.words(label, strings.Fields(line))
		}
		label, line = "", ""
	}
	for _, part := range parts {
		if line != "" && length(line)+2+length(part) > room {
			flush()
		}
		if line != "" && part != "" {
			line += "  "
		}
		line += part
	}
	flush()
}

// drawn adds text and, if there is room beside it, a curve.
func (p *page) drawn(label, text string, curve []float64) {
	room := p.width - labelWidth - length(text) - 2
	if room < minSpark || len(curve) < 2 {
		p.parts(label, text)
		return
	}
	p.put(label, text+"  "+spark(curve, min(room, maxSpark)))
}

func (p *page) put(label, text string) {
	text = notation.Plain(text)
	label += strings.Repeat(" ", max(0, labelWidth-length(label)))
	if p.color {
		label = "\x1b[2m" + label + "\x1b[0m"
	}
	p.lines = append(p.lines, strings.TrimRight(label+text, " "))
}

// head adds the source, the state and the stage.
func (p *page) head(x *Snapshot) {
	title := clip(notation.Plain(x.Source), p.width)
	if p.color {
		title = "\x1b[1m" + title + "\x1b[0m"
	}
	p.lines = append(p.lines, title)
	p.parts("", x.Game, x.Algorithm)
	p.words("state", strings.Fields(x.State+heldBy(x.Holder)))
	number := x.Iteration
	if x.State == string(history.Running) && (number < x.Iterations || x.Iterations == 0) {
		number++ // the one under way, as the process itself shows it
	}
	at := fmt.Sprint(number)
	if x.Iterations > 0 {
		at += fmt.Sprintf("/%d", x.Iterations)
	}
	stage := x.Stage
	if x.All > 0 {
		stage += fmt.Sprintf(" %d/%d games", x.Done, x.All)
	}
	done := ""
	if x.Iterations > 0 {
		done = bar(x.Share, 20)
	}
	p.parts("iteration", at, done, stage)
}

func heldBy(holder string) string {
	if holder == "" {
		return ""
	}
	return ": " + holder
}

// bar returns a share, 0 to 1, as a bar of width characters.
func bar(share float64, width int) string {
	n := int(math.Round(min(1, max(0, share)) * float64(width)))
	return strings.Repeat("█", n) + strings.Repeat("░", width-n)
}

func (p *page) rates(x *Snapshot) {
	var parts []string
	for _, r := range []struct {
		rate *float64
		unit string
	}{{x.GamesRate, "games/s"}, {x.EvaluationsRate, "evaluations/s"}, {x.StepsRate, "steps/s"}} {
		if r.rate != nil {
			parts = append(parts, figure(*r.rate)+" "+r.unit)
		}
	}
	if x.CacheHits != nil {
		parts = append(parts, fmt.Sprintf("%.0f %% cache hits", 100**x.CacheHits))
	}
	if len(parts) > 0 {
		if x.RatesOf != "" {
			parts = append(parts, "("+x.RatesOf+")")
		}
		p.parts("rates", parts...)
	}
	parts = nil
	for _, n := range []struct {
		n    int
		unit string
	}{{x.Games, "games"}, {x.Window, "in the window"}, {x.Steps, "steps"}} {
		if n.n > 0 {
			parts = append(parts, thousands(n.n)+" "+n.unit)
		}
	}
	p.parts("made", parts...)
}

func (p *page) learning(x *Snapshot) {
	for _, l := range x.Losses {
		text := ""
		if l.Training != nil {
			text = digits(*l.Training)
		}
		if l.HeldOut != nil {
			text += "  held out " + digits(*l.HeldOut)
		}
		p.drawn(l.Head, strings.TrimSpace(text), l.Curve)
	}
}

func (p *page) strength(x *Snapshot) {
	s := x.Strength
	if s != nil {
		parts := make([]string, len(s.Seats))
		for i, seat := range s.Seats {
			parts[i] = seat.Seat + " " + withHalf(seat.Points, seat.CI95)
		}
		p.parts(game.ScoreUnitOf(x.Game), parts...)
		p.drawn("sum", withHalf(s.Sum, s.CI95), s.Curve)
	}
	if r := x.Rating; r != nil {
		p.drawn("rating",
			fmt.Sprintf("%+.0f Elo (%s to %s)",
				r.Rating, bound(r.Low, "−∞"), bound(r.High, "∞")), r.Curve)
	}
	if s == nil {
		return
	}
	parts := []string{fmt.Sprintf("iteration %d", s.Iteration)}
	if s.Games > 0 {
		parts = append(parts, fmt.Sprintf("%d games a seat", s.Games))
	}
	if s.Against != "" {
		parts = append(parts, "against "+s.Against)
	}
	var alone []string
	for _, seat := range s.Seats {
		if seat.Baseline != nil {
			alone = append(alone, digits(*seat.Baseline))
		}
	}
	if len(alone) > 0 {
		parts = append(parts, "UCT alone "+strings.Join(alone, " / "))
	}
	p.parts("measured", parts...)
}

func (p *page) times(x *Snapshot) {
	var parts []string
	if x.Elapsed != nil {
		parts = append(parts, span(*x.Elapsed)+" so far")
	}
	if x.Left != nil {
		parts = append(parts, "about "+span(*x.Left)+" left")
	}
	if !x.Told.IsZero() {
		parts = append(parts, "last event "+ago(x.Told, x.Time))
	}
	if !x.Saved.IsZero() {
		parts = append(parts, "checkpoint "+ago(x.Saved, x.Time))
	}
	p.parts("time", parts...)
}

// withHalf is "19.4 ± 2.6".
func withHalf(x float64, half *float64) string {
	places := 1
	if math.Abs(x) < 5 {
		places = 2 // in games that are won or lost a point is a lot
	}
	text := fmt.Sprintf("%.*f", places, x)
	if half != nil {
		text += fmt.Sprintf(" ± %.*f", places, *half)
	}
	return text
}

func bound(x *float64, none string) string {
	if x == nil {
		return none
	}
	return fmt.Sprintf("%.0f", *x)
}

// digits formats a number with about three significant digits.
func digits(x float64) string {
	switch a := math.Abs(x); {
	case a >= 100:
		return fmt.Sprintf("%.0f", x)
	case a >= 10:
		return fmt.Sprintf("%.1f", x)
	case a >= 0.1 || a == 0:
		return fmt.Sprintf("%.3g", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// figure writes a rate.
func figure(x float64) string {
	if x >= 100 {
		return thousands(int(math.Round(x)))
	}
	return digits(x)
}

// thousands writes a whole number with its thousands apart.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// span writes seconds as people say them.
func span(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
	case d >= time.Hour:
		return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

func ago(t, now time.Time) string {
	return span(max(0, now.Sub(t).Seconds())) + " ago"
}

// clock returns the time of day, with the date if it is not that of now.
func clock(t, now time.Time) string {
	t = t.In(now.Location())
	if t.Format(time.DateOnly) != now.Format(time.DateOnly) {
		return t.Format("2006-01-02 15:04")
	}
	return t.Format(time.TimeOnly)
}

func length(s string) int { return ansi.StringWidth(s) }

// clip shortens a text to at most n columns.
func clip(s string, n int) string { return ansi.Truncate(s, n, "…") }

// bars has eight heights.
var bars = []rune("▁▂▃▄▅▆▇█")

// spark draws a curve as at most width characters, scaled to its least and greatest value.
// A longer curve is drawn as the means of parts of about equal length. A constant curve is
// drawn low, and a NaN or infinite value as a space.
func spark(curve []float64, width int) string {
	if width < 1 || len(curve) == 0 {
		return ""
	}
	list := curve
	if len(curve) > width {
		list = make([]float64, width)
		for i := range list {
			from, to := i*len(curve)/width, (i+1)*len(curve)/width
			sum := 0.0
			for _, y := range curve[from:to] {
				sum += y
			}
			list[i] = sum / float64(to-from)
		}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, y := range list {
		if !math.IsNaN(y) && !math.IsInf(y, 0) {
			low, high = min(low, y), max(high, y)
		}
	}
	var b strings.Builder
	for _, y := range list {
		switch {
		case math.IsNaN(y) || math.IsInf(y, 0):
			b.WriteRune(' ')
		case high == low:
			b.WriteRune(bars[0])
		default:
			b.WriteRune(bars[min(len(bars)-1, int((y-low)/(high-low)*float64(len(bars))))])
		}
	}
	return b.String()
}
