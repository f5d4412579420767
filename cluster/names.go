package cluster

import (
	"fmt"
	"strings"
)

// Names are the names of a cluster's streams and subjects on a broker. Several clusters may use one
// broker.
type Names struct{ prefix string }

// DefaultName is the name of a cluster unless another one is given.
const DefaultName = "tengen"

// NewNames returns the names of a cluster, whose name must be a valid worker's id.
func NewNames(cluster string) (Names, error) {
	if !ValidWorker(cluster) || strings.Contains(cluster, ".") {
		return Names{},
			fmt.Errorf("a cluster named %.80q; 1 to 64 letters, digits, - and _ are wanted",
				cluster)
	}
	return Names{cluster}, nil
}

// Streams, and the durable consumers of WORK, MATCHES and GAMES.
func (n Names) Work() string    { return n.prefix + "_WORK" }
func (n Names) Matches() string { return n.prefix + "_MATCHES" }
func (n Names) Games() string   { return n.prefix + "_GAMES" }
func (n Names) Weights() string { return n.prefix + "_WEIGHTS" } // a bucket of objects

const (
	WorkConsumer  = "workers" // of WORK
	MatchConsumer = "workers" // of MATCHES
	GamesConsumer = "trainer" // of GAMES
)

// Subjects. Those with a worker's id are its own.
func (n Names) WorkSubject() string               { return n.prefix + ".work" }
func (n Names) MatchSubject() string              { return n.prefix + ".match" }
func (n Names) GamesSubject(worker string) string { return n.prefix + ".games." + worker }
func (n Names) HelloSubject(worker string) string { return n.prefix + ".hello." + worker }
func (n Names) DoneSubject(worker string) string  { return n.prefix + ".done." + worker }

// OverSubject is where the trainer tells all workers which blocks are over.
func (n Names) OverSubject() string { return n.prefix + ".over" }
