package ismcts_test

import (
	"fmt"
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

func TestObserversString(t *testing.T) {
	for o, want := range map[ismcts.Observers]string{
		ismcts.SingleObserver: "single", ismcts.MultipleObservers: "multiple", 7: "Observers(7)",
	} {
		if o.String() != want {
			t.Errorf("observers %d are written %v, want %s", uint8(o), o, want)
		}
	}
}
