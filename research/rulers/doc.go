// Package rulers measures the rulers of games (package arena/ruler): matches of UCT players
// with more and more simulations, each against the next.
package rulers
