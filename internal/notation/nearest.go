package notation

import (
	"fmt"
	"strings"
)

// DidYouMean returns ` (did you mean "size"?)` with the known word nearest to word,
// "" if none is near enough to be what was meant. Capitals count as small letters.
func DidYouMean(word string, known []string) string {
	best, bestDistance := "", len(word)/2+1
	lower := strings.ToLower(word)
	for _, k := range known {
		if d := distance(lower, strings.ToLower(k)); d < bestDistance ||
			d == bestDistance && k < best {
			best, bestDistance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// distance returns the restricted Damerau–Levenshtein distance: the number of bytes
// to insert, delete, replace or swap with a neighbour.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
