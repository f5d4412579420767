package trainer

import (
	"testing"

	"tengen/configs"
	"tengen/nn"
	"tengen/player"
)

// TestChoice: search.choice is that of players, not of self-play.
func TestChoice(t *testing.T) {
	r, err := configs.Resolve(configs.Options{
		Name: "quick", Set: []string{"search.root=puct", "search.choice=lcb"},
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(&r.Config)
	if err != nil {
		t.Fatal(err)
	}
	w := nn.Fold(p.NewParams())
	if p.Play.Network.(*player.AlphaZero).PUCT.FinalSelection.ByBound() ||
		p.SelfPlayer("x", w, 10).(*player.AlphaZero).PUCT.FinalSelection.ByBound() {
		t.Error("self-play chooses by the bound")
	}
	if !p.NetworkPlayer("x", w, 10).(*player.AlphaZero).PUCT.FinalSelection.ByBound() {
		t.Error("players choose by visits")
	}
}
