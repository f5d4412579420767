// Package window draws what updates learn from out of the most recent games.
//
// A [Window] holds the games in memory and draws samples (positions in which a player had a choice)
// from them. An [Encoder] replays a game up to a sample and writes its row: the observation and
// the training targets. Tree learning (Descent)
// trains on every state of the searches of a game: a window with Config.Trees makes a sample of
// each.
//
//	w, err := window.New(g, window.Config{Capacity: 2000, HeldOut: 0.02, Seed: seed})
//	encoder, err := window.NewEncoder(w, window.EncoderConfig{Support: g.Support()})
//	…
//	err = w.Add(game) // each game, in order of game number
//	…
//	for i := range batch {
//		s := w.At(false, rng.IntN(w.Positions(false)))
//		err = encoder.Row(s, rng.IntN(encoder.Symmetries()), observations[i], policies[i], &weights[i], values[i])
//	}
//
// Games are kept packed, as they are on disk, and outside the heap: Close frees them.
//
// Caveats: a Window and an Encoder may each be used by one goroutine at a time, and the window of
// several encoders must not change while one encodes.
package window
