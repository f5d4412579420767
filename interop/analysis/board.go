package analysis

import (
	"fmt"
	"slices"

	"tengen/game"
	"tengen/game/goban"
)

// board reads the size of the board and the rules, and makes the game.
func (p *parser) board() *fieldError {
	const size = "Must provide an integer from 2 to 19"
	columns, err := readInteger("boardXSize", p.object["boardXSize"], 2, 19, size)
	if err != nil {
		return err
	}
	rows, err := readInteger("boardYSize", p.object["boardYSize"], 2, 19, size)
	if err != nil {
		return err
	}
	r := p.rules
	own := fmt.Sprintf("The network was trained on %d×%d points and plays on no other board",
		r.Columns, r.Rows)
	switch {
	case !p.config.Fixed:
	case int(columns) != r.Columns:
		return &fieldError{"boardXSize", own}
	case int(rows) != r.Rows:
		return &fieldError{"boardYSize", own}
	}
	if int(columns) != r.Columns || int(rows) != r.Rows {
		if r.MaxPlies == 6*r.Rows*r.Columns {
			r.MaxPlies = 0 // the default on any board
		}
		r.Rows, r.Columns = int(rows), int(columns)
	}
	value, ok := p.object["rules"]
	if !ok {
		return &fieldError{"rules", "Must specify rules; " + instead}
	}
	wanted, err := parseRules(value)
	if err != nil {
		return err
	}
	if value, ok := p.object["whiteHandicapBonus"]; ok {
		if wanted.bonus, err = parseBonus("whiteHandicapBonus", value); err != nil {
			return err
		}
	}
	if wanted.dead {
		p.warn("rules", "Every stone on the board at the end counts as alive here: dead ones have to be captured before")
	}
	r.Ko = wanted.ko
	const wantedKomi = "Must be a integer or half-integer from -150.0 to 150.0"
	komi := 7.5 // KataGo's with area scoring
	if value, ok := p.object["komi"]; ok {
		if komi, err = readNumber("komi", value, -mostKomi, mostKomi, wantedKomi); err != nil {
			return err
		}
		if 2*komi != float64(int(2*komi)) {
			return &fieldError{"komi", wantedKomi}
		}
	}
	r.Komi = []float64{0, komi}
	g, failed := goban.New(r)
	if failed != nil {
		return &fieldError{"boardXSize", failed.Error()}
	}
	stones, black, white, err := p.stones(g)
	if err != nil {
		return err
	}
	if white == 0 {
		if bonus := wanted.points(black); bonus > 0 {
			r.Komi[1] += bonus
			if g, failed = goban.New(r); failed != nil {
				return &fieldError{"komi", failed.Error()}
			}
		}
	}
	if trained := p.rules.Komi; p.config.Fixed && r.Reward == goban.Win &&
		r.Komi[1]-r.Komi[0] != trained[1]-trained[0] {
		p.warn("komi",
			fmt.Sprintf("The network was trained on wins with komi %g, which its estimates are for",
				trained[1]-trained[0]))
	}
	p.query.game = g
	return p.begin(stones, black, white)
}

// stones reads initialStones: a colour or nobody for each point, and the number of stones of each.
// Where a point is named twice, the second time counts.
func (p *parser) stones(g game.Game) (stones []game.Player, black, white int, err *fieldError) {
	if _, ok := p.object["initialStones"]; !ok {
		return nil, 0, 0, nil
	}
	list, err := p.readMoves(g, "initialStones")
	if err != nil || len(list) == 0 {
		return nil, 0, 0, err
	}
	stones = empty(g)
	for _, m := range list {
		if int(m.action) >= len(stones) {
			return nil, 0, 0, &fieldError{"initialStones", "A stone can't be placed by a pass"}
		}
		stones[m.action] = m.color
	}
	for _, c := range stones {
		switch c {
		case 0:
			black++
		case 1:
			white++
		}
	}
	return stones, black, white, nil
}

// empty returns the stones of an empty board.
func empty(g game.Game) []game.Player {
	r, _ := goban.RulesOf(g)
	return slices.Repeat([]game.Player{game.Nobody}, r.Rows*r.Columns)
}

// begin makes the position before the moves.
func (p *parser) begin(stones []game.Player, black, white int) *fieldError {
	g := p.query.game
	var err *fieldError
	if p.object["moves"] == nil {
		return &fieldError{"moves", "Must specify an array of [player,location] pairs"}
	}
	if p.query.moves, err = p.readMoves(g, "moves"); err != nil {
		return err
	}
	first := game.Player(0)
	switch value, ok := p.object["initialPlayer"]; {
	case ok:
		if first, err = parsePlayer("initialPlayer", value); err != nil {
			return err
		}
	case len(p.query.moves) > 0:
		first = p.query.moves[0].color
	case black > 1 && white == 0: // handicap stones
		first = 1
	}
	p.query.first = g.NewState()
	if stones == nil {
		if first == 0 {
			return nil
		}
		stones = empty(g)
	}
	s, failed := goban.SetUp(g, stones, first)
	if failed != nil {
		return &fieldError{"initialStones", failed.Error()}
	}
	p.query.first = s
	return nil
}

// walk calls visit with the position after each number of moves, up to the last one, and the colour
// to move in it: also after two passes, when a program goes on. It returns the error of visit, or
// names the move that can't be played, if checked, or the position in which nobody can move.
func (q *query) walk(checked bool, visit func(turn int, s game.State) *fieldError) *fieldError {
	s, buf := q.game.NewState(), []game.Action(nil)
	s.CopyFrom(q.first)
	for i := 0; ; i++ {
		if err := visit(i, s); err != nil || i == len(q.moves) {
			return err
		}
		m := q.moves[i]
		illegal := fmt.Sprintf("Illegal move %d: %s", i, Vertex(q.game, m.action))
		if err := hand(s, m.color); err != nil {
			return &fieldError{"moves", illegal + ": " + err.Error()}
		}
		if checked {
			if buf = s.LegalActions(buf[:0]); !slices.Contains(buf, m.action) {
				return &fieldError{"moves", illegal}
			}
		}
		s.Apply(m.action)
	}
}

// hand gives a colour the turn.
func hand(s game.State, color game.Player) error {
	if s.CurrentPlayer() == color {
		return nil
	}
	return goban.HandTo(s, color)
}

// next returns the colour that moves after a number of moves, also where the game has ended.
func (q *query) next(turn int, s game.State) game.Player {
	switch c := s.CurrentPlayer(); {
	case c != game.Nobody:
		return c
	case turn > 0:
		return 1 - q.moves[turn-1].color
	}
	return 0
}

// position checks the moves.
func (p *parser) position() *fieldError {
	return p.query.walk(true, func(int, game.State) *fieldError { return nil })
}

// at returns the position after a number of moves, in which a colour is to move.
func (q *query) at(turn int) (game.State, error) {
	s := q.game.NewState()
	s.CopyFrom(q.first)
	for _, m := range q.moves[:turn] {
		if err := hand(s, m.color); err != nil {
			return nil, err
		}
		s.Apply(m.action)
	}
	return s, hand(s, q.next(turn, s))
}
