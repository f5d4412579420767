// Package multigo repeats the experiments of Driss, Arjonilla, Wang, Saffidine and Cazenave, "Deep
// Reinforcement Learning for 5×5 Multiplayer Go".
//
// [Matches] plays the games of the tables and of the figure; [Rewards] trains networks on two
// rewards and compares them. [Layout] is their page.
//
//	m := multigo.Matches{Games: 500, Seed: 1}
//	table, err := m.Table3(ctx, research.Made{Command: "…", Machine: "…", Seed: 1})
package multigo
