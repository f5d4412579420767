package gtp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tengen/arena"
	"tengen/game"
	"tengen/internal/random"
	"tengen/interop/sgf"
)

// Match is a number of games of a player against another program. The player is
// Black in the first, third, … game.
type Match struct {
	Config         // of the player's engine; its seed is also that of the openings
	Command string // starts the other program
	Games   int
	// Patience is the longest wait for an answer of the other program; 0: no limit.
	Patience time.Duration
	// Opening is the number of random stones at the start of each game, drawn uniformly from
	// the legal points. The two games of each pair, one with each colour, have the same
	// opening.
	Opening int
	// OnGame, if not nil, is called with every game when it is over.
	OnGame func(r *Result, record *sgf.Record) error
	// Store, if not nil, has games that were played before, which are not played again, and keeps
	// the others.
	Store *Store
}

// How a game ended.
const (
	EndedByPasses = "passes"
	EndedByLength = "length"   // after max_plies actions
	EndedResigned = "resigned" // the other program
	EndedGivenUp  = "given up" // the player has resigned
	EndedIllegal  = "illegal"  // the other program's move is illegal by our rules: the game is void
	EndedRefused  = "refused"  // the other program refuses the player's move: the game is void
)

// Result is one game.
type Result struct {
	Number int      `json:"number"` // from 0
	Black  bool     `json:"black"`  // the player is Black, the other program White
	Moves  []string `json:"moves"`  // from Black's first on
	Ended  string   `json:"ended"`
	// Score is the result on the board, such as "B+25", of a game that was played to its end.
	Score string `json:"score,omitempty"`
	// Margin is the player's lead in it.
	Margin float64 `json:"margin"`
	// Whole means that the player has all points of the board.
	Whole bool `json:"whole_board,omitempty"`
	// OwnFinalScore and TheirFinalScore are the answers to final_score in such a game, ""
	// without an answer.
	OwnFinalScore   string `json:"own_final_score,omitempty"`
	TheirFinalScore string `json:"their_final_score,omitempty"`
	// Why is the reason why a game is void.
	Why string `json:"why,omitempty"`
}

// Finished reports whether the game was played to its end.
func (r *Result) Finished() bool { return r.Ended == EndedByPasses || r.Ended == EndedByLength }

// Void reports whether the game does not count.
func (r *Result) Void() bool { return r.Ended == EndedIllegal || r.Ended == EndedRefused }

// Play plays all games and returns their report. It calls progress, if not nil, with the
// number of finished games, without those that Store held. If ctx ends or the other program fails
// after the first game, it returns the report so far and an *arena.Interrupted.
func (m *Match) Play(ctx context.Context, progress func(done, all int)) (*Report, error) {
	if m.Games < 1 || m.Opening < 0 {
		return nil, fmt.Errorf("a match of %d games with an opening of %d moves: at least one game, and 0 moves or more, are wanted", m.Games, m.Opening)
	}
	engine, err := NewEngine(m.Config)
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	other, err := Start(m.Command)
	if err != nil {
		return nil, err
	}
	other.Patience = m.Patience
	report := &Report{
		Player: m.Player.Name(), Opponent: m.opponent(ctx, other), Command: m.Command,
		Game: engine.Game().Name(), Opening: m.Opening, Seed: m.Seed,
	}
	err = m.play(ctx, engine, other, report, progress)
	if closed := other.Close(); err == nil {
		err = closed
	}
	switch played := len(report.Results); {
	case err == nil:
	case played == 0 || played == m.Games:
		return nil, err
	default:
		if ctx.Err() != nil {
			err = ctx.Err() // the signal may have ended the other program too
		}
		report.Interrupted = arena.Interrupt(played, m.Games, err)
	}
	report.sum()
	if report.Interrupted != nil {
		return report, report.Interrupted
	}
	return report, nil
}

// opponent returns the other program's name and version, if it answers these commands.
func (m *Match) opponent(ctx context.Context, other *Client) string {
	var words []string
	for _, command := range []string{"name", "version"} {
		if text, err := other.Ask(ctx, command); err == nil {
			words = append(words, text)
		}
	}
	return strings.Join(words, " ")
}

func (m *Match) play(
	ctx context.Context, engine *Engine, other *Client, report *Report,
	progress func(done, all int),
) error {
	done, all := 0, m.Games
	if m.Store != nil {
		all -= m.Store.Len(m.Games)
	}
	for number := range m.Games {
		if m.Store != nil {
			r, err := m.Store.get(number, report.Opponent)
			if err != nil {
				return err
			}
			if r != nil {
				report.Results = append(report.Results, *r)
				continue
			}
		}
		r, record, err := m.game(ctx, engine, other, number)
		if err != nil {
			return fmt.Errorf("game %d: %w", number+1, err)
		}
		names := [2]string{report.Player, report.Opponent}
		if !r.Black {
			names[0], names[1] = names[1], names[0]
		}
		record.Names = names
		if m.OnGame != nil {
			if err := m.OnGame(r, record); err != nil {
				return err
			}
		}
		if m.Store != nil {
			if err := m.Store.add(r, report.Opponent); err != nil {
				return err
			}
		}
		report.Results = append(report.Results, *r)
		if done++; progress != nil {
			progress(done, all)
		}
	}
	return nil
}

// game plays one game.
func (m *Match) game(
	ctx context.Context, engine *Engine, other *Client, number int,
) (*Result, *sgf.Record, error) {
	r := &Result{Number: number, Black: number%2 == 0}
	engine.Clear(uint64(number))
	komi := engine.rules.Komi[1] - engine.rules.Komi[0]
	for _, command := range []string{
		"boardsize " + strconv.Itoa(engine.rules.Rows),
		"clear_board",
		"komi " + strconv.FormatFloat(komi, 'f', -1, 64),
	} {
		if _, err := other.Ask(ctx, command); err != nil {
			return nil, nil, err
		}
	}
	ours := game.Player(1)
	if r.Black {
		ours = 0
	}
	opening := random.New(m.Seed, random.Seats, uint64(number/2))
	for engine.State().CurrentPlayer() != game.Nobody && r.Ended == "" {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		mover := engine.State().CurrentPlayer()
		var err error
		switch legal := engine.play.LegalActions(); {
		case len(engine.moves) < m.Opening && len(legal) > 1:
			a := legal[opening.IntN(len(legal)-1)] // the pass comes last
			if err = engine.Play(mover, a); err == nil {
				err = m.tell(ctx, engine, other, r)
			}
		case mover == ours:
			var a game.Action
			if a, err = engine.GenMove(mover); err == nil && a == game.NoAction {
				r.Ended = EndedGivenUp
			} else if err == nil {
				err = m.tell(ctx, engine, other, r)
			}
		default:
			err = m.ask(ctx, engine, other, r)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	for _, p := range engine.moves {
		r.Moves = append(r.Moves, vertex(engine.game, p.action))
	}
	record := engine.Record()
	if r.Ended == "" {
		m.score(ctx, engine, other, r)
		record.Result = r.Score
	} else if record.Result = "Void"; r.Ended == EndedResigned || r.Ended == EndedGivenUp {
		record.Result = map[bool]string{
			true: "B+R", false: "W+R",
		}[r.Black == (r.Ended == EndedResigned)]
	}
	return r, record, other.broken
}

// tell tells the other program of the engine's last move.
func (m *Match) tell(ctx context.Context, engine *Engine, other *Client, r *Result) error {
	last := engine.moves[len(engine.moves)-1]
	command := "play " + colorWord(last.color) + " " + vertex(engine.game, last.action)
	_, err := other.Ask(ctx, command)
	var refusal *Refusal
	if errors.As(err, &refusal) {
		r.Ended, r.Why = EndedRefused, refusal.Error()
		return nil
	}
	return err
}

// ask asks the other program for a move.
func (m *Match) ask(ctx context.Context, engine *Engine, other *Client, r *Result) error {
	mover := engine.State().CurrentPlayer()
	text, err := other.Ask(ctx, "genmove "+colorWord(mover))
	if err != nil {
		return err
	}
	if strings.EqualFold(text, "resign") {
		r.Ended = EndedResigned
		return nil
	}
	a, err := parseVertex(engine.game, text)
	if err != nil {
		return fmt.Errorf("%s: its move is %q, which is no point of the board", m.Command, text)
	}
	if err := engine.Play(mover, a); err != nil {
		r.Ended, r.Why = EndedIllegal,
			fmt.Sprintf("its move %s is illegal in %s", text, engine.game.Name())
	}
	return nil
}

// score counts a game that was played to its end, and asks both for its score.
func (m *Match) score(ctx context.Context, engine *Engine, other *Client, r *Result) {
	r.Ended = EndedByPasses
	if engine.State().(game.Turned).Turn() >= engine.rules.MaxPlies {
		r.Ended = EndedByLength
	}
	margin := sgf.Margin(engine.State())
	r.Score, r.Margin = sgf.ResultOf(margin), margin
	me := 0
	if !r.Black {
		r.Margin, me = -margin, 1
	}
	r.Whole = areas(engine)[me] == engine.rules.Rows*engine.rules.Columns
	r.OwnFinalScore, _ = engine.Do(Command{Name: "final_score"})
	// A program that does not answer is ignored.
	r.TheirFinalScore, _ = other.Ask(ctx, "final_score")
}
