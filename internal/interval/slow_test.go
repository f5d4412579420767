//go:build slow

package interval

// winsOf has all numbers of games from 2 to 500.
var winsOf = func() (list []int) {
	for n := 2; n <= 500; n++ {
		list = append(list, n)
	}
	return list
}()

var gamesOf = []int{
	2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 100, 150, 200, 300, 400, 500,
}

const matches = 20_000
