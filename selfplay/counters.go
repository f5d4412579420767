package selfplay

import (
	"sync/atomic"
	"time"

	"tengen/replay/record"
)

// Counters are totals of self-play. They only grow.
type Counters struct {
	Games     atomic.Uint64 // finished
	Plies     atomic.Uint64 // actions of finished games, forced ones included
	Positions atomic.Uint64 // decisions of finished games
	UCTSeats  atomic.Uint64 // players of finished games that UCT played for
	Decisions atomic.Uint64 // with the network, in unfinished games too
	// of searches with the network, including those without an evaluation; or iterations of Descent
	Simulations atomic.Uint64
	Resolved    atomic.Uint64 // searches of Descent that ended with their root resolved
	Full        atomic.Uint64 // searches of Descent that ended because the tree was full
	Evaluations atomic.Uint64 // rows evaluated by the network
	Lookups     atomic.Uint64 // in the cache
	CacheHits   atomic.Uint64 // positions answered without the network
	Batches     atomic.Uint64
	BatchRows   atomic.Uint64 // capacity of all batches, in rows
	Waited      atomic.Int64  // nanoseconds that all workers waited for batches

	// OnBatch, if set before Play, is called for each batch with its rows, its capacity in
	// rows, and how long searches waited for it. It and the functions below are called by
	// several goroutines.
	OnBatch func(rows, capacity int, waited time.Duration)
	// OnLookups, if set before Play, is called with numbers of lookups lookups in the cache and
	// of hits among them.
	OnLookups func(lookups, hits uint64)
	// OnSearch, if set before Play, is called after each search with the network.
	OnSearch func(SearchStats)
	// OnSimulations, if set before Play, is called with numbers of simulations of
	// these searches.
	OnSimulations func(n int)
	// OnBegin and OnEnd, if set before Play, are called at the start and at the end of each
	// game.
	OnBegin, OnEnd func()
}

// SearchStats is the outcome of a search with the network.
type SearchStats struct {
	Depth    int  // actions (with Descent, decisions) from the root to the deepest state reached
	Fast     bool // it had SelfPlay.FastSimulations
	Resolved bool // Descent resolved its root
	Full     bool // the tree was full: Descent ended there, PUCT continued among its states
}

// searched counts a search, of Descent or of AlphaZero.
func (c *Counters) searched(s SearchStats, descends bool) {
	c.Decisions.Add(1)
	if s.Resolved {
		c.Resolved.Add(1)
	}
	if s.Full && descends {
		c.Full.Add(1)
	}
	if c.OnSearch != nil {
		c.OnSearch(s)
	}
}

// simulated counts simulations, or iterations of Descent.
func (c *Counters) simulated(n int) {
	if n == 0 {
		return
	}
	c.Simulations.Add(uint64(n))
	if c.OnSimulations != nil {
		c.OnSimulations(n)
	}
}

// count adds a finished game to the totals.
func (c *Counters) count(r *record.Game) {
	c.Games.Add(1)
	c.Plies.Add(uint64(len(r.Moves)))
	for _, m := range r.Moves {
		if len(m.Value) > 0 {
			c.Positions.Add(1)
		}
	}
	for _, seat := range r.Seats {
		if seat.Kind == record.UCT {
			c.UCTSeats.Add(1)
		}
	}
}
