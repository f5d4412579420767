package cluster

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"tengen/replay/record"
)

// Build is what must be the same on both sides, so that games are the same to the bit.
type Build struct {
	Build   string `json:"build"`   // version and revision of the program
	Records int    `json:"records"` // version of an encoded game: record.Version
	// backend.Backend.Kernels; "" in a Hello without a session: not known yet
	Kernels string `json:"kernels"`
}

// Hello tells who a worker is, that it is alive, and what it has done. It is sent every few
// seconds.
type Hello struct {
	Worker string `json:"worker"` // its id, also in its subjects: the public key, or a random name
	Host   string `json:"host"`   // for people
	Build
	// Rules is the digest of the game's rules as the worker has them; "" before it knows the game.
	Rules string `json:"rules,omitempty"`
	// Session is that of the Welcome on which it works; "" before the first.
	Session string `json:"session,omitempty"`
	Games   int    `json:"games"` // that it plays at a time

	Finished    uint64  `json:"finished"`    // games since its start
	Evaluations uint64  `json:"evaluations"` // of positions since its start
	Rate        float64 `json:"rate"`        // evaluations a second, lately
	Leaving     bool    `json:"leaving,omitempty"`
}

// Welcome is the answer to a Hello.
type Welcome struct {
	// Refused says why no game of the worker counts; "" if they do. Everything else may be empty
	// then.
	Refused string `json:"refused,omitempty"`
	Run     string `json:"run"`     // of the run
	Session string `json:"session"` // of the trainer's process
	// YAML; "" if the worker has it already: its Session is this one
	Config string `json:"config"`
	Rules  string `json:"rules"` // digest of the game's rules
	// Finished says that the run is finished: no more games are wanted. Everything else may be
	// empty then.
	Finished bool `json:"finished,omitempty"`
}

// Block is a number of games to play.
type Block struct {
	Run         string  `json:"run"`
	Session     string  `json:"session"`
	Iteration   int     `json:"iteration"`
	Step        uint64  `json:"step"`
	Epsilon     float64 `json:"epsilon"`
	Exploration float64 `json:"exploration"`
	// Resign is the utility below which players resign, 0: nobody does.
	Resign  float32  `json:"resign,omitempty"`
	Weights string   `json:"weights"` // SHA-256 of the network's file, in WEIGHTS
	Numbers []uint64 `json:"numbers"` // ascending
	// Token proves that the trainer has given the block out.
	Token string `json:"token"`
}

// Batch is finished games of a block: all, or some of them.
type Batch struct {
	Worker string `json:"worker"`
	Block  Block  `json:"block"`
	Count  int    `json:"count"` // of the games that follow
}

// Done names blocks that are over: all of their games are on the trainer's disk, or are not wanted
// any more. Or it says that the run is finished.
type Done struct {
	Session string   `json:"session"`
	Tokens  []string `json:"tokens,omitempty"`
	// Refused says why the games of the blocks do not count; "" if they do.
	Refused string `json:"refused,omitempty"`
	// Counted says that all games of the blocks count, as this worker has sent them, and are on the
	// trainer's disk. If it is false some may not be wanted: another was faster, whose games need
	// not be on disk yet.
	Counted bool `json:"counted,omitempty"`
	// Finished is the run (Welcome.Run) if it is finished: no more games are wanted. There are no
	// tokens then.
	Finished string `json:"finished,omitempty"`
}

var (
	workerName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,32})?$`)
	digestName = regexp.MustCompile(`^[0-9a-f]{64}$`)
	tokenName  = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

// ValidWorker reports whether a worker may have this id: a public key, or a random name; of several
// workers with one key, with a dot and a name of their own behind it.
func ValidWorker(id string) bool { return workerName.MatchString(id) }

// ValidToken reports whether a token has the form of one.
func ValidToken(token string) bool { return tokenName.MatchString(token) }

// Account returns the part of a worker's id that it can't choose if it has a key.
func Account(worker string) string {
	account, _, _ := strings.Cut(worker, ".")
	return account
}

func checkText(what, s string, least int) error {
	if n := len(s); n < least || n > maxText {
		return fmt.Errorf("%s has %d bytes; %d to %d are allowed", what, n, least, maxText)
	}
	return nil
}

func (h *Hello) check() error {
	if !ValidWorker(h.Worker) {
		return fmt.Errorf("the worker's id is %.80q; 1 to 64 letters, digits, - and _ are wanted, and a dot and 1 to 32 more if several have one key", h.Worker)
	}
	if h.Games < 1 || h.Games > 1<<20 {
		return fmt.Errorf("it plays %d games at a time; 1 to %d are allowed", h.Games, 1<<20)
	}
	if !(h.Rate >= 0) || math.IsInf(h.Rate, 0) {
		return fmt.Errorf("its rate is %v", h.Rate)
	}
	return errors.Join(checkText("the host", h.Host, 0), checkText("the build", h.Build.Build, 1),
		checkText("the kernels", h.Kernels, 0), checkText("the rules", h.Rules, 0),
		checkText("the session", h.Session, 0))
}

func (w *Welcome) check() error {
	return errors.Join(checkText("the run", w.Run, 0), checkText("the session", w.Session, 0),
		checkText("the rules", w.Rules, 0))
}

func (b *Block) check() error {
	switch {
	case len(b.Numbers) < 1 || len(b.Numbers) > MaxBlock:
		return fmt.Errorf("%d games; 1 to %d are allowed", len(b.Numbers), MaxBlock)
	case !digestName.MatchString(b.Weights):
		return fmt.Errorf("the digest of its network is %.80q", b.Weights)
	case !tokenName.MatchString(b.Token):
		return fmt.Errorf("its token is %.80q", b.Token)
	case b.Iteration < 0 || b.Iteration > math.MaxInt32:
		return fmt.Errorf("iteration %d", b.Iteration)
	case !(b.Epsilon >= 0 && b.Epsilon <= 1) || math.IsNaN(b.Exploration) ||
		math.IsInf(b.Exploration, 0):
		return fmt.Errorf("epsilon %v, exploration %v", b.Epsilon, b.Exploration)
	case !(b.Resign >= 0 && b.Resign <= record.MaxResign):
		return fmt.Errorf("players resign below a utility of %v; must be from 0 to %v",
			b.Resign, record.MaxResign)
	}
	for i := 1; i < len(b.Numbers); i++ {
		if b.Numbers[i] <= b.Numbers[i-1] {
			return fmt.Errorf("game %d follows game %d", b.Numbers[i], b.Numbers[i-1])
		}
	}
	return errors.Join(checkText("the run", b.Run, 1), checkText("the session", b.Session, 1))
}

func (b *Batch) check() error {
	if !ValidWorker(b.Worker) {
		return fmt.Errorf("the worker's id is %.80q", b.Worker)
	}
	if b.Count < 1 || b.Count > len(b.Block.Numbers) {
		return fmt.Errorf("%d games of a block of %d", b.Count, len(b.Block.Numbers))
	}
	return b.Block.check()
}

func (d *Done) check() error {
	least := 1
	if d.Finished != "" {
		least = 0
	}
	if len(d.Tokens) < least || len(d.Tokens) > maxDone {
		return fmt.Errorf("%d blocks; 1 to %d are allowed", len(d.Tokens), maxDone)
	}
	for _, t := range d.Tokens {
		if _, err := hex.DecodeString(t); err != nil || len(t) != 32 {
			return fmt.Errorf("the token %.80q", t)
		}
	}
	if len(d.Refused) > 4*maxText {
		return fmt.Errorf("a reason of %d bytes", len(d.Refused))
	}
	return errors.Join(checkText("the session", d.Session, 0),
		checkText("the finished run", d.Finished, 0))
}

// EncodeBatches encodes finished games of a block as one or more batches within the limits.
func EncodeBatches(worker string, block *Block, games []*record.Game) ([][]byte, error) {
	var list [][]byte
	var body []byte
	count := 0
	flush := func() error {
		if count == 0 {
			return nil
		}
		m, err := encode(&Batch{Worker: worker, Block: *block, Count: count}, body)
		list, body, count = append(list, m), nil, 0
		return err
	}
	for _, g := range games {
		data, err := record.Append(nil, g)
		if err != nil {
			return nil, err
		}
		if len(body)+len(data) > MaxBatch-MaxHead {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		body = append(body, data...)
		count++
	}
	return list, flush()
}

// DecodeBatch decodes a batch and its games. It checks what the games say of themselves against the
// block.
func DecodeBatch(data []byte) (*Batch, []*record.Game, error) {
	b := new(Batch)
	body, err := decode(data, b)
	if err != nil {
		return nil, nil, err
	}
	games, err := record.DecodeAll(body, b.Count)
	if err == nil && len(games) != b.Count {
		err = fmt.Errorf("%d games; its head says %d", len(games), b.Count)
	}
	if err != nil {
		return b, nil, fmt.Errorf("decode batch of games: %w", err)
	}
	return b, games, nil
}
