package selfplay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"tengen/game"
)

// restartsMagic begins encoded Restarts; the last byte is the version.
const restartsMagic = "TGNRS\x01"

// Encode returns r as bytes, for those who play elsewhere. docs/formats/cluster.md describes them.
func (r *Restarts) Encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte(restartsMagic), math.Float64bits(r.share))
	b = binary.AppendUvarint(b, uint64(len(r.positions)))
	for _, p := range r.positions {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.bound))
		b = binary.AppendUvarint(b, uint64(len(p.actions)))
		for _, a := range p.actions {
			b = binary.AppendUvarint(b, uint64(uint32(a)))
		}
	}
	return b
}

// DecodeRestarts is the inverse of Encode. It plays the actions before each position in g, and returns an error if one of
// them is not possible or the game is over after them.
func DecodeRestarts(g game.Game, data []byte) (*Restarts, error) {
	d := restartsDecoder{data}
	r, err := d.restarts(g)
	if err != nil {
		return nil, fmt.Errorf("decode restarts: %w", err)
	}
	return r, nil
}

// restartsDecoder is what is left to decode.
type restartsDecoder struct{ b []byte }

var errShort = errors.New("the end is missing")

func (d *restartsDecoder) float() (float64, error) {
	if len(d.b) < 8 {
		return 0, errShort
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(d.b))
	d.b = d.b[8:]
	return x, nil
}

// count reads a number of parts of at least one byte each.
func (d *restartsDecoder) count() (int, error) {
	x, n := binary.Uvarint(d.b)
	if n <= 0 || x > uint64(len(d.b)-n) {
		return 0, errShort
	}
	d.b = d.b[n:]
	return int(x), nil
}

func (d *restartsDecoder) restarts(g game.Game) (*Restarts, error) {
	if len(d.b) < len(restartsMagic) || string(d.b[:len(restartsMagic)]) != restartsMagic {
		return nil, errors.New("not the restarts of this version")
	}
	d.b = d.b[len(restartsMagic):]
	r := new(Restarts)
	var err error
	if r.share, err = d.float(); err != nil {
		return nil, err
	}
	if !(r.share > 0 && r.share <= 1) {
		return nil, fmt.Errorf("the share is %v; above 0 and at most 1 is wanted", r.share)
	}
	n, err := d.count()
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, errors.New("no positions")
	}
	sum := 0.0
	for i := range n {
		p, err := d.position(g)
		if err != nil {
			return nil, fmt.Errorf("position %d: %w", i, err)
		}
		if !(p.bound > 0 && p.bound >= sum) || math.IsInf(p.bound, 0) {
			return nil, fmt.Errorf("position %d: its bound is %v after %v", i, p.bound, sum)
		}
		sum = p.bound
		r.positions = append(r.positions, p)
	}
	if len(d.b) > 0 {
		return nil, fmt.Errorf("%d bytes follow the last position", len(d.b))
	}
	return r, nil
}

func (d *restartsDecoder) position(g game.Game) (p position, err error) {
	if p.bound, err = d.float(); err != nil {
		return p, err
	}
	n, err := d.count()
	if err != nil {
		return p, err
	}
	replayer := game.NewReplayer(g)
	p.actions = make([]game.Action, n)
	for i := range p.actions {
		x, n := binary.Uvarint(d.b)
		if n <= 0 || x > math.MaxInt32 {
			return p, errShort
		}
		d.b = d.b[n:]
		p.actions[i] = game.Action(x)
		if err := replayer.Check(p.actions[i]); err != nil {
			return p, fmt.Errorf("action %d at place %d: %w", x, i+1, err)
		}
		replayer.Apply(p.actions[i])
	}
	if replayer.State().CurrentPlayer() == game.Nobody {
		return p, fmt.Errorf("after its %d actions the game is over", len(p.actions))
	}
	return p, nil
}
