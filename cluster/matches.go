package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"tengen/game"
)

// Limits of matches.
const (
	// MaxGames is the most games of a MatchBlock.
	MaxGames = 64
	// MaxActions is the most actions of a game of a match.
	MaxActions = 1 << 20

	maxContestants = 16
	maxSeatings    = 256
	maxSeats       = 64
)

// MatchBlock is a number of games of a match to play.
type MatchBlock struct {
	Run     string       `json:"run"`
	Session string       `json:"session"`
	Match   uint64       `json:"match"` // of the session
	Players []Contestant `json:"players"`
	// Seatings, Games, Paired, Drawn, Seed and Opening are as in arena.Match.
	Seatings [][]int `json:"seatings"`
	Games    int     `json:"games"`
	Paired   bool    `json:"paired,omitempty"`
	Drawn    bool    `json:"drawn,omitempty"`
	Seed     uint64  `json:"seed"`
	Opening  int     `json:"opening,omitempty"`
	Numbers  []int   `json:"numbers"` // of the games to play, ascending
	Token    string  `json:"token"`   // as that of a Block
}

// Contestant is a player of a match: a network of the run with simulations, a player without a
// network, or one with a network of its own.
type Contestant struct {
	Weights     string `json:"weights,omitempty"` // SHA-256 of the network's file
	Simulations int    `json:"simulations,omitempty"`
	Player      string `json:"player,omitempty"` // as player.Elsewhere describes it
	// Config is the SHA-256 of the configuration of the network's run, as YAML, in WEIGHTS; "" for
	// that of this run, or with Player for none.
	Config string `json:"config,omitempty"`
}

// Results is finished games of a match: their actions follow, outcomes of chance included.
type Results struct {
	Worker string     `json:"worker"`
	Block  MatchBlock `json:"block"`
}

func (*MatchBlock) kind() Kind { return KindMatch }
func (*Results) kind() Kind    { return KindResults }

func (b *MatchBlock) check() error {
	switch {
	case len(b.Players) < 1 || len(b.Players) > maxContestants:
		return fmt.Errorf("%d players; 1 to %d are allowed", len(b.Players), maxContestants)
	case len(b.Seatings) < 1 || len(b.Seatings) > maxSeatings:
		return fmt.Errorf("%d seatings; 1 to %d are allowed", len(b.Seatings), maxSeatings)
	case len(b.Numbers) < 1 || len(b.Numbers) > MaxGames:
		return fmt.Errorf("%d games; 1 to %d are allowed", len(b.Numbers), MaxGames)
	case b.Games < 1 || b.Games > math.MaxInt32 || b.Opening < 0 || b.Opening > math.MaxInt32:
		return fmt.Errorf("%d games with openings of %d", b.Games, b.Opening)
	case !tokenName.MatchString(b.Token):
		return fmt.Errorf("its token is %.80q", b.Token)
	}
	for _, p := range b.Players {
		if p.Player == "" && p.Weights == "" ||
			p.Weights != "" && !digestName.MatchString(p.Weights) || p.Simulations < 0 {
			return errors.New("a player is neither a network nor another one")
		}
		if p.Config != "" && (p.Weights == "" || !digestName.MatchString(p.Config)) {
			return errors.New("a player has a configuration without a network, or none")
		}
		if len(p.Player) > 4*maxText {
			return fmt.Errorf("a player's name has %d bytes; at most %d are allowed",
				len(p.Player), 4*maxText)
		}
	}
	for _, seating := range b.Seatings {
		if len(seating) < 1 || len(seating) > maxSeats {
			return fmt.Errorf("a seating of %d seats", len(seating))
		}
		for _, p := range seating {
			if p < 0 || p >= len(b.Players) {
				return fmt.Errorf("player %d of %d has a seat", p, len(b.Players))
			}
		}
	}
	for i, n := range b.Numbers {
		if n < 0 || n >= b.Games || i > 0 && n <= b.Numbers[i-1] {
			return fmt.Errorf("game %d of %d at place %d", n, b.Games, i)
		}
	}
	return errors.Join(checkText("the run", b.Run, 1), checkText("the session", b.Session, 1))
}

func (r *Results) check() error {
	if !ValidWorker(r.Worker) {
		return fmt.Errorf("the worker's id is %.80q", r.Worker)
	}
	return r.Block.check()
}

// EncodeResults encodes the games of a block, each by its actions, in the order of the block's
// numbers.
func EncodeResults(worker string, block *MatchBlock, games [][]game.Action) ([]byte, error) {
	if len(games) != len(block.Numbers) {
		return nil, fmt.Errorf("%d games of a block of %d", len(games), len(block.Numbers))
	}
	var body []byte
	for _, actions := range games {
		body = binary.AppendUvarint(body, uint64(len(actions)))
		for _, a := range actions {
			body = binary.AppendUvarint(body, uint64(uint32(a)))
		}
	}
	return encode(&Results{Worker: worker, Block: *block}, body)
}

// DecodeResults is the inverse of EncodeResults. It does not check the actions.
func DecodeResults(data []byte) (*Results, [][]game.Action, error) {
	r := new(Results)
	body, err := decode(data, r)
	if err != nil {
		return nil, nil, err
	}
	fail := func(what string) (*Results, [][]game.Action, error) {
		return r, nil, fmt.Errorf("decode results of a match: %s", what)
	}
	next := func(most uint64) (uint64, bool) {
		x, n := binary.Uvarint(body)
		if n <= 0 || x > most {
			return 0, false
		}
		body = body[n:]
		return x, true
	}
	var games [][]game.Action
	for _, number := range r.Block.Numbers {
		n, ok := next(MaxActions)
		if !ok || n > uint64(len(body)) {
			return fail(fmt.Sprintf("game %d has no number of actions, or too many", number))
		}
		actions := make([]game.Action, n)
		for i := range actions {
			a, ok := next(math.MaxInt32)
			if !ok {
				return fail(fmt.Sprintf("game %d ends within an action", number))
			}
			actions[i] = game.Action(a)
		}
		games = append(games, actions)
	}
	if len(body) > 0 {
		return fail(fmt.Sprintf("%d bytes follow the last game", len(body)))
	}
	return r, games, nil
}

// KindOf returns the kind of a message of this version, 0 if it is none.
func KindOf(data []byte) Kind {
	if len(data) < headSize || string(data[:len(magic)]) != magic || data[len(magic)] != Version {
		return 0
	}
	return Kind(data[len(magic)+1])
}
