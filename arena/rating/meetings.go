package rating

import "math"

// dominance counts who finished before whom: for each two players the fraction of
// their meetings, and the number of meetings.
func dominance(players int, games []Game) (share [][]float64, meetings [][]int) {
	share = make([][]float64, players)
	meetings = make([][]int, players)
	for i := range players {
		share[i] = make([]float64, players)
		meetings[i] = make([]int, players)
	}
	for _, g := range games {
		for s, i := range g.Players {
			for z, j := range g.Players {
				if i == j {
					continue
				}
				meetings[i][j]++
				switch {
				case g.Scores[s] > g.Scores[z]:
					share[i][j]++
				case g.Scores[s] == g.Scores[z]:
					share[i][j] += 0.5
				}
			}
		}
	}
	for i := range players {
		for j := range players {
			if meetings[i][j] == 0 {
				share[i][j] = math.NaN()
			} else {
				share[i][j] /= float64(meetings[i][j])
			}
		}
	}
	return share, meetings
}

// connected reports for each player whether meetings link it to one whose rating is known.
func connected(meetings [][]int, known []int) []bool {
	linked := make([]bool, len(meetings))
	for _, i := range known {
		linked[i] = true
	}
	for queue := known; len(queue) > 0; queue = queue[1:] {
		for j, n := range meetings[queue[0]] {
			if n > 0 && !linked[j] {
				linked[j] = true
				queue = append(queue, j)
			}
		}
	}
	return linked
}
