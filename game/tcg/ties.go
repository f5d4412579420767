package tcg

import "tengen/game"

// Preferences among equal actions of a card: attacks are preferred, or heals.
const (
	tiesAttack = "attack"
	tiesHeal   = "heal"
)

// TieBreaks returns attack and heal.
func (g *Game) TieBreaks() []string { return []string{tiesAttack, tiesHeal} }

// TieBreak ranks attacks, or heals, before all other actions. A card whose Heal equals its
// Attack often finds both equally good by the heuristic: health counts alike on both sides.
func (g *Game) TieBreak(name string) func(a game.Action) int {
	first, ok := map[string]game.Action{tiesAttack: Attack, tiesHeal: Heal}[name]
	if !ok {
		return nil
	}
	return func(a game.Action) int {
		if a == first {
			return 0
		}
		return 1
	}
}
