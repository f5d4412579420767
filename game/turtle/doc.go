// Package turtle is the Great Turtle Race (Reiner Knizia's Schildkrötenrennen,
// 2004), as Przybylski and Król describe it in "Mastering Strategies in a Board
// Game of Imperfect Information for Different Search Techniques" (2017).
//
//	turtle                                the game for two
//	turtle:players=4,unowned=none         if nobody owns the winning turtle, nobody wins
//	turtle:deck=mine.yaml                 with the cards of a file; see [ReadDeck]
//	turtle:hands=open                     everybody sees everything
//	turtle:squares=4,hand=2,deck=[0,2,1,1,1,1,0],max_turns=20   a small one
//
// # Rules
//
// Five turtles race from the start to the tenth square. Each of two to five
// players owns one, in secret, and holds five cards. In a turn a player plays a
// card, which moves a turtle: [++], [+] and [−] of a colour two squares forward,
// one forward, one backward; [+] and [−] of all colours any turtle; arrows, [↑]
// and [↑↑], one of the turtles that are last. The player chooses among what a card
// permits. Then it draws. A turtle carries those that stand on it, and arrives on
// top of those that stand there. On the start they stand side by side, and a [−]
// can't be played for them; who can play no card discards one, and draws. A step
// beyond the last square ends on it. An empty draw pile is made anew of the discards.
// When a turtle reaches the last square, the owner of the lowest there wins; if
// nobody owns it, the player with the most victory points does, and equals share
// (see [Unowned]). After 400 turns, which hardly ever come about, the most victory
// points win too. What the paper leaves open is a parameter; see [Rules].
//
// # Chance and hidden information
//
// Chance deals the tiles, then the cards, one each outcome, and draws from the
// cards that are left. A [State] holds hands and draw pile as numbers of each card;
// no order of the pile exists, so that nothing can look ahead.
//
// What a seat sees is its own colour and hand, the board, the discards, and how
// many cards everybody has: its information set. State.Determinize deals the
// rest anew, every deal being equally likely, from this alone: two states that a
// seat can't tell apart become the same state, if the random sources are equal.
// A seat's memory is the table: it keeps no record of what lay on the discards
// before they became the draw pile, and draws no conclusions from what others
// played, or had to discard. With hands=open all see everything, and states are
// an [OpenState].
//
// # Strategies
//
// The paper's [Fast], [EfficientSmart], [Hybrid] and [Dummy] score moves. They
// choose greedily (Strategy.Choose, Game.Strategies), play rollouts
// (Strategy.Rollout), and value lines of play for searches (Game.Heuristics). c
// in their formulas is the card's number of squares, also where a turtle stops
// at the goal.
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
// The policy has a row of five actions for each kind of card, a column a turtle;
// outcomes of chance that have a colour stand in it too, so that the 120
// permutations of colours are symmetries. States are values without pointers but
// to their game; nothing allocates.
package turtle
