package board

// Delta is the difference between two frames.
type Delta struct {
	Set  []Shape  `json:"set,omitempty"`  // new or changed shapes
	Drop []string `json:"drop,omitempty"` // keys of removed shapes
	// Spots are all spots of the new frame.
	Spots []Spot `json:"spots,omitempty"`
	Text  string `json:"text,omitempty"` // all text of the new frame
}

// DeltaOf returns the difference between two frames. Shapes that stay keep their place
// in the drawing order; new ones come last.
func DeltaOf(from, to Frame) Delta {
	before := make(map[string]Shape, len(from.Shapes))
	for _, s := range from.Shapes {
		before[s.Key] = s
	}
	d := Delta{Spots: to.Spots, Text: to.Text}
	for _, s := range to.Shapes {
		if old, ok := before[s.Key]; !ok || old != s {
			d.Set = append(d.Set, s)
		}
		delete(before, s.Key)
	}
	for _, s := range from.Shapes {
		if _, gone := before[s.Key]; gone {
			d.Drop = append(d.Drop, s.Key)
		}
	}
	return d
}

// Apply returns the new frame.
func (d Delta) Apply(from Frame) Frame {
	to := Frame{Spots: d.Spots, Text: d.Text}
	place := map[string]int{}
	gone := map[string]bool{}
	for _, key := range d.Drop {
		gone[key] = true
	}
	for _, s := range from.Shapes {
		if !gone[s.Key] {
			place[s.Key] = len(to.Shapes)
			to.Shapes = append(to.Shapes, s)
		}
	}
	for _, s := range d.Set {
		if i, ok := place[s.Key]; ok {
			to.Shapes[i] = s
			continue
		}
		place[s.Key] = len(to.Shapes)
		to.Shapes = append(to.Shapes, s)
	}
	return to
}
