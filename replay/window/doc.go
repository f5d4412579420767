// Package window draws what updates learn from out of the most recent games.
//
// A [Window] holds the games in memory and draws samples (positions in which a player had a choice)
// from them. An [Encoder] replays a record up to a sample and writes its row: the observation and
// the training targets. [AuxiliaryTargets] are targets of a game's end. Tree learning (Descent)
// trains on every state of the searches of a game: a window with Config.Trees makes a sample of
// each.
//
//	w, err := window.New(g, window.Config{Capacity: 2000, HeldOut: 0.02, Seed: seed})
//	encoder, err := window.NewEncoder(g, window.EncoderConfig{Support: g.Support()})
//	…
//	err = w.Add(game) // each game, in order of game number
//	…
//	samples := w.Samples(false)
//	for i := range batch {
//		s := samples[rng.IntN(len(samples))]
//		err = encoder.Row(s, rng.IntN(encoder.Symmetries()), observations[i], policies[i], &weights[i], values[i])
//	}
//
// Caveats: a Window and an Encoder may each be used by one goroutine at a time. A record must not
// change once it is in a window.
package window
