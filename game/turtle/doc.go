// Package turtle implements the Great Turtle Race (Reiner Knizia's Schildkrötenrennen,
// 2004), as described by Przybylski and Król in "Mastering Strategies in a Board Game
// of Imperfect Information for Different Search Techniques" (2017).
//
//	turtle                                the game for two
//	turtle:players=4,unowned=none         if nobody owns the winning turtle, all players share
//	turtle:deck=mine.yaml                 with the cards of a file; see [ReadDeck]
//	turtle:hands=open                     all players see everything
//	turtle:history=4                      networks see the last four plays of each player, and more
//	turtle:squares=4,hand=2,deck=[0,2,1,1,1,1,0],max_turns=20   a small game
//
// # Rules
//
// Five turtles race from the start to the tenth square. Each of two to five players
// secretly owns one, and holds five cards. In a turn a player plays a card, which
// moves a turtle, and then draws one. [++], [+] and [−] of a colour move that turtle
// two squares forward, one forward, one backward; [+] and [−] of all colours move any
// turtle; the arrows, [↑] and [↑↑], move one of the last turtles. The player chooses
// among the turtles that a card permits. A turtle carries those above it, and is
// placed on top of those on its new square. On the start the turtles stand side by
// side, and a [−] can't be played for them. A player who can't play any card discards
// one and draws. A move beyond the last square ends on it. When the draw pile is
// empty, the discards become the draw pile. When a turtle reaches the last square, the
// owner of the lowest turtle there wins; if nobody owns it, the player with the most
// victory points does, and ties share (see [Unowned]). After 400 turns, which is very
// rare, the most victory points win too. What the paper leaves open is a parameter;
// see [Rules].
//
// # Chance and hidden information
//
// Chance deals the tiles, then the cards, one per outcome, and draws from the
// remaining cards. A [State] stores hands and the draw pile as numbers of cards of
// each kind. The pile has no order, so that nothing can look ahead.
//
// A seat sees its own colour and hand, the board, the discards, and how many cards
// each player has: its information set. State.Determinize redraws the rest from this
// alone, every deal being equally likely: two states that a seat can't tell apart
// become the same state if the random sources are equal. An information set has no
// memory: it does not contain what was on the discards before they became the draw
// pile, and implies nothing from what others played or had to discard. With history=N it is
// larger: it has the last N plays of each player, how often it has made each play, how far it moved
// each turtle, and which turtles it could have chosen for its cards of all colours and did not.
// With hands=open all players see everything, and states are of type [OpenState].
//
// # Strategies
//
// The paper's [Fast], [EfficientSmart], [Hybrid] and [Dummy] score moves. They choose
// greedily (Strategy.Choose, Game.Strategies), play rollouts (Strategy.Rollout), and
// value lines of play for searches (Game.Heuristics). In their formulas, c is the
// card's number of squares, even if a turtle stops at the goal.
//
//	s := g.NewState()
//	for s.CurrentPlayer() != game.Nobody {
//		if s.CurrentPlayer() == game.Chance {
//			s.Apply(s.(game.Chancer).Sample(rng))
//		} else {
//			s.Apply(turtle.Hybrid.Choose(s, rng))
//		}
//	}
//
// # Caveats
//
// The policy has a row of five actions for each kind of card, one column per turtle.
// It also contains the outcomes of chance that have a colour, so that the 120
// permutations of colours are symmetries. States are values without pointers, except
// to their game; nothing allocates.
package turtle
