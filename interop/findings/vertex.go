package findings

import (
	"strings"

	"tengen/game"
)

// Vertex formats an action of a game of Go as the Go Text Protocol does: "C3" or "pass".
func Vertex(g game.Game, a game.Action) string {
	name := game.ActionName(g, nil, a)
	if name == "pass" {
		return name
	}
	return strings.ToUpper(name)
}

// ParseVertex reads a vertex of a game of Go.
func ParseVertex(g game.Game, text string) (game.Action, error) {
	return g.(game.Notated).ParseAction(nil, text)
}
