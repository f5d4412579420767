// Package learn is where the weights of a run change: an [Updater] holds the replay window, the
// training state and the buffers of a batch, and makes updates of the network.
//
//	u, err := learn.New(&options, params)
//	_, err = u.Add(ctx, games)
//	update, err := u.Begin(iteration, learn.Permuted)
//	for step := range steps {
//		err = update.Step(done, steps)
//	}
//	result, err := update.End(ctx)
//
// An [Update] is begun, makes steps, and ends. A synchronous cycle goes through the window's
// samples in an order drawn once ([Permuted]), an asynchronous one draws from what the window holds
// at each step ([Drawn]). With the same games, steps and seed an update gives the same weights, to
// the bit.
//
// If a number becomes NaN or infinite, everything that the update has changed is undone
// ([Result].Dropped says why), and the network stays as it was.
package learn
