package interactive

import (
	"context"
	"fmt"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search"
)

// help prints what can be typed, and the rules where the game tells them.
func (t *Game) help(example string) {
	more := ""
	if t.Hints != nil {
		more += ", hint"
	}
	if t.Save != nil {
		more += ", save FILE"
	}
	t.say("a move (%s), or: moves, board, why, undo%s, resign, quit", example, more)
	for _, f := range game.Families() {
		if f.Name == familyOf(t.game) {
			t.say("%s: %s", f.Name, f.Summary)
		}
	}
	if g, ok := t.game.(game.Guided); ok {
		fmt.Fprint(t.out, g.Guide())
	}
}

// familyOf returns the name of a game without its parameters.
func familyOf(g game.Game) string {
	for i, r := range g.Name() {
		if r == ':' {
			return g.Name()[:i]
		}
	}
	return g.Name()
}

// hint prints the analysis of the position by the player of hints, who sees what the person to move
// sees.
func (t *Game) hint(ctx context.Context) error {
	if t.Hints == nil {
		t.say("there is nobody to ask")
		return nil
	}
	mover := t.state.CurrentPlayer()
	text := ""
	x := player.NewGame(t.game)
	x.OnMove = func(m player.Move) {
		if v, ok := m.Agent.(player.Analyzer); ok {
			text = cli.AnalysisOf(t.game, t.state, v).Text(t.Hints.Name(), cli.DefaultMoves)
		}
		text += "hint: " + game.ActionName(t.game, t.state, m.Action)
	}
	seats := make([]player.Seat, t.game.Players())
	seats[mover] = player.Seat{
		Agent: t.Hints.NewAgent(t.game),
		Rand:  random.New(t.seed, random.Arena, 1, uint64(len(t.record))),
	}
	x.Start(player.Setup{
		Seed: t.seed, Purpose: random.Arena, Number: 1, Seats: seats, State: t.state,
	})
	evaluator := t.Hints.NewEvaluator(t.game, 1)
	defer search.Close(evaluator)
	if _, err := x.Next(ctx, []search.Evaluator{evaluator}); err != nil {
		return err
	}
	t.say("%s", text)
	return nil
}

// resign ends the game for the person to move.
func (t *Game) resign() {
	mover := t.state.CurrentPlayer()
	who := game.SeatName(t.game, mover)
	if t.game.Players() == 2 {
		t.say("%s resigns; %s wins", who, game.SeatName(t.game, 1-mover))
		return
	}
	t.say("%s resigns; the game is left unfinished", who)
}

// save writes the game so far to a file.
func (t *Game) save(path string) {
	if path == "" {
		t.say("save FILE: the name of a file is wanted")
		return
	}
	actions := make([]game.Action, len(t.record))
	for i, m := range t.record {
		actions[i] = m.action
	}
	if err := t.Save(path, actions); err != nil {
		t.say("%v", err)
		return
	}
	t.say("saved; go on with: %s", notation.Command("play", "--continue", path))
}

// Continue plays the actions of a game before Run, which goes on from there. Those of seats without
// an agent count as persons' moves. It returns an error if one of them can't be played.
func (t *Game) Continue(actions []game.Action) error {
	t.play.OnMove = nil
	defer func() { t.play.OnMove = t.made }()
	for i, a := range actions {
		mover := t.state.CurrentPlayer()
		if mover == game.Nobody {
			return fmt.Errorf("the game is over after %d of %d actions", i, len(actions))
		}
		if err := t.apply(move{
			action: a, person: mover >= 0 && t.seats[mover].Agent == nil,
		}); err != nil {
			return fmt.Errorf("action %d: %w", i+1, err)
		}
	}
	return nil
}
