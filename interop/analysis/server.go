package analysis

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"tengen/game"
	"tengen/game/goban"
	"tengen/player"
)

// Config is what a Server is made from.
type Config struct {
	// Player analyses. It can search beyond its budget (player.CanPonder).
	Player player.Player
	// Game is the game of the player's network, or any of two-player Go with pass=free: boards,
	// komi and the rule of ko are those of the queries.
	Game game.Game
	// Fixed means that the player plays only on the board of Game.
	Fixed bool
	// Models are the names of the player's networks, and Version and Revision those of the
	// program: the answers to query_models and query_version.
	Models            []string
	Version, Revision string
	Seed              uint64 // of all random streams
	// Visits is the number of simulations of a query without maxVisits; 0: none.
	Visits int
	// Perspective is that of queries without reportAnalysisWinratesAs.
	Perspective Perspective
	// Parallel is the number of positions that are searched at a time, at least 1.
	Parallel int
	// AtOnce makes Serve end with its input, without the answers that are missing.
	AtOnce bool
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Server answers queries.
type Server struct {
	config Config
	queue  *queue
	out    *writer
}

// CheckGame returns an error if no queries can be about a game.
func CheckGame(g game.Game) error {
	r, ok := goban.RulesOf(g)
	switch {
	case !ok:
		return fmt.Errorf("%s is not Go: a game such as go:size=5,players=2,pass=free is wanted",
			g.Name())
	case r.Players != 2:
		return fmt.Errorf("%s has %d players: queries are about games of two; players=2 is wanted",
			g.Name(), r.Players)
	case r.Pass != goban.Free:
		return fmt.Errorf(
			"%s has forced passes, of which other programs know nothing: pass=free is wanted",
			g.Name())
	}
	return nil
}

// NewServer makes a server for one call of Serve. It returns the error of CheckGame, or says that
// the player can't analyse.
func NewServer(c Config) (*Server, error) {
	if err := CheckGame(c.Game); err != nil {
		return nil, err
	}
	agent := c.Player.NewAgent(c.Game)
	if _, ok := agent.(player.Searching); !ok || !player.CanPonder(agent) {
		return nil,
			fmt.Errorf("%s can't analyse for as long as it is asked to: uct or az is wanted",
				c.Player.Name())
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Parallel = max(c.Parallel, 1)
	return &Server{config: c, queue: newQueue()}, nil
}

// Serve answers the lines read from r until its end, and then finishes what was asked for, unless
// Config.AtOnce is set; or until ctx ends, whose error it then returns. A read from r may then
// still be in progress. Lines that are wrong are answered, and end nothing.
func (s *Server) Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	caller := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.out = &writer{w: w, fail: func(err error) { cancel(fmt.Errorf("write an answer: %w", err)) }}
	defer s.out.Close() // for a line that is read later
	stop := context.AfterFunc(ctx, func() { s.queue.Close(true) })
	defer stop()
	var workers sync.WaitGroup
	for range s.config.Parallel {
		workers.Go(func() { (&worker{config: &s.config, out: s.out}).work(ctx, s.queue) })
	}
	read := make(chan error, 1)
	go func() { read <- s.read(ctx, r) }()
	var err error
	select {
	case err = <-read:
		s.queue.Close(s.config.AtOnce)
	case <-ctx.Done():
	}
	workers.Wait()
	return cmp.Or(caller.Err(), context.Cause(ctx), err)
}

// read answers the lines of r until its end or that of ctx.
func (s *Server) read(ctx context.Context, r io.Reader) error {
	in := newLines(r)
	for number := 1; ctx.Err() == nil; number++ {
		line, tooLong, err := in.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("read queries: %w", err)
		case ctx.Err() != nil:
			return nil
		case tooLong:
			s.out.Write(failure{
				Error: fmt.Sprintf("line %d is longer than %d bytes, ignoring it", number, maxLine),
			})
		case len(line) > 0:
			s.answer(line)
		}
	}
	return nil
}

// answer answers a line, or puts the query in the queue.
func (s *Server) answer(line []byte) {
	o, err := parseObject(line)
	if err != nil {
		s.out.Write(failure{Error: err.Error()})
		return
	}
	id, ok := o["id"].(string)
	if !ok {
		s.out.Write(failure{Error: `Request must have a string "id" field`})
		return
	}
	fail := func(f *fieldError) { s.out.Write(failure{Error: f.text, Field: &f.field, ID: &id}) }
	if action, ok := o["action"]; ok {
		if f := s.act(o, action); f != nil {
			fail(f)
		}
		return
	}
	q, warnings, f := parse(&s.config, o)
	if f != nil {
		fail(f)
		return
	}
	for _, x := range warnings {
		s.out.Write(notice{Field: x.field, ID: id, Warning: x.text})
	}
	s.queue.Add(q)
}

// act does what a query with an action asks for, and answers with the query itself.
func (s *Server) act(o object, action any) *fieldError {
	switch action {
	case "query_version":
		o["version"], o["git_hash"] = s.config.Version, cmp.Or(s.config.Revision, "<omitted>")
	case "query_models":
		models := []map[string]any{}
		for _, name := range s.config.Models {
			models = append(models, map[string]any{
				"name": name, "internalName": name, "usesHumanSLProfile": false,
			})
		}
		o["models"] = models
	case "clear_cache": // nothing is kept from one query to the next
	case "terminate", "terminate_all":
		if err := s.terminate(o, action == "terminate_all"); err != nil {
			return err
		}
	default:
		return &fieldError{
			"action",
			"Must be query_version, query_models, clear_cache, terminate or terminate_all",
		}
	}
	s.out.Write(o)
	return nil
}

// terminate ends queries. Those that wait are answered at once, and those that are searched with
// what was found.
func (s *Server) terminate(o object, all bool) *fieldError {
	id, ok := o["terminateId"].(string)
	if !ok && !all {
		return &fieldError{
			"terminateId", `Requests for a terminate action must have a string "terminateId" field`,
		}
	}
	var turns map[int]bool // nil: any
	if value, ok := o["turnNumbers"]; ok {
		list, err := readIntegers("turnNumbers", value, 0, 1e9,
			"If provided, must be an array of integers indicating turns to terminate")
		if err != nil {
			return err
		}
		turns = map[int]bool{}
		for _, t := range list {
			turns[int(t)] = true
		}
	}
	removed := s.queue.Stop(func(j *job) bool {
		return (all || j.id == id) && (turns == nil || turns[j.number])
	})
	for _, j := range removed {
		s.out.Write(noResults{ID: j.id, NoResults: true, Turn: j.number})
	}
	return nil
}
