// Package rating estimates the strength of players from the results of their games,
// and tests when enough games have been played.
//
// [Fit] rates any number of players from games with any number of seats: by the
// Bradley-Terry model for two, the Plackett-Luce model for more.
//
//	r, err := rating.Fit(2, []rating.Game{
//		{Players: []int{0, 1}, Scores: []float64{1, 0}},
//		…
//	}, rating.Options{Anchor: 0})
//	fmt.Println(r.Ratings[1].Elo, r.Ratings[1].Low, r.Ratings[1].High)
//
// [SPRT] stops a match of two players as soon as its pairs of games decide between two
// hypotheses.
//
// # Model
//
// A game is a series of choices: who finishes first, who of the remaining finishes
// next, and so on. Each of the remaining seats is chosen with a probability
// proportional to its worth α = 10^(Elo/400), times its seat's advantage if
// [Options].Seats is set (Plackett 1975, Luce 1959; for two seats Bradley and Terry
// 1952). So a difference of ratings is the odds, on a logarithmic scale, of finishing
// before the other, given no tie: 400 points are odds of 10 to 1.
//
// Ties are separate outcomes: t seats are chosen together with a probability
// proportional to δ·(product of their α)^(1/t), as in Davidson's model for pairs (JASA
// 1970), the Davidson-Luce model (Firth, Kosmidis and Turner 2019, arXiv:1909.07123)
// and the R package PlackettLuce (Turner, van Etten, Firth and Kosmidis, Computational
// Statistics 2020). Here δ, the prevalence of ties, is estimated for each pair of the
// number of remaining seats and the number tied, not for the number tied alone: in
// many games of several players the losers share the last place by rule, while nobody
// shares the first. If the remaining seats always tie, their tie contains no
// information on their strengths, and the fit ignores it. How often two players draw
// does show that they are close, once δ is known from other pairs.
//
// This has two consequences that users of chess ratings should know. Elo here is about
// wins and losses: with many draws, differences are larger than those computed from
// the expected score, which [SPRT] uses. And a player that sometimes drew and never
// lost is bounded from below only.
//
// If one player holds all remaining seats, its copies are compared with each other,
// which gives information on the seats only. Such choices count conditional on the
// number tied, so that games of a player against itself never change a rating.
//
// # Estimates and intervals
//
// The likelihood is concave in the logarithms of all parameters, and Newton's method
// with a line search maximises it, always with the same result. A weak prior keeps
// estimates finite where the likelihood has no maximum (Ford 1957), as for a player
// that never lost: each player has won and lost half a game against an absent player
// whose rating is free, and each seat likewise against an absent seat. (PlackettLuce
// has such pseudo-rankings too.) The prior does not refer to the anchor, so that
// differences of ratings don't depend on the choice of the anchor.
//
// Intervals are those of the likelihood ratio: all differences to the anchor at which
// the best fit of everything else is not worse than the best overall fit by more than
// the 95 % quantile of χ² with one degree of freedom allows (Venzon and Moolgavkar
// 1988). A side on which the games alone, without the prior, set no bound is infinite:
// above a player that never lost, on both sides of players that no chain of games
// links to the anchor, and for a player and a seat that always occur together.
// Everything beyond 5,200 Elo counts as infinite.
//
// The model can be wrong: strength may depend on the opponent, and games on each
// other. If the games' gradients vary more than the model predicts, the interval is
// widened by the ratio of the robust ("sandwich") variance (White 1982), summed over
// groups of dependent games, to the model's. It is never narrowed. With dependent
// games, an interval should be based on some 30 groups or more.
//
// The package's tests simulate players with known ratings of several kinds: without
// ties, with ties of all numbers, with seats, with losers that share the last place
// always or at random, with games in groups. The truth lies in the interval in 94.6 to
// 96.8 % of 1500 repetitions.
//
// # Caveats
//
// Games that repeat each other, such as those of deterministic players, are one game:
// pass them once, or in one [Game].Group. The 95 % hold for each interval, not for all
// at once: of twenty players one is expected to lie outside. Since any remaining seats
// may tie, the work doubles with each seat; games have at most 12.
package rating
