package ismcts_test

import (
	"fmt"
	"strings"
	"testing"

	"tengen/game"
	"tengen/mcts/ismcts"
)

// naming describes as text the node of a reference's simulation: what the observer has seen and
// all actions, or with multiple observers what the player to move has seen and done since the
// root.
type naming struct {
	observers ismcts.Observers
	me        game.Player
	seen      []string
}

func sees(s game.State, p game.Player) string {
	return fmt.Sprint(" sees ", s.(game.ImperfectInformation).InformationStateKey(p))
}

func (n *naming) begin(s game.State, players int) (at string) {
	n.me, n.seen = s.CurrentPlayer(), make([]string, players)
	for p := range n.seen {
		n.seen[p] = fmt.Sprint("player ", p, sees(s, game.Player(p)))
	}
	n.seen[n.me] = "root"
	return n.seen[n.me]
}

// acted is called before an action is applied.
func (n *naming) acted(p game.Player, a game.Action) {
	n.seen[p] += fmt.Sprint(" does ", a)
}

// at returns the node of s, to which an edge has led.
func (n *naming) at(s game.State, edge string) string {
	for p := range n.seen {
		n.seen[p] += sees(s, game.Player(p))
	}
	if n.observers == ismcts.MultipleObservers {
		return n.seen[s.CurrentPlayer()]
	}
	return edge + sees(s, n.me)
}

var bothObservers = []ismcts.Observers{ismcts.SingleObserver, ismcts.MultipleObservers}

func TestParseObservers(t *testing.T) {
	for _, o := range bothObservers {
		if got, err := ismcts.ParseObservers(o.String()); err != nil || got != o {
			t.Errorf("%v is read as %v, %v", o, got, err)
		}
	}
	if _, err := ismcts.ParseObservers("double"); err == nil || !strings.Contains(err.Error(), "single or multiple") {
		t.Errorf("double: %v", err)
	}
	if o := ismcts.Observers(7); o.String() != "Observers(7)" {
		t.Errorf("observers 7 are written %v", o)
	}
}
