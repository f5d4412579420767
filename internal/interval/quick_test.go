//go:build !slow

package interval

// Sizes of the tests; with -tags slow there are more.
var (
	winsOf  = []int{2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 41, 56, 75, 100, 150}
	gamesOf = []int{2, 3, 5, 10, 20, 50, 100, 300}
)

const matches = 1000
