package board

// box is a part of a picture, given by its upper left corner and its size.
type box struct{ left, top, width, height float64 }

// spread arranges n equal things in a box, in the number of rows that makes them
// largest. width is that of one, at most most; centers are their positions, row by
// row. The height of each is tall times its width; gap is the distance between two.
func (b box) spread(n int, most, tall, gap float64) (width float64, centers [][2]float64) {
	rows := 1
	for r := 1; r <= n; r++ {
		columns := (n + r - 1) / r
		w := min(most, b.width/float64(columns)-gap, (b.height/float64(r)-gap)/tall)
		if w > width {
			width, rows = w, r
		}
	}
	columns := (n + rows - 1) / max(rows, 1)
	for i := range n {
		row, column := i/columns, i%columns
		here := min(columns, n-row*columns)
		centers = append(centers, [2]float64{
			b.left + b.width/2 + (float64(column)-float64(here-1)/2)*(width+gap),
			b.top + b.height/2 + (float64(row)-float64(rows-1)/2)*(tall*width+gap),
		})
	}
	return width, centers
}
