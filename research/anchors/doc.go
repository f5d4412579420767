// Package anchors measures the anchor ladders of games (arena.AnchorLadder): matches of UCT players
// with more and more simulations, each against the next.
package anchors
