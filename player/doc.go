// Package player implements the playing agents: random play, UCT with random
// playouts, PUCT guided by a network, unbounded best-first minimax and Descent,
// guided by a network's values, and minimax, alpha-beta and expectiminimax to a
// depth, guided by a game's own heuristic values.
//
// A [Player] is a kind of player with its settings, written as in
//
//	random
//	uct:simulations=180,c=0.8,utility=points
//	az:runs/first,simulations=180
//	ubfm:runs/second,time=1s,safe=true
//	descent:runs/second,iterations=180
//	alphabeta:depth=4,strategy=score
//	expectiminimax:time=1s,star=1
//	expectiminimax:depth=5,rm=true
//	uct:time=20ms,rm=clusters
//	uct:simulations=1000,rollout=hybrid,epsilon=0.1
//	alphabeta:depth=4,strategy=hybrid,open=true
//	uct:observers=multiple
//	uct:simulations=1000,belief=runs/first
//	az:runs/first,clock=10m+5x30s
//	uct:simulations=1000,temperature=1,plies=all
//	policy:runs/first
//	cfr:iterations=1000
//	solver
//
// and read by [Parse]. It makes [Agent]s, each of which plays in one game at a time
// and is used by one goroutine. An agent that needs a network does not call it: it
// adds states to search.Requests, so that the states of many games are evaluated in
// one batch (search.Drive).
//
// An agent that searches implements [Searching] and [Analyzer], whatever its
// search. A player with a limit of time implements [Timed]: its moves depend on the
// clock, and it should have a core of its own. Its limit is one for each move, or a clock for
// the game ([GameClock]), or a deadline that its driver sets ([Deadlined]). By a clock a search
// ends early where the choice is made ([EarlyStop]).
//
// # Representative moves
//
// With the key rm a player searches by representative moves ([Abstracted]): at each decision it
// searches the image of the position in a derived game, and plays the action of the real game
// that the chosen action stands for. The derived game is the game's own abstraction (rm=true),
// or the game with one action for each class of similar ones (package abstraction). The
// searches themselves do not change: all nodes of a tree have the actions of the derived game.
// With root=real it is the game's own abstraction from the next turn on: in the current turn the
// real cards are searched, and nothing has to be mapped.
// With the key full_turns the derived game keeps all actions for some turns. With rm=true the
// network that guides the search must be trained on the derived game, whose observations
// differ; with classes, on the real game.
//
// # Games
//
// [Game] is the only game loop: self-play, matches, the terminal, the web page and the Go Text
// Protocol all drive one. It draws outcomes of chance, plays forced moves, draws the opening, asks
// the agent whose turn it is, and tells every agent what was played. It alone decides what an agent
// sees.
//
//	x := player.NewGame(g)
//	x.OnMove = func(m player.Move) { moves = append(moves, m.Action) }
//	x.Start(player.Setup{
//		Seed: 1, Purpose: random.Arena, Chance: chance,
//		Seats: []player.Seat{{Agent: a, Rand: rngA}, {Agent: b, Rand: rngB, Evaluator: 1}},
//	})
//	err := search.Drive(ctx, []search.Task{x}, evaluators)
//
// A Game is a search.Task, so one goroutine can drive many games and evaluate the requests of all
// of them in one batch. Interactive drivers use [Game.Next], which makes one move, and [Game.Play],
// which plays a person's. To take a move back, call Start again and Play the moves before it. All
// random streams come with the Setup, so games are reproducible with any driver.
//
// # Self-play
//
// An [Actor] plays the games of self-play: it explores, and its agents give the training targets of
// their moves ([Targeter]).
//
// # Policies
//
// [PolicyOf] asks players what they do, and how often, in each information set of a game small
// enough to enumerate (package nash).
//
// # Imperfect information
//
// In games with imperfect information an agent gets a determinized
// copy of the state, which an [Observer] draws anew at each ply from a random stream of its
// own: what its player sees is true, and the rest does not depend on what the player can't see.
// So an agent can't tell apart two histories that its player can't tell apart. It is told that
// an action was played, not which one, and starts each search anew. From the copy UCT and az
// draw a determinization for each simulation (package ismcts; with the key observers, in one
// tree or in one for each player), and minimax, alpha-beta and expectiminimax as many as their
// key says. With the key belief these are drawn by what a network believes of the hidden facts
// ([Belief]), from what the player sees; the network is evaluated once a decision. The exception is
// [Open], with the key open: it sees the true state. It does not play by the rules; its strength is
// an upper bound.
package player
