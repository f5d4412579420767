// Package arena plays matches among players and estimates their strength. Every figure comes
// with its number of games and a 95 % interval.
//
// A [Match] plays many games concurrently on several workers. Each worker evaluates the
// requests of all its games in one batch for each network. [Versus] is the comparison of the
// multiplayer Go paper: a player in each seat in turn against a baseline in all other seats,
// and the baseline in all seats. The baseline may be any player.
//
// A [Tournament] plays every seating of its players, round by round, until a number of games or
// a stopping rule is reached. Its [Standings] hold points, wins, ratings (package rating) and
// how often each player finishes before each other. A [Store] keeps its games, or those of a Match,
// so that it can be resumed; docs/formats/match.md describes its file.
//
//	t := &arena.Tournament{
//		Game: g, Players: []player.Player{a, b, player.Random{}}, Games: 600,
//		Seed: 1, Opening: 2, Workers: runtime.GOMAXPROCS(0), GamesPerWorker: 32,
//	}
//	t.Store, err = arena.OpenStore(vfs.OS{}, "matches/first", t)
//	…
//	standings, err := t.Play(ctx, nil)
//	err = standings.WriteText(os.Stdout)
//
// Deterministic players would play the same game every time. An opening of a few random
// decisions makes games differ, and reports say how many games are distinct. The games of a
// tournament's round have the same opening, and its intervals are over rounds; if nothing is
// random after the opening, rounds that repeat an earlier one are not counted. The intervals of
// Versus treat games as independent, which repeated games are not.
//
// All kinds of matches use one schedule, and player.Game plays the games.
//
// Every game draws from streams derived from the match's seed, the game's
// number and the seat, so a match gives the same games on any number of workers,
// unless a player thinks for a measured time. In games with hidden information agents
// are shown determinized copies, never the true state (player.Game).
//
// Intervals are those of package interval. Points whose range the game does not tell
// (game.Measured) have none where all are equal.
//
// Caveats: a match that ends as soon as its intervals are narrow enough has been tested many times,
// so its intervals contain the true value a little less often than 95 % of the time.
package arena
