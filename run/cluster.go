package run

import "time"

// Cluster is what a trainer knows of workers on other machines at one moment.
type Cluster struct {
	// by id; those of which nothing was heard for an hour are left out
	Workers []Worker `json:"workers"`
	Queues  []Queue  `json:"queues"`
	Given   int      `json:"given"` // games that workers have and that are not finished
	Early   int      `json:"early"` // finished games that this process has not given out yet
	Counted uint64   `json:"counted"`
	Late    uint64   `json:"late"`    // games that others had finished before
	Matches uint64   `json:"matches"` // games of matches that counted
	// Redelivered and Again are since the trainer's start: batches of games that came more than
	// once, and blocks of work that were given out a second time.
	Redelivered uint64 `json:"redelivered"`
	Again       uint64 `json:"again"`
	// by reason: the labels of tengen_cluster_refused_total
	Refused map[string]uint64 `json:"refused"`
}

// Queue is a stream on the broker.
type Queue struct {
	Name     string `json:"name"` // work, matches or games
	Messages uint64 `json:"messages"`
	Bytes    uint64 `json:"bytes"`
}

// Worker is what is known of a worker on another machine.
type Worker struct {
	ID      string    `json:"id"`
	Host    string    `json:"host"`
	Build   string    `json:"build"`
	Kernels string    `json:"kernels"`
	Games   int       `json:"games_at_a_time"`
	Counted uint64    `json:"games"`   // that counted, since the trainer's start
	Late    uint64    `json:"late"`    // that others had finished before
	Rate    float64   `json:"rate"`    // evaluations a second, as it says
	Refused uint64    `json:"refused"` // batches
	Reason  string    `json:"reason,omitempty"`
	Seen    time.Time `json:"seen"`
	Alive   bool      `json:"alive"`
}
