package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"tengen/game"
)

// WordPlies is the number of plies that a word of Choices and Targets has: what fits in 64 bits at
// any of 8 places.
const WordPlies = 56

// Packed is an encoded game, read where it is needed without decoding the rest: a window holds
// games so. It refers to the bytes that it is of, and may be used by several goroutines.
type Packed struct {
	Number    uint64
	Seed      uint64
	Iteration int
	Prefix    int     // as Game's
	Resign    float32 // likewise
	Resigned  bool    // likewise

	data                []byte
	name                []byte
	evaluations, stream uint64
	facts               uint64
	players             int
	seats               [game.MaxPlayers]SeatRecord
	// scores, utilities, and the outcome if there is one; 4·players bytes each
	results []byte
	plies   int
	limit   uint32 // above all actions of targets
	nTrees  int
	forest  []byte // a table of the trees

	// The columns are bits of body: choices from its beginning, then the others from where these
	// say. The widths are of an entry.
	body                     []byte
	visits, policies, values int // flags
	movers, wMover           int
	actions, wAction         int
	lengths, wLength         int // of the targets
	found                    int // root values
	targets, targetBits      int
	trees, treeBits, wState  int
	nTargets, nFound         int
}

// branch is an entry of the table of trees.
type branch struct {
	ply, states, listed, levels int // listed: of states whose values are listed; levels: their bits
}

// bits returns the size of a tree.
func (t *branch) bits(players, wState int) int {
	return (t.states-1)*(2+wState) + t.levels + 32*players*t.listed
}

// Open checks that data is an encoded game, as AppendEncoded makes it, but for the rules of the
// game and how players resign. It allocates nothing once t's slices have grown, which it uses.
func Open(data []byte, t *Target) (p Packed, err error) {
	if err = p.head(data); err == nil {
		err = p.check(t)
	}
	if err != nil {
		return Packed{}, fmt.Errorf("decode game: %w", err)
	}
	return p, nil
}

// Reopen makes p that of a copy of what Open has accepted.
func (p *Packed) Reopen(data []byte) {
	if err := p.head(data); err != nil {
		panic(fmt.Sprintf("reopen a game: %v", err))
	}
}

// head reads all but the columns, and where these are.
func (p *Packed) head(data []byte) error {
	d := decoder{data: data}
	if version := d.byte(); d.err == nil && version != Version {
		return fmt.Errorf("record version %d; this program reads version %d", version, Version)
	}
	p.Number = d.uvarint("the game's number", math.MaxUint64)
	p.name = d.bytes(int(d.uvarint("the length of the game's name", MaxName)))
	p.Seed = d.uint64()
	p.Iteration = int(d.uvarint("the iteration", math.MaxInt32))
	if p.players = int(d.byte()); p.players < 1 || p.players > game.MaxPlayers {
		d.fail(fmt.Errorf("%d seats; must be 1 to %d", p.players, game.MaxPlayers))
		return d.err
	}
	for i := range p.seats[:p.players] {
		kind := SeatKind(d.byte())
		p.seats[i] = SeatRecord{kind, d.uvarint("a seat's network step", math.MaxUint64)}
	}
	p.readFacts(&d)
	n := 8 * p.players
	if p.facts&hasOutcome != 0 {
		n += 4 * p.players
	}
	p.results = d.bytes(n)
	p.plies = int(d.uvarint("the number of moves", MaxMoves))
	p.wMover, p.wAction = width(uint32(p.players)), d.width("an action")
	p.limit, p.wLength, p.targetBits = 0, 0, 0
	if p.facts&hasTargets != 0 {
		p.limit = uint32(d.uvarint("the limit of the visited actions", 1<<31))
		p.wLength = d.width("a target's length")
		p.targetBits = int(d.uvarint("the length of the targets", 8*MaxSize))
		if p.limit == 0 {
			d.fail(errors.New("the limit of the visited actions is 0"))
		}
	}
	p.nTrees, p.wState, p.treeBits, p.forest = 0, 0, 0, nil
	if p.facts&hasTrees != 0 {
		p.nTrees = int(d.uvarint("the number of trees", MaxMoves))
		p.wState = d.width("a state's action")
		p.treeBits = int(d.uvarint("the length of the trees", 8*MaxSize))
		p.forest = d.bytes(int(d.uvarint("the length of the table of trees", MaxSize)))
	}
	if d.err != nil {
		return d.err
	}
	p.data, p.body = data, d.data
	p.visits = p.plies
	p.policies = 2 * p.plies
	p.values = 3 * p.plies
	p.movers = 4 * p.plies
	p.actions = p.movers + p.plies*p.wMover
	p.lengths = p.actions + p.plies*p.wAction
	if p.lengths > 8*len(p.body) {
		return errShort
	}
	p.nTargets = count(p.body, p.visits, p.plies)
	p.nFound = count(p.body, p.values, p.plies)
	p.found = p.lengths + p.nTargets*p.wLength
	p.targets = p.found + 32*p.players*p.nFound
	p.trees = p.targets + p.targetBits
	end := p.trees + p.treeBits
	switch left := 8*len(p.body) - end; {
	case left < 0:
		return errShort
	case left >= 8:
		return fmt.Errorf("%d bytes follow the record's end", left/8)
	case field(p.body, end, left) != 0:
		return errors.New("the bits after the record's end are not 0")
	case p.nTargets > 0 != (p.facts&hasTargets != 0):
		return fmt.Errorf("%d policy targets; its facts say otherwise", p.nTargets)
	}
	return nil
}

// checkForest checks the table of the trees.
func (p *Packed) checkForest() error {
	if n := p.nTrees; p.facts&hasTrees != 0 && n == 0 || n > p.plies {
		return fmt.Errorf("%d trees of %d moves", n, p.plies)
	}
	d, size := decoder{data: p.forest}, 0
	for k := range p.nTrees {
		t := d.branch()
		if d.err != nil {
			return d.err
		}
		if t.states == 0 || t.listed == 0 || t.listed > t.states || t.ply >= p.plies {
			return fmt.Errorf("tree %d: %d values of %d states at ply %d of a game of %d",
				k, t.listed, t.states, t.ply, p.plies)
		}
		if size += t.bits(p.players, p.wState); size > p.treeBits {
			break
		}
	}
	if len(d.data) > 0 || size != p.treeBits {
		return fmt.Errorf("the trees have %d bits; by their table they have %d, and %d bytes follow it",
			p.treeBits, size, len(d.data))
	}
	return nil
}

func (d *decoder) branch() branch {
	return branch{
		int(d.uvarint("the ply of a tree", MaxMoves)),
		int(d.uvarint("the number of a tree's states", maxStates)),
		int(d.uvarint("the number of a tree's values", maxStates)),
		int(d.uvarint("the length of a tree's levels", 8*MaxSize)),
	}
}

// check checks the columns.
func (p *Packed) check(t *Target) error {
	if err := p.checkHead(); err != nil {
		return err
	}
	most := uint32(0)
	target, wLength, limit, targets := p.lengths, 0, uint32(0), p.targets
	found := p.found
	for ply := range p.plies {
		m := p.Mover(ply)
		visits, policy := p.HasTarget(ply), p.flag(p.policies, ply)
		value := p.HasValue(ply)
		switch {
		case int(m) >= p.players:
			return fmt.Errorf("ply %d: the mover is %d; must be 0 to %d, or chance (%d)",
				ply, m, p.players-1, p.players)
		case m == game.Chance && (visits || value || p.Choice(ply)):
			return fmt.Errorf("ply %d: an outcome of chance has visits, a value or a choice", ply)
		case policy && !visits:
			return fmt.Errorf("ply %d: a policy without visits", ply)
		case ply < p.Prefix && (visits || value):
			return fmt.Errorf("ply %d: a move before the players' own has visits or a value", ply)
		}
		most = max(most, uint32(p.Action(ply)))
		if value {
			if err := p.finite(found, p.players); err != nil {
				return fmt.Errorf("ply %d: %w", ply, err)
			}
			found += 32 * p.players
		}
		if !visits {
			continue
		}
		n := int(field(p.body, target, p.wLength))
		target += p.wLength
		if n > p.trees-targets {
			return fmt.Errorf("ply %d: a policy target of %d bits, of %d", ply, n, p.trees-targets)
		}
		wLength = max(wLength, width(uint32(n)))
		r := bitReader{b: p.body, at: targets, end: targets + n}
		targets += n
		if err := t.read(&r, p.limit, policy); err != nil {
			return fmt.Errorf("ply %d: %w", ply, err)
		}
		limit = max(limit, uint32(t.Visits[len(t.Visits)-1].Action)+1)
	}
	switch {
	case most > math.MaxInt32:
		return fmt.Errorf("an action is greater than %d", math.MaxInt32)
	case width(most) != p.wAction:
		return fmt.Errorf("actions have %d bits, but take %d", p.wAction, width(most))
	case targets != p.trees:
		return fmt.Errorf("%d bits follow the policy targets", p.trees-targets)
	case wLength != p.wLength:
		return fmt.Errorf("the targets' lengths have %d bits, but take %d", p.wLength, wLength)
	case limit != p.limit:
		return fmt.Errorf("visited actions are below %d, but their limit is %d", limit, p.limit)
	}
	return p.checkTrees()
}

func (p *Packed) checkHead() error {
	if len(p.name) == 0 {
		return errors.New("the game has no name")
	}
	for i, s := range p.seats[:p.players] {
		if s.Kind < Network || s.Kind > lastSeatKind || s.Kind != Network && s.Step != 0 {
			return fmt.Errorf("seat %d: kind %d with network step %d", i, s.Kind, s.Step)
		}
	}
	for i := range len(p.results) / 4 {
		x := p.result(i)
		if !finite(x) || i/p.players == 1 && !(x >= 0 && x <= 1) {
			return fmt.Errorf("player %d has the score, utility or outcome %v", i%p.players, x)
		}
	}
	if p.Prefix > p.plies {
		return fmt.Errorf("%d moves before the players' own; the game has %d", p.Prefix, p.plies)
	}
	return nil
}

// finite checks n floats.
func (p *Packed) finite(at, n int) error {
	for i := range n {
		if x := p.float(at + 32*i); !finite(x) {
			return fmt.Errorf("player %d has the value %v", i%p.players, x)
		}
	}
	return nil
}

func (p *Packed) checkTrees() error {
	most := uint32(0)
	if err := p.checkForest(); err != nil {
		return err
	}
	for k := range p.nTrees {
		t := p.tree(k)
		if n := count(p.body, t.listed, t.n-1); n+1 != t.n0 {
			return fmt.Errorf("tree %d: %d values are listed, but it has %d", k, n+1, t.n0)
		}
		if err := p.finite(t.values, t.n0*p.players); err != nil {
			return fmt.Errorf("tree %d: %w", k, err)
		}
		for i := 1; i < t.n0; i++ {
			same := true
			for j := range p.players {
				same = same && p.bits(t.values+32*(i*p.players+j)) ==
					p.bits(t.values+32*((i-1)*p.players+j))
			}
			if same {
				return fmt.Errorf("tree %d: value %d is that before it", k, i)
			}
		}
		r := bitReader{b: p.body, at: t.levels, end: t.values}
		depth := uint32(0)
		for i := 1; i < t.n; i++ {
			up := r.golomb(0)
			if up > depth || r.bad {
				return fmt.Errorf("tree %d, state %d: %d levels above a child of one of depth %d",
					k, i, up, depth)
			}
			depth += 1 - up
			most = max(most, uint32(t.action(p, i)))
		}
		if r.at != r.end {
			return fmt.Errorf("tree %d: %d bits follow its levels", k, r.end-r.at)
		}
	}
	switch {
	case most > math.MaxInt32:
		return fmt.Errorf("an action is greater than %d", math.MaxInt32)
	case width(most) != p.wState:
		return fmt.Errorf("actions of states have %d bits, but take %d", p.wState, width(most))
	}
	return nil
}

func (p *Packed) bits(at int) uint32    { return uint32(field(p.body, at, 32)) }
func (p *Packed) float(at int) float32  { return math.Float32frombits(p.bits(at)) }
func (p *Packed) flag(at, ply int) bool { return field(p.body, at+ply, 1) != 0 }
func (p *Packed) word(at, i int) uint64 {
	return field(p.body, at+WordPlies*i, min(WordPlies, p.plies-WordPlies*i))
}

// Data returns the encoded game.
func (p *Packed) Data() []byte { return p.data }

// Name returns the game's name.
func (p *Packed) Name() string { return string(p.name) }

// Is reports whether the game has a name.
func (p *Packed) Is(name string) bool { return string(p.name) == name }

// Players returns the number of seats.
func (p *Packed) Players() int { return p.players }

// Seat returns the player of a seat.
func (p *Packed) Seat(i game.Player) SeatRecord { return p.seats[i] }

// Plies returns the number of moves.
func (p *Packed) Plies() int { return p.plies }

// Mover returns who moved at a ply.
func (p *Packed) Mover(ply int) game.Player {
	m := game.Player(field(p.body, p.movers+ply*p.wMover, p.wMover))
	if int(m) == p.players {
		return game.Chance
	}
	return m
}

// Action returns the action of a ply.
func (p *Packed) Action(ply int) game.Action {
	return game.Action(field(p.body, p.actions+ply*p.wAction, p.wAction))
}

// Choice reports whether the mover of a ply had several legal actions.
func (p *Packed) Choice(ply int) bool { return p.flag(0, ply) }

// HasTarget reports whether a ply has a policy target.
func (p *Packed) HasTarget(ply int) bool { return p.flag(p.visits, ply) }

// HasValue reports whether a root value is recorded at a ply.
func (p *Packed) HasValue(ply int) bool { return p.flag(p.values, ply) }

// Choices returns word i of Choice: that of ply WordPlies·i + k is bit k.
func (p *Packed) Choices(i int) uint64 { return p.word(0, i) }

// Targets returns word i of HasTarget, as Choices.
func (p *Packed) Targets(i int) uint64 { return p.word(p.visits, i) }

// Of returns word i of whether a seat of a kind moved, as Choices. Bits of outcomes of chance, and
// of plies after the end, are any.
func (p *Packed) Of(kind SeatKind, i int) (set uint64) {
	n := 0
	for _, s := range p.seats[:p.players] {
		if s.Kind == kind {
			n++
		}
	}
	if n == 0 || n == p.players {
		return -uint64(n / p.players)
	}
	for k := range min(WordPlies, p.plies-WordPlies*i) {
		if m := p.Mover(WordPlies*i + k); m >= 0 && p.seats[m].Kind == kind {
			set |= 1 << k
		}
	}
	return set
}

// Forced reports whether a move was no decision: see Move.Forced.
func (p *Packed) Forced(ply int) bool {
	m := p.Mover(ply)
	return m == game.Chance ||
		!p.HasValue(ply) && !p.HasTarget(ply) && p.seats[m].Kind != Random
}

// Judges reports whether a network's search found a value at a ply.
func (p *Packed) Judges(ply int) bool {
	m := p.Mover(ply)
	return m >= 0 && p.seats[m].Kind == Network && p.HasValue(ply)
}

// Values writes the root value of a ply that has one to dst, a number for each player.
func (p *Packed) Values(ply int, dst []float32) {
	at := p.found + 32*p.players*count(p.body, p.values, ply)
	for i := range dst[:p.players] {
		dst[i] = p.float(at + 32*i)
	}
}

// result returns a number of the scores, utilities and the outcome.
func (p *Packed) result(i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(p.results[4*i:]))
}

// Return returns a player's utility at the end.
func (p *Packed) Return(i game.Player) float32 { return p.result(p.players + int(i)) }

// Result returns what the value targets are of for a player: see Game.Result.
func (p *Packed) Result(i game.Player) float32 {
	return p.result(len(p.results)/4 - p.players + int(i))
}

// Target reads the policy target of a ply that has one. It allocates nothing once t's slices have
// grown.
func (p *Packed) Target(ply int, t *Target) error {
	at := p.targets
	k := count(p.body, p.visits, ply)
	for i := range k {
		at += int(field(p.body, p.lengths+i*p.wLength, p.wLength))
	}
	r := bitReader{
		b: p.body, at: at, end: at + int(field(p.body, p.lengths+k*p.wLength, p.wLength)),
	}
	return t.read(&r, p.limit, p.flag(p.policies, ply))
}

// packedTree is a tree of a Packed: where its columns begin.
type packedTree struct {
	ply, n, n0 int // n0: of values listed
	forced     int // a bit for each state but the root: forced moves follow its action
	listed     int // likewise: its values are not those of the state before
	actions    int
	levels     int
	values     int
}

func (t *packedTree) action(p *Packed, state int) game.Action {
	return game.Action(field(p.body, t.actions+(state-1)*p.wState, p.wState))
}

// tree returns tree k.
func (p *Packed) tree(k int) (t packedTree) {
	d, at := decoder{data: p.forest}, p.trees
	b := d.branch()
	for ; k > 0; k-- {
		at += b.bits(p.players, p.wState)
		b = d.branch()
	}
	t = packedTree{ply: b.ply, n: b.states, n0: b.listed, forced: at, listed: at + b.states - 1}
	t.actions = t.listed + b.states - 1
	t.levels = t.actions + (b.states-1)*p.wState
	t.values = t.levels + b.levels
	return t
}

// Trees returns the number of trees.
func (p *Packed) Trees() int { return p.nTrees }

// States returns the number of states of all trees.
func (p *Packed) States() (states int) {
	d := decoder{data: p.forest}
	for range p.nTrees {
		states += d.branch().states
	}
	return states
}

// StateOf returns the tree of state i of those of all trees, its root's ply, and the index there.
func (p *Packed) StateOf(i int) (tree, ply, state int) {
	d := decoder{data: p.forest}
	for tree = range p.nTrees {
		b := d.branch()
		if i < b.states {
			return tree, b.ply, i
		}
		i -= b.states
	}
	return p.nTrees, p.plies, i
}

// path appends the states from a state up to a child of the root of a tree.
func (p *Packed) path(dst []int32, t *packedTree, state int) []int32 {
	r := bitReader{b: p.body, at: t.levels, end: t.values}
	// The states on the path to the one at hand, by depth.
	for i := 1; i <= state; i++ {
		// A bit that is set is a child of the state before.
		n := min(bits.TrailingZeros64(^field(p.body, r.at, min(WordPlies, r.end-r.at))), state-i+1)
		for range n {
			dst = append(dst, int32(i))
			i++
		}
		if r.at += n; i <= state {
			dst = append(dst[:len(dst)-int(r.golomb(0))], int32(i))
		}
	}
	return dst
}
