package cards

import (
	"context"
	"fmt"

	"tengen/game"
	"tengen/game/abstraction"
	"tengen/internal/notation"
	"tengen/internal/random"
	"tengen/research"
)

// Beyond is what the paper leaves to future work (representative moves in Monte
// Carlo tree search, classes of moves found without supervision) and learned
// play. All matches are at equal time.
type Beyond struct {
	research.Made `json:"made"`
	Game          string               `json:"game"`
	AlphaZero     string               `json:"alphazero,omitempty"` // the network's path
	Classes       *abstraction.Classes `json:"classes"`             // found by clustering
	Matches       []BeyondMatch        `json:"matches"`
}

// BeyondMatch is a match with the question that it answers.
type BeyondMatch struct {
	Question string `json:"question"`
	Match    Match  `json:"match"`
}

// question is a match to be played. Its players are without their time.
type question struct {
	question      string
	first, second [2]string // kind, further keys
	main          bool      // the match that measures AlphaZero's strength
}

// questions returns the matches; those of AlphaZero only if there is a network.
func questions(network string) []question {
	const expect = "expectiminimax"
	uct := func(keys string) [2]string { return [2]string{"uct", "utility=unit" + keys} }
	ask := func(asked string, first, second [2]string) question {
		return question{question: asked, first: first, second: second}
	}
	list := []question{
		ask("the paper's representatives in UCT", uct(",rm=true"), uct("")),
		ask("clusters in UCT", uct(",rm=clusters"), uct("")),
		ask("clusters after a full turn in UCT", uct(",rm=clusters,full_turns=1"), uct("")),
		ask("random classes in UCT", uct(",rm=random"), uct("")),
		ask("clusters against random classes in UCT", uct(",rm=clusters"), uct(",rm=random")),
		ask("clusters in expectiminimax", [2]string{expect, "rm=clusters"}, [2]string{expect, ""}),
		ask("clusters after a full turn in expectiminimax",
			[2]string{expect, "rm=clusters,full_turns=1"}, [2]string{expect, ""}),
		ask("random classes in expectiminimax",
			[2]string{expect, "rm=random"}, [2]string{expect, ""}),
		ask("clusters against random classes in expectiminimax",
			[2]string{expect, "rm=clusters"}, [2]string{expect, "rm=random"}),
		ask("clusters against the paper's representatives",
			[2]string{expect, "rm=clusters"}, [2]string{expect, "rm=true"}),
		ask("UCT against expectiminimax", uct(""), [2]string{expect, ""}),
	}
	if network == "" {
		return list
	}
	az := [2]string{"az:" + notation.Quote(network), ""}
	return append(list,
		question{
			"AlphaZero against the paper's representatives", az, [2]string{expect, "rm=true"}, true,
		},
		ask("AlphaZero against expectiminimax", az, [2]string{expect, ""}),
		ask("AlphaZero against UCT", az, uct("")),
		ask("AlphaZero against the paper's representatives in UCT", az, uct(",rm=true")),
		ask("AlphaZero against clusters in expectiminimax", az, [2]string{expect, "rm=clusters"}),
		ask("clusters in AlphaZero", [2]string{"az:" + notation.Quote(network), "rm=clusters"}, az),
	)
}

// timedPlayer writes a player with the time of a move.
func (e *Experiments) timedPlayer(p [2]string) string {
	text := e.timed(p[0])
	if len(p[0]) > 3 && p[0][:3] == "az:" {
		text = fmt.Sprintf("%s,time=%v", p[0], e.Time)
	}
	if p[1] != "" {
		text += "," + p[1]
	}
	return text
}

// Beyond plays all matches. network is the path of AlphaZero's network, "" for none. If it is
// interrupted, it returns the matches so far and an error.
func (e *Experiments) Beyond(
	ctx context.Context, network string, made research.Made,
) (*Beyond, error) {
	g, err := game.New(e.Game)
	if err != nil {
		return nil, err
	}
	b := &Beyond{Made: made, Game: e.Game, AlphaZero: network}
	// The players learn the same classes.
	if b.Classes, err = abstraction.Learn(g, abstraction.Learning{},
		random.New(1, random.Classes)); err != nil {
		return nil, err
	}
	for _, q := range questions(network) {
		games := e.Games
		if q.main && e.AlphaZeroGames > 0 {
			games = e.AlphaZeroGames
		}
		r, err := e.match(ctx, e.timedPlayer(q.first), e.timedPlayer(q.second), games, nil, &b.Made)
		if r != nil {
			b.Matches = append(b.Matches, BeyondMatch{q.question, *r})
		}
		if err != nil {
			return b, fmt.Errorf("%s: %w", q.question, err)
		}
	}
	return b, nil
}
