// Package interval has the 95 % confidence intervals of all figures that the program prints.
//
//	i := interval.Bounded(n, mean, squares, 0, 1) // of results, shares and points, whose range is known
//	i := interval.Rate(wins/n, n)                 // the same, of a share alone
//	i := interval.Mean(n, mean, squares)          // of Elo, losses and times, whose range is not
//
// Samples are independent: where games depend on each other, such as those of a round with one
// opening, the round's mean is the sample.
//
// The interval of a bounded mean is that of Agresti and Coull ("Approximate is better than 'exact'
// for interval estimation of binomial proportions", 1998) with the spread that the samples have:
// pseudo-samples at both ends of the range stand for results that did not occur yet, so that no
// interval has width 0, and Student's t stands for the normal distribution. For samples that all
// lie at the ends it is theirs; for others there are fewer pseudo-samples, as many as a series of
// equal results wants, so that the interval approaches Student's. The test of the package simulates
// samples of all kinds: of 100 intervals at least 94 contain the mean, for any share of wins, from
// 2 samples on.
//
// Text has both bounds, "56 % (49 to 63)", or where one number has to do, as after ± and in fields
// called ci95, the wider half ([Interval.Half]): the mean ± that contains the interval.
package interval
