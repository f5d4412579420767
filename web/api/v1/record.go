package v1

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"tengen/arena"
	"tengen/game"
	"tengen/player"
	"tengen/replay/record"
	"tengen/web/board"
)

// transcript is a game as the page shows it, finished or not. Frame k is the position before move
// k; the last frame is the position after the last move.
type transcript struct {
	ID        string     `json:"id"`
	Number    *uint64    `json:"number,omitempty"` // in its run
	Iteration *int       `json:"iteration,omitempty"`
	Game      string     `json:"game"`
	Seats     []seatInfo `json:"seats"`
	// points for a utility of one; 1: values are utilities
	Scale  float64                `json:"scale"`
	Layout *board.Layout          `json:"layout,omitempty"`
	Names  map[game.Action]string `json:"names"` // of the actions that are spoken of
	// moves before it are left out, and positions up to it where there is no layout
	From    int         `json:"from"`
	Frames  []frameView `json:"frames"`
	Moves   []moveView  `json:"moves"`
	Scores  []float32   `json:"scores,omitempty"` // of a game that is over
	Returns []float32   `json:"returns,omitempty"`
}

// seatInfo says who plays in a seat.
type seatInfo struct {
	Name string `json:"name"`
	By   string `json:"by"` // who plays
}

// frameView is one position: the changes since the previous one.
type frameView struct {
	board.Delta
	Mover game.Player `json:"mover"`
	// as the position stands, where the game has scores
	Scores []float32 `json:"scores,omitempty"`
}

// moveView is one action, with the analysis that led to it. Acted, Visits, Policy and Q are
// parallel.
type moveView struct {
	Action game.Action   `json:"action"`
	Mover  game.Player   `json:"mover"`
	Name   string        `json:"name"`
	Told   string        `json:"told,omitempty"`   // what it did, where a picture does not show it
	Forced bool          `json:"forced,omitempty"` // nothing else was legal
	Acted  []game.Action `json:"acted,omitempty"`  // the actions considered
	Visits []uint32      `json:"visits,omitempty"`
	Policy []float32     `json:"policy,omitempty"` // the policy target, where it is not the visits
	Q      [][]float32   `json:"q,omitempty"`      // utilities of each seat after each of them
	Value  []float32     `json:"value,omitempty"`  // utilities of each seat before the move
	Line   []string      `json:"line,omitempty"`   // what it expected to follow
	// Names are those of actions considered that go by another name in the record.
	Names map[game.Action]string `json:"names,omitempty"`

	concealed bool // the viewer must not see the action
}

// recorder records a game while it is played.
type recorder struct {
	game     game.Game
	drawer   board.Drawer
	viewer   game.Player
	replayer *game.Replayer
	state    game.State // the replayer's
	frame    board.Frame
	legal    []game.Action // likewise
	record   transcript
}

// newRecorder returns a recorder at the game's first position.
func newRecorder(g game.Game, d board.Drawer, viewer game.Player) *recorder {
	s := &recorder{game: g, drawer: d, viewer: viewer, replayer: game.NewReplayer(g)}
	s.state = s.replayer.State()
	s.record = transcript{
		Game: g.Name(), Scale: game.PointsPerUtility(g), Layout: d.Layout(),
		Names: map[game.Action]string{}, Moves: []moveView{},
	}
	for _, name := range game.SeatNames(g) {
		s.record.Seats = append(s.record.Seats, seatInfo{Name: name})
	}
	s.look()
	return s
}

// look appends the current position as a frame, and at the end of the game the result.
func (s *recorder) look() {
	f := s.drawer.Draw(s.state, s.viewer)
	v := frameView{Delta: board.DeltaOf(s.frame, f), Mover: s.state.CurrentPlayer()}
	if scored, ok := s.state.(game.Scored); ok {
		v.Scores = make([]float32, s.game.Players())
		scored.Scores(v.Scores)
	}
	s.frame = f
	s.record.Frames = append(s.record.Frames, v)
	s.legal = s.replayer.LegalActions()
	if s.state.CurrentPlayer() == game.Nobody {
		n := s.game.Players()
		s.record.Scores, s.record.Returns = make([]float32, n), make([]float32, n)
		game.Scores(s.state, s.record.Scores)
		s.state.Returns(s.record.Returns)
	}
}

// play records and applies the action of m, which is legal, and fills in the fields of m that
// follow from the position.
func (s *recorder) play(m moveView) {
	m.Mover = s.state.CurrentPlayer()
	m.concealed = s.unseen(m)
	switch {
	case !m.concealed:
		m.Name = s.name(m.Action)
	case m.Mover == game.Chance:
		m.Name = "dealt or drawn"
	default:
		m.Name = "hidden"
	}
	m.Forced = len(s.legal) == 1 && !m.concealed
	if t, ok := s.drawer.(board.Teller); ok {
		m.Told = t.Tell(s.state, m.Action, s.viewer)
	}
	m.Names = nil
	for _, a := range m.Acted {
		if name := s.name(a); name != s.record.Names[a] {
			if m.Names == nil {
				m.Names = map[game.Action]string{}
			}
			m.Names[a] = name
		}
	}
	s.replayer.Apply(m.Action)
	s.record.Moves = append(s.record.Moves, m)
	s.look()
}

// unseen reports whether the viewer must not see a move of the current player: chance may deal to
// others, and others may move in secret.
func (s *recorder) unseen(m moveView) bool {
	return s.viewer != game.Nobody &&
		(m.Mover == game.Chance || game.Conceals(s.state, m.Action, s.viewer))
}

// seen returns the moves as they may be sent.
func (s *recorder) seen() []moveView {
	if s.viewer == game.Nobody {
		return s.record.Moves
	}
	moves := slices.Clone(s.record.Moves)
	for i := range moves {
		if moves[i].concealed {
			moves[i].Action = game.NoAction
		}
	}
	return moves
}

// name returns an action's name in the current position. The record keeps the first name of each
// action.
func (s *recorder) name(a game.Action) string {
	name := game.ActionName(s.game, s.state, a)
	if _, ok := s.record.Names[a]; !ok {
		s.record.Names[a] = name
	}
	return name
}

// recordOf replays a logged game. Its error says where the game breaks the rules.
func recordOf(g game.Game, d board.Drawer, x *record.Game) (*transcript, error) {
	if x.Name != g.Name() {
		return nil, fmt.Errorf("game %d is of %s, not of %s", x.Number, x.Name, g.Name())
	}
	s := newRecorder(g, d, game.Nobody)
	for k, m := range x.Moves {
		err := s.replayer.Check(m.Action)
		if err == nil && s.state.CurrentPlayer() != m.Mover {
			err = fmt.Errorf("another player is to move")
		}
		if err != nil {
			return nil, fmt.Errorf("game %d, ply %d: %w", x.Number, k, err)
		}
		v := moveView{Action: m.Action, Value: m.Value, Policy: m.Probabilities()}
		for _, visit := range m.Visits {
			v.Acted = append(v.Acted, visit.Action)
			v.Visits = append(v.Visits, visit.N)
		}
		s.play(v)
	}
	r := &s.record
	r.ID, r.Number, r.Iteration = strconv.FormatUint(x.Number, 10), &x.Number, &x.Iteration
	for i, seat := range x.Seats {
		r.Seats[i].By = by(seat)
	}
	// As logged: another processor may have rounded a quotient differently.
	r.Scores, r.Returns = x.Scores, x.Returns
	return r, nil
}

// by describes the player of a seat.
func by(s record.SeatRecord) string {
	switch s.Kind {
	case record.Network:
		return fmt.Sprintf("%v, step %d", s.Kind, s.Step)
	case record.UCT:
		return "UCT"
	}
	return s.Kind.String()
}

// analyzed adds the analysis of a search to the move that it chose.
func analyzed(g game.Game, s game.State, m *moveView, v player.Analysis) {
	m.Value = v.Value
	for _, c := range v.Moves {
		if c.Visits > 0 || c.Exact {
			m.Acted = append(m.Acted, c.Action)
			m.Visits = append(m.Visits, uint32(c.Visits))
			m.Q = append(m.Q, c.Value)
		}
	}
	next := g.NewState()
	next.CopyFrom(s)
	for _, a := range v.PrincipalVariation[:min(len(v.PrincipalVariation), longestLine)] {
		m.Line = append(m.Line, game.ActionName(g, next, a))
		next.Apply(a)
	}
}

// longestLine bounds the number of moves shown of a principal variation: later ones have few
// visits.
const longestLine = 12

// gameView is a logged game in a list.
type gameView struct {
	ID        string    `json:"id"`
	Number    uint64    `json:"number"`
	Iteration int       `json:"iteration"`
	Plies     int       `json:"plies"`
	By        []string  `json:"by"` // by seat
	Scores    []float32 `json:"scores"`
	Returns   []float32 `json:"returns"`
}

func gameViewOf(x *record.Game) gameView {
	v := gameView{
		ID: strconv.FormatUint(x.Number, 10), Number: x.Number, Iteration: x.Iteration,
		Plies:  len(x.Moves),
		Scores: x.Scores, Returns: x.Returns,
	}
	for _, s := range x.Seats {
		v.By = append(v.By, by(s))
	}
	return v
}

// download sends a recorded game as a file, with the names of its players by seat.
func (api *API) download(w http.ResponseWriter, r *transcript, players []string) {
	f := arena.Record{Game: r.Game, Players: players, Scores: r.Scores, Returns: r.Returns}
	if r.Number != nil {
		f.Number = int(*r.Number)
	}
	for _, m := range r.Moves {
		f.Actions = append(f.Actions, m.Action)
	}
	var b bytes.Buffer
	err := f.Write(&b, api.game)
	w.Header().Set("Content-Disposition", `attachment; filename="game.json"`)
	api.file(w, "application/json", b.Bytes(), err)
}

// getGameRecord answers with a logged game as a file that `tengen play --replay` reads.
func (api *API) getGameRecord(w http.ResponseWriter, r *http.Request) {
	x, err := api.logged(r)
	if err != nil {
		api.fail(w, err)
		return
	}
	rec, err := recordOf(api.game, api.drawer, x)
	if err != nil {
		api.fail(w, err)
		return
	}
	names := make([]string, len(rec.Seats))
	for i, seat := range rec.Seats {
		names[i] = seat.By
	}
	api.download(w, rec, names)
}
