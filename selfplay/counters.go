package selfplay

import (
	"sync/atomic"
	"time"
)

// Counters count what self-play does while it does it. They only grow.
type Counters struct {
	Games       atomic.Uint64 // finished
	Plies       atomic.Uint64 // actions of finished games, forced ones included
	Positions   atomic.Uint64 // decisions of finished games
	UCTSeats    atomic.Uint64 // seats of finished games played by UCT
	Decisions   atomic.Uint64 // of network seats, of games under way too
	Simulations atomic.Uint64 // of network seats' searches, those that needed no evaluation included; iterations of Descent
	Resolved    atomic.Uint64 // searches of Descent that ended with their root resolved
	Full        atomic.Uint64 // searches of Descent that ended because the tree was full
	Evaluations atomic.Uint64 // rows evaluated by the network
	Lookups     atomic.Uint64 // in the cache
	CacheHits   atomic.Uint64 // positions answered without the network
	Batches     atomic.Uint64
	BatchRows   atomic.Uint64 // rows that the batches could have held
	Waited      atomic.Int64  // nanoseconds for which workers waited for batches, all together

	// OnBatch, if set before Play, is told of each batch: the rows in use,
	// those that it could have held, and how long searches waited for it. It is
	// called by many goroutines, as are the others.
	OnBatch func(rows, capacity int, waited time.Duration)
	// OnLookups, if set before Play, is told of lookups in the cache, some at a
	// time: how many there were and how many were hits.
	OnLookups func(lookups, hits uint64)
	// OnSearch, if set before Play, is told of each search of a network seat that ends.
	OnSearch func(SearchStats)
	// OnSimulations, if set before Play, is told of simulations of these
	// searches, some at a time.
	OnSimulations func(n int)
	// OnBegin and OnEnd, if set before Play, are told of each game that begins,
	// and of each that was played to its end.
	OnBegin, OnEnd func()
}

// Search is what a search of a network seat has come to.
type SearchStats struct {
	Depth    int  // actions (with Descent, decisions) from the root to the deepest state reached
	Fast     bool // it had Settings.FastSimulations
	Resolved bool // Descent resolved its root
	Full     bool // the tree was full: Descent ended there, PUCT continued among its states
}

// searched tells of a search.
func (c *Counters) searched(s SearchStats) {
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
