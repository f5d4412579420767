package experiments

import (
	"context"
	"fmt"

	"tengen/game"
	"tengen/game/abstraction"
	"tengen/internal/stream"
)

// RMBeyond is what the paper leaves to future work: representative moves in Monte
// Carlo tree search, classes of moves found without supervision; and learned
// play. All matches are at equal time.
type RMBeyond struct {
	Made      Made                 `json:"made"`
	Game      string               `json:"game"`
	AlphaZero string               `json:"alphazero,omitempty"` // the network's path
	Classes   *abstraction.Classes `json:"classes"`             // found by clustering
	Matches   []RMBeyondMatch      `json:"matches"`
}

// RMBeyondMatch is a match and what it asks.
type RMBeyondMatch struct {
	Question string  `json:"question"`
	Match    RMMatch `json:"match"`
}

// rmQuestion is a match to be played: players without their time.
type rmQuestion struct {
	question      string
	first, second [2]string // kind, further keys
	main          bool      // the match that says how strong AlphaZero is
}

// rmQuestions are the matches, those of AlphaZero where there is a network.
func rmQuestions(network string) []rmQuestion {
	const expect = "expectiminimax"
	uct := func(keys string) [2]string { return [2]string{"uct", "utility=unit" + keys} }
	ask := func(question string, first, second [2]string) rmQuestion {
		return rmQuestion{question: question, first: first, second: second}
	}
	list := []rmQuestion{
		ask("the paper's representatives in UCT", uct(",rm=true"), uct("")),
		ask("clusters in UCT", uct(",rm=clusters"), uct("")),
		ask("clusters after a full turn in UCT", uct(",rm=clusters,full_turns=1"), uct("")),
		ask("random classes in UCT", uct(",rm=random"), uct("")),
		ask("clusters against random classes in UCT", uct(",rm=clusters"), uct(",rm=random")),
		ask("clusters in expectiminimax", [2]string{expect, "rm=clusters"}, [2]string{expect, ""}),
		ask("clusters after a full turn in expectiminimax", [2]string{expect, "rm=clusters,full_turns=1"}, [2]string{expect, ""}),
		ask("random classes in expectiminimax", [2]string{expect, "rm=random"}, [2]string{expect, ""}),
		ask("clusters against random classes in expectiminimax", [2]string{expect, "rm=clusters"}, [2]string{expect, "rm=random"}),
		ask("clusters against the paper's representatives", [2]string{expect, "rm=clusters"}, [2]string{expect, "rm=true"}),
		ask("UCT against expectiminimax", uct(""), [2]string{expect, ""}),
	}
	if network == "" {
		return list
	}
	az := [2]string{"az:" + network, ""}
	return append(list,
		rmQuestion{"AlphaZero against the paper's representatives", az, [2]string{expect, "rm=true"}, true},
		ask("AlphaZero against expectiminimax", az, [2]string{expect, ""}),
		ask("AlphaZero against UCT", az, uct("")),
		ask("AlphaZero against the paper's representatives in UCT", az, uct(",rm=true")),
		ask("AlphaZero against clusters in expectiminimax", az, [2]string{expect, "rm=clusters"}),
		ask("clusters in AlphaZero", [2]string{"az:" + network, "rm=clusters"}, az),
	)
}

// timedPlayer writes a player with the time a move.
func (m *RMGames) timedPlayer(p [2]string) string {
	text := m.timed(p[0])
	if len(p[0]) > 3 && p[0][:3] == "az:" {
		text = fmt.Sprintf("%s,time=%v", p[0], m.Time)
	}
	if p[1] != "" {
		text += "," + p[1]
	}
	return text
}

// Beyond plays all matches. network is the path of AlphaZero's, "" for none.
func (m *RMGames) Beyond(ctx context.Context, network string, made Made) (*RMBeyond, error) {
	g, err := game.New(m.Game)
	if err != nil {
		return nil, err
	}
	b := &RMBeyond{Made: made, Game: m.Game, AlphaZero: network}
	// As the players find them.
	if b.Classes, err = abstraction.Learn(g, abstraction.Learning{}, stream.New(1, stream.Classes)); err != nil {
		return nil, err
	}
	for _, q := range rmQuestions(network) {
		games := m.Games
		if q.main && m.AlphaZeroGames > 0 {
			games = m.AlphaZeroGames
		}
		r, err := m.match(ctx, m.timedPlayer(q.first), m.timedPlayer(q.second), games, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.question, err)
		}
		b.Matches = append(b.Matches, RMBeyondMatch{q.question, *r})
		b.Made.count(r)
	}
	return b, nil
}
