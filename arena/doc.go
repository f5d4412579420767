// Package arena plays matches among players and says how strong they are, with
// the number of games and a 95 % interval for every figure.
//
// A [Match] plays many games concurrently on several workers, and evaluates the
// requests of all games of a worker in one batch for each network. [Versus] is the
// comparison of the multiplayer Go paper: one player in each seat in turn
// against a baseline, any other player, in all the others, and the baseline in all seats.
//
// A [Tournament] plays every seating of its players, round by round, until
// enough is known, and its [Standings] hold points, wins, ratings (package
// rating) and who finishes before whom. A [Store] keeps its games, so that it
// resumes after a kill; the format of its file is in docs/formats/match.md.
//
//	t := &arena.Tournament{
//		Game: g, Players: []player.Player{a, b, player.Random{}}, Games: 600,
//		Seed: 1, Opening: 2, Workers: runtime.NumCPU(), GamesPerWorker: 32,
//	}
//	t.Store, err = arena.OpenStore(vfs.OS{}, "matches/first", t)
//	…
//	standings, err := t.Play(ctx, nil)
//	err = standings.WriteText(os.Stdout)
//
// Players that draw nothing would play the same game again and again: an opening
// of a few decisions drawn at random makes games differ, and reports say how
// many are distinct. The games of a tournament's round have the same opening,
// and its intervals are over rounds: those that repeat an earlier one are not
// counted where nobody draws. The intervals of Versus take games for independent,
// which repeated ones are not.
//
// All games are played by package play from one schedule, whatever the match.
//
// Every game draws from streams derived from the match's seed, the game's
// number and the seat, so a match gives the same games on any number of workers,
// unless a player thinks for a measured time. In games with hidden information agents
// are shown determinized copies, never the true state (package play).
//
// Caveats: intervals are of the normal or Student's distribution. Where all
// observations are alike they have no width, though the next may differ; and a
// match that ends as soon as its intervals are narrow enough has been tested
// many times, so that they contain the truth a little less often than they say.
package arena
