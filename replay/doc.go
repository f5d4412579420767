// Package replay stores the games of self-play and encodes them as training rows.
//
// A [Game] is the record of one game: seats, every action, visit counts, root
// values and the result, enough to replay it exactly. A [Log] appends records to
// segments on disk, [Load] reads the most recent ones, skipping damage, and [Prune]
// removes old segments. A [Window] holds the most recent games in memory and draws
// samples (positions in which a player had a choice) from them. An [Encoder] replays
// a record up to a sample and writes its observation and training targets.
//
// Tree learning (Descent) trains on every state of the searches of a game: a record
// may hold these as a list of [Tree], and a window with WindowConfig.Trees makes a
// sample of each.
//
//	window, err := replay.NewWindow(g, replay.WindowConfig{Capacity: 2000, HeldOut: 0.02, Seed: seed})
//	encoder, err := replay.NewEncoder(g, replay.EncoderConfig{Support: g.Support()})
//	…
//	err = window.Add(record) // each game, in order of game number
//	…
//	samples = window.Pass(rng, false, samples[:0]) // every training sample once, in random order
//	for i, s := range samples[:batch] {
//		err = encoder.Row(s, rng.IntN(encoder.Symmetries()), observations[i], policies[i], &weights[i], values[i])
//	}
//
// Records store actions, not observations: a game of 70 plies takes a few kilobytes,
// and replaying a ply is faster than copying its planes. See
// docs/formats/replay-segment.md for the format.
//
// Caveats: a Window, an Encoder and a Log may each be used by one goroutine at a
// time. A record must not change once it is in a window. Trees have thousands of
// states a game, each about 50 bytes in memory for three players.
package replay
