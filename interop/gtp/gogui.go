package gtp

import (
	"fmt"
	"math"
	"strings"

	"tengen/game"
	"tengen/player"
)

// goguiSearch is a command of ours for GoGui, which draws its answer on the board.
const goguiSearch = "tengen-search"

// goguiSimulations is the number of simulations that it makes.
const goguiSimulations = 1000

// goguiCommands answers the commands that GoGui shows in its window of analyses: their types,
// labels and texts (https://github.com/Remi-Coulom/gogui, "Analyze Commands").
func goguiCommands(*Engine, []string) (string, error) {
	return strings.Join([]string{
		"gfx/Search/" + goguiSearch + " %c",
		"string/Final Score/final_score",
		"string/Rules/kata-get-rules",
	}, "\n"), nil
}

// goguiSearchResult searches the position for a colour, and answers the share of the simulations of
// each move, the principal variation, and what is expected, as GoGui's type gfx has it. What was
// searched before counts too.
func goguiSearchResult(e *Engine, args []string) (string, error) {
	a, err := e.parseAnalysis(kata, args[:min(1, len(args))])
	if err != nil {
		return "", err
	}
	e.pondering = false
	if color := e.State().CurrentPlayer(); color != a.color {
		if err := e.hand(a.color); err != nil {
			return "", err
		}
		defer e.replay()
	}
	agent, s, err := e.analyst(a)
	if err != nil {
		return "", err
	}
	if _, err := agent.(player.Ponderer).Ponder(s, e.evaluator, goguiSimulations); err != nil {
		return "", err
	}
	r := e.reporter(a, agent)
	moves, visits := r.Moves(), 0
	for _, m := range moves {
		visits += m.Visits
	}
	if visits == 0 {
		return "", errNoMove
	}
	var b strings.Builder
	b.WriteString("VAR")
	color := a.color
	for _, m := range r.Result.PrincipalVariation(nil) {
		fmt.Fprintf(&b, " %s %s", colorWord(color)[:1], vertex(e.game, m))
		color = 1 - color
	}
	b.WriteString("\nLABEL")
	for _, c := range moves {
		if share := math.Round(100 * float64(c.Visits) / float64(visits)); share >= 1 &&
			c.Action != e.pass() {
			fmt.Fprintf(&b, " %s %.0f", vertex(e.game, c.Action), share)
		}
	}
	x := r.Root()
	fmt.Fprintf(&b, "\nTEXT %s: %.1f %%", game.SeatName(e.game, a.color), 100*x.Winrate)
	if x.Scored {
		fmt.Fprintf(&b, ", %+.1f points", x.Lead)
	}
	fmt.Fprintf(&b, ", %d visits", visits)
	return b.String(), nil
}
