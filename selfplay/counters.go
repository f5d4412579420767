package selfplay

import "sync/atomic"

// Counters count what self-play does while it does it. They only grow.
type Counters struct {
	Games       atomic.Uint64 // finished
	Plies       atomic.Uint64 // actions of finished games, forced ones included
	Positions   atomic.Uint64 // decisions of finished games
	UCTSeats    atomic.Uint64 // seats of finished games played by UCT
	Simulations atomic.Uint64 // of network seats' searches, those that needed no evaluation included
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
}
