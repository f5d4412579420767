package backgammon

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"tengen/game"
	"tengen/internal/notation"
	"tengen/vfs"
)

// SolvedTo is the greatest change of a value, in points, in the last sweep of equities that are
// said to be exact.
const SolvedTo = 1e-6

// solved is a game with its equities.
type solved struct {
	equities *Equities
	fails    error
}

// NewSolver implements game.Solvable, for 1 and 2 checkers; the values of more are in a file, for
// OpenTable.
func (g *Game) NewSolver(int) (game.Solver, error) {
	switch {
	case g.checkers > MostSolved:
		return nil, fmt.Errorf("%s: only the game with up to %d checkers can be solved",
			g.Name(), MostSolved)
	case g.checkers > 2:
		return nil, fmt.Errorf("the exact values of %s are in a file, which `%s` writes: name it, as in solver:table=FILE",
			g.Name(), notation.Command("games", "solve", g.Name(), "--out", "FILE"))
	}
	g.once.Do(func() {
		var s solved
		s.equities, s.fails = Solve(context.Background(), g.checkers, SolvedTo, nil, nil)
		g.small = s
	})
	return &solver{g.small.equities}, g.small.fails
}

// OpenTable implements game.Tabled.
func (g *Game) OpenTable(path string) (game.Solvable, error) {
	data, err := vfs.ReadFile(vfs.OS{}, path)
	if err != nil {
		return nil, err
	}
	e, err := ParseEquities(data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case e.n != g.checkers:
		return nil, fmt.Errorf("%s holds the values of %s, not of %s",
			path, New(e.n).Name(), g.Name())
	case e.Change > SolvedTo:
		return nil,
			fmt.Errorf(
				"%s is not complete: a value changed by %.1g in the last sweep; go on with `%s`",
				path, e.Change, notation.Command("games", "solve", g.Name(), "--out", path))
	}
	return solvable{e}, nil
}

// solvable makes solvers that share equities.
type solvable struct{ equities *Equities }

// NewSolver implements game.Solvable.
func (s solvable) NewSolver(int) (game.Solver, error) { return &solver{s.equities}, nil }

// EquitiesOf returns the equities of a solver of OpenTable or NewSolver.
func EquitiesOf(s game.Solver) *Equities { return s.(*solver).equities }

type solver struct{ equities *Equities }

// Solve implements game.Solver. The value of an action is that of the best turn that begins with
// it.
func (v *solver) Solve(x game.State, dst []game.Solved) []game.Solved {
	s := x.(*State)
	var list [maxActions]game.Action
	for _, a := range s.LegalActions(list[:0]) {
		points := v.equities.action(s, a)
		r := game.Solved{Action: a, Positions: 1}
		r.Value[s.mover] = float32((points + mostPoints) / (2 * mostPoints))
		r.Value[1-s.mover] = 1 - r.Value[s.mover]
		dst = append(dst, r)
	}
	return dst
}

// A file of equities, docs/formats/equities.md.
const (
	tableMagic   = "TENGENEQ"
	tableVersion = 1
	tableHead    = len(tableMagic) + 4 + 4 + 4 + 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write writes the equities to a file, docs/formats/equities.md.
func (e *Equities) Write(w io.Writer) error {
	b := []byte(tableMagic)
	b = binary.LittleEndian.AppendUint32(b, tableVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(e.n))
	b = binary.LittleEndian.AppendUint32(b, uint32(e.Sweeps))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(e.Change))
	sum := uint32(0)
	put := func() error {
		sum = crc32.Update(sum, castagnoli, b)
		_, err := w.Write(b)
		b = b[:0]
		return err
	}
	for i, x := range e.values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		if len(b) >= 1<<16 || i == len(e.values)-1 {
			if err := put(); err != nil {
				return err
			}
		}
	}
	_, err := w.Write(binary.LittleEndian.AppendUint32(nil, sum))
	return err
}

// ParseEquities returns the equities in a file's content. An error says what is wrong with it.
func ParseEquities(data []byte) (*Equities, error) {
	if len(data) < tableHead+4 || string(data[:len(tableMagic)]) != tableMagic {
		return nil, fmt.Errorf("no file of equities: it does not begin with %s", tableMagic)
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	if v := u32(8); v != tableVersion {
		return nil, fmt.Errorf("version %d of the format; this program reads version %d",
			v, tableVersion)
	}
	n := u32(12)
	if n < 1 || n > MostSolved {
		return nil, fmt.Errorf("equities of %d checkers; 1 to %d is wanted", n, MostSolved)
	}
	x := newArrangements(int(n))
	count := len(x.sides) * len(x.sides)
	if want := tableHead + 4*count + 4; len(data) != want {
		return nil, fmt.Errorf("%d bytes; the equities of %d checkers have %d", len(data), n, want)
	}
	if sum := crc32.Checksum(data[:len(data)-4], castagnoli); sum != u32(len(data)-4) {
		return nil, fmt.Errorf("damaged: its checksum is %08x, but that of its content is %08x",
			u32(len(data)-4), sum)
	}
	e := &Equities{
		arrangements: x, Sweeps: int(u32(16)),
		Change: math.Float64frombits(binary.LittleEndian.Uint64(data[20:])),
		values: make([]float32, count),
	}
	if !(e.Change >= 0 && e.Change <= 2*mostPoints) {
		return nil, fmt.Errorf("the last change of a value is %g points; 0 to %d is possible",
			e.Change, 2*mostPoints)
	}
	for i := range e.values {
		v := math.Float32frombits(u32(tableHead + 4*i))
		if !(v >= -mostPoints && v <= mostPoints) {
			return nil, fmt.Errorf("value %d is %g points; −%d to %d is possible",
				i, v, mostPoints, mostPoints)
		}
		e.values[i] = v
	}
	return e, nil
}
