// Package replay keeps what self-play has produced and turns it into training
// rows.
//
// A [Game] is the record of one game: seats, every action, visit counts, root
// values and the result, enough to play it again exactly. A [Log] appends
// records to segments on disk, [Load] reads the most recent ones back after a
// crash, stepping over what is damaged, and [Prune] removes old segments. A
// [Window] holds the last so many games in memory and draws samples (positions
// in which a player had a choice) from them; an [Encoder] replays the record up
// to a sample and writes the observation and the targets that a network learns.
//
// Tree learning (Descent) learns from every state that the searches of a game
// have looked at: a record may hold those as a list of [Tree], and a window
// whose WindowConfig.Trees is set makes a sample of each.
//
//	window, err := replay.NewWindow(g, replay.WindowConfig{Capacity: 2000, HeldOut: 0.02, Seed: seed})
//	encoder, err := replay.NewEncoder(g, replay.EncoderConfig{Support: g.Support(), Augment: true})
//	…
//	err = window.Add(record) // after each game, in order of game number
//	…
//	samples = window.Pass(rng, false, samples[:0]) // every training sample once, in random order
//	for i, s := range samples[:batch] {
//		err = encoder.Row(s, rng.IntN(encoder.Symmetries()), observations[i], policies[i], &weights[i], values[i])
//	}
//
// Records store actions, not observations: a game of 70 plies takes a few
// kilobytes, and replaying a ply costs less than copying its planes. The
// formats are described in docs/formats/replay-segment.md.
//
// Caveats: a Window, an Encoder and a Log are each used by one goroutine at a
// time; a record must not change once it is in a window. With trees, thousands
// of states a game are held: about 50 bytes each for three players.
package replay
