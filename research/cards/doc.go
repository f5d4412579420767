// Package cards repeats the experiments of Taucer, Polk and Oommen, "On Addressing the Challenges
// of Complex Stochastic Games Using 'Representative' Moves" (AIAI 2018), on the trading-card game.
//
// [Experiments] runs them: Tables 2 and 3 are searches from one position, Tables 4 and 5 are
// matches, and [Experiments.Beyond] plays what the paper leaves to future work. [Layout] is their
// page.
//
//	e := cards.Experiments{Game: "tcg", Games: 500, Pairs: 50, Seed: 1, Time: 10 * time.Millisecond}
//	table, err := e.Table4(ctx, research.Made{Command: "…", Machine: "…", Seed: 1})
//
// Matches at measured time depend on the machine and on what else runs on it.
package cards
