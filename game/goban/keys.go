package goban

import "tengen/internal/random"

// keys holds a number for each colour and point. The key of a position is the sum of
// the numbers of its stones, so that it can be updated stone by stone (Zobrist 1970,
// with sums).
//
// With at most three colours and 31 points, the sum is the position itself: Black on
// point p is bit p, White bit p+31, Red both; the last two bits are left for the
// colour to move. Otherwise the numbers are random.
type keys struct {
	stone [maxPlayers][maxPoints]uint64
	turn  [maxPlayers]uint64 // added for the colour to move, in situational superko
}

const (
	maxPoints   = maxSide * maxSide
	exactPoints = 31
)

func newKeys(players, points int) *keys {
	k := new(keys)
	source := random.Source(0x676f62616e)
	exact := players <= 3 && points <= exactPoints
	for c := range k.stone {
		k.turn[c] = source.Next()
		if exact {
			k.turn[c] = uint64(c) << (2 * exactPoints)
		}
		for p := range points {
			k.stone[c][p] = source.Next()
			if exact {
				k.stone[c][p] = [...]uint64{1, 1 << exactPoints, 1<<exactPoints | 1, 0}[c] << p
			}
		}
	}
	return k
}
