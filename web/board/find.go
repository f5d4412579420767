package board

import (
	"sync"

	"tengen/game"
)

// Maker makes the drawer of a game, or returns nil for a game that it does not know.
type Maker func(g game.Game) Drawer

var (
	mu     sync.RWMutex
	makers = []Maker{goDrawer, mnkDrawer, dropsDrawer, cardsDrawer, raceDrawer, tableDrawer}
)

// Register adds drawers of further games. Later registrations take precedence. It is
// called from init functions.
func Register(m Maker) {
	mu.Lock()
	defer mu.Unlock()
	makers = append(makers, m)
}

// For returns the drawer of a game. If there is none, a game whose positions are a game.Board is
// drawn as stones on a grid, another as text.
func For(g game.Game) Drawer {
	mu.RLock()
	defer mu.RUnlock()
	for i := len(makers) - 1; i >= 0; i-- {
		if d := makers[i](g); d != nil {
			return d
		}
	}
	if d := newGrid(g); d != nil {
		return d
	}
	return newWords(g)
}
