package tcg

// assign values the best way to end the turn with the cards from i on. Their order does not
// matter to it: if together they attack for at least the opponent's health, they win. If
// not, each card heals or attacks, whichever changes more, or battles one card of the
// opponent's that no other does; losing a battle and doing nothing are never better. So
// the best turn is a matching of greatest weight between own and opposing cards, found by
// the Hungarian method (Kuhn 1955) in time cubic in the number of cards.
func (e *ending) assign(i int, v int64, alive uint64) {
	e.leaves++
	harm := int64(0)
	var w [MostCards + 1][MostCards]int64
	n := 0
	for k := i; k < e.count; k++ {
		c := e.of(e.mover, e.own[k])
		harm += int64(c.attack)
		stays := 3 * int64(max(c.heal, c.attack))
		v += stays
		for j := range int(e.theirs.count) {
			if alive>>j&1 == 0 {
				continue
			}
			t := e.of(1-e.mover, e.theirs.field[j])
			switch {
			case c.fight > t.fight:
				w[n][j] = max(0, int64(t.total)-stays)
			case c.fight == t.fight:
				w[n][j] = max(0, int64(t.total-c.total)-stays)
			}
		}
		n++
	}
	switch {
	case i < e.count && harm >= e.theirs.hp:
		v = e.win
	case e.drawn:
		v = 0
	default:
		v += matching(&w, n, int(e.theirs.count))
	}
	e.best = max(e.best, v)
}

// matching returns the greatest sum of weights of pairs of one of n rows and one of m columns,
// each in one pair at most. Weights are at least 0.
func matching(w *[MostCards + 1][MostCards]int64, n, m int) int64 {
	// Rows and columns count from 1. Each row is assigned a column, by shortest paths in
	// reduced costs; a column beyond m stands for none and costs 0.
	const rows, columns = MostCards + 2, 2*MostCards + 2
	var (
		u     [rows]int64
		p     [columns]int64
		match [columns]int
		way   [columns]int
	)
	all := m + n
	cost := func(row, column int) int64 {
		if column > m {
			return 0
		}
		return -w[row-1][column-1]
	}
	for row := 1; row <= n; row++ {
		match[0] = row
		var least [columns]int64
		var used [columns]bool
		for j := range least {
			least[j] = unbounded
		}
		at := 0
		for match[at] != 0 {
			used[at] = true
			from, next, step := match[at], 0, int64(unbounded)
			for j := 1; j <= all; j++ {
				if used[j] {
					continue
				}
				if d := cost(from, j) - u[from] - p[j]; d < least[j] {
					least[j], way[j] = d, at
				}
				if least[j] < step {
					step, next = least[j], j
				}
			}
			for j := 0; j <= all; j++ {
				if used[j] {
					u[match[j]] += step
					p[j] -= step
				} else {
					least[j] -= step
				}
			}
			at = next
		}
		for at != 0 {
			match[at] = match[way[at]]
			at = way[at]
		}
	}
	sum := int64(0)
	for j := 1; j <= m; j++ {
		if match[j] > 0 {
			sum += w[match[j]-1][j-1]
		}
	}
	return sum
}
