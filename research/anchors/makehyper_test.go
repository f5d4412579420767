package anchors

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"tengen/game/backgammon"
)

// The equities of the game with one checker are those of the database that GNU Backgammon's
// makehyper computes. Its file has a head of 40 bytes, and 28 bytes for each position; the first
// fifteen are the chances to win at all, a gammon or more, a backgammon, and to lose a gammon or
// more, and a backgammon, in 2⁻²⁴.
func TestEquitiesAgreeWithMakehyper(t *testing.T) {
	program := "/usr/games/makehyper"
	if found, err := exec.LookPath("makehyper"); err == nil {
		program = found
	} else if _, err := os.Stat(program); err != nil {
		t.Skip("makehyper is not installed; on Debian: apt-get install gnubg")
	}
	path := filepath.Join(t.TempDir(), "hyper1.bd")
	cmd := exec.CommandContext(t.Context(), program, "-n", "-c", "1", "-f", path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("makehyper: %v\n%s", err, out)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const head, record, places, bar = 40, 28, 26, 25
	if len(data) != head+places*places*record {
		t.Fatalf("the database has %d bytes", len(data))
	}
	g := backgammon.New(1)
	solver, err := g.NewSolver(0)
	if err != nil {
		t.Fatal(err)
	}
	e := backgammon.EquitiesOf(solver)
	name := func(p int) string {
		if p == bar {
			return "bar"
		}
		return fmt.Sprint(p)
	}
	positions := 0
	for own := 1; own < places; own++ {
		for other := 1; other < places; other++ {
			if own < bar && own == bar-other {
				continue
			}
			s, err := g.ParsePosition(fmt.Sprintf("turn 1 | White to roll | White %s | Black %s",
				name(own), name(other)))
			if err != nil {
				t.Fatal(err)
			}
			r := data[head+record*(own*places+other):]
			var p [5]float64
			for k := range p {
				p[k] = float64(int(r[3*k])|int(r[3*k+1])<<8|int(r[3*k+2])<<16) / (1<<24 - 1)
			}
			want := 2*p[0] - 1 + p[1] + p[2] - p[3] - p[4]
			if got := e.Value(s.(*backgammon.State)); math.Abs(got-want) > 1e-5 {
				t.Errorf("%d against %d is worth %v; by makehyper %v", own, other, got, want)
			}
			positions++
		}
	}
	if positions != e.Positions() {
		t.Errorf("%d positions are compared; there are %d", positions, e.Positions())
	}
}
