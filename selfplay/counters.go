package selfplay

import (
	"sync/atomic"

	"tengen/descent"
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
	Capped      atomic.Uint64 // searches of Descent that the cap on memory cut short
	Evaluations atomic.Uint64 // rows evaluated by the network
	Lookups     atomic.Uint64 // in the cache
	CacheHits   atomic.Uint64 // positions answered without the network
	Batches     atomic.Uint64
	BatchRows   atomic.Uint64 // rows that the batches could have held

	// OnBatch, if set before Play, is told of each batch: the rows in use and
	// those that it could have held. It is called by many goroutines.
	OnBatch func(rows, capacity int)
	// OnLookups, if set before Play, is told of lookups in the cache, some at a
	// time: how many there were and how many were hits. Likewise.
	OnLookups func(lookups, hits uint64)
	// OnSearch, if set before Play, is told of each search of Descent: how many
	// decisions deep it went, whether it resolved its root, and whether the cap
	// on memory cut it short. Likewise.
	OnSearch func(depth int, resolved, capped bool)
}

// searched counts a search of Descent.
func (c *Counters) searched(s descent.Stats, resolved bool) {
	if resolved {
		c.Resolved.Add(1)
	}
	if s.Capped {
		c.Capped.Add(1)
	}
	if c.OnSearch != nil {
		c.OnSearch(s.Depth, resolved, s.Capped)
	}
}
