package board

import (
	"sync"

	"tengen/game"
)

// Maker makes the drawer of a game; nil for a game that it does not know.
type Maker func(g game.Game) Drawer

var (
	mu     sync.RWMutex
	makers = []Maker{goDrawer, mnkDrawer, cardsDrawer, raceDrawer}
)

// Register makes the drawings of further games known. It is asked before those
// that were registered earlier, and is called from init functions.
func Register(m Maker) {
	mu.Lock()
	defer mu.Unlock()
	makers = append(makers, m)
}

// For is the drawer of a game: its own, or else one in words alone.
func For(g game.Game) Drawer {
	mu.RLock()
	defer mu.RUnlock()
	for i := len(makers) - 1; i >= 0; i-- {
		if d := makers[i](g); d != nil {
			return d
		}
	}
	return newWords(g)
}
