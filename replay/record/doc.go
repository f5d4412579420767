// Package record is the record of a game of self-play: every action, visit counts, root values and
// the result, enough to replay it exactly.
//
// A [Game] consists of [Move]s; Descent's games have a [Tree] for each search too. [AppendEncoded]
// and [Decode] are its encoding, [Append] and [DecodeAll] records with checksums, as segments and
// messages have them. [Packed] reads parts of an encoded game without decoding it. A [Replayer]
// plays a record again and checks it against the rules, and a
// [Checker] also that what was visited was legal.
//
//	data, err := record.Append(nil, game)
//	games, err := record.DecodeAll(data, 1)
//	err = record.NewChecker(rules).Check(games[0])
//
// Records store actions, not observations: a game of 70 plies takes two kilobytes, and replaying
// a ply is faster than copying its planes. See docs/formats/replay-segment.md for the format.
//
// Caveats: a Checker and a Replayer may each be used by one goroutine at a time. Trees have
// thousands of states a game, each about 50 bytes in memory for three players.
package record
