package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// katrain writes queries as KaTrain does (katrain/core/engine.py): every field in every query.
type katrain struct {
	number, priority int
}

func (k *katrain) query(visits int, moves [][2]string, more ...string) (id, line string) {
	k.number++
	id = fmt.Sprintf("QUERY:%d", k.number)
	var list []string
	for _, m := range moves {
		list = append(list, fmt.Sprintf("[%q, %q]", m[0], m[1]))
	}
	line = fmt.Sprintf(
		`{"rules": "chinese", "priority": %d, "analyzeTurns": [%d], "maxVisits": %d, "komi": 6.5, `+
			`"boardXSize": 5, "boardYSize": 5, "includeOwnership": true, "includeMovesOwnership": true, "includePolicy": true, `+
			`"initialStones": [], "initialPlayer": "B", "moves": [%s], `+
			`"overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "maxTime": 3600.0, "wideRootNoise": 0.04}, "id": %q%s}`,
		k.priority, len(moves), visits, strings.Join(list, ", "), id, strings.Join(more, ""))
	return id, line
}

// terminate is what KaTrain sends when another position is selected.
func (k *katrain) terminate(id string) string {
	k.number++
	return fmt.Sprintf(`{"action": "terminate", "terminateId": %q, "id": "QUERY:%d"}`, id, k.number)
}

// A session of KaTrain: a game whose positions are analysed, pondering that ends when another
// position is selected, an undo, moves that are swept, alternatives, a region, another game.
func TestKaTrain(t *testing.T) {
	for _, name := range []string{"az:go-5x5x2,simulations=20", "uct:simulations=50,utility=unit"} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := newConfig(t, five, name)
			c.Parallel = 3
			s, k := serve(t, ctx, c), katrain{priority: 1}
			var moves [][2]string
			for i, v := range []string{"C3", "C2", "D2", "B3", "pass"} {
				id, line := k.query(60, moves)
				s.send(line)
				warned := map[string]bool{}
				r := s.any()
				for ; r.Warning != ""; r = s.any() {
					if r.ID != id {
						t.Errorf("%s: another id", r.text)
					}
					warned[r.Field] = true
				}
				for _, field := range []string{
					"rules", "overrideSettings", "includeOwnership", "includeMovesOwnership",
				} {
					if !warned[field] {
						t.Errorf("there is no warning of %s", field)
					}
				}
				check(t, c, r, id, i, 60)
				moves = append(moves, [2]string{"BW"[i%2 : i%2+1], v})
			}

			// It ponders until another position is selected.
			pondered, line := k.query(10_000_000, moves, `, "reportDuringSearchEvery": 0.01`)
			s.send(line)
			last := 0
			for range 3 {
				r := s.next()
				if r.ID != pondered || !r.IsDuringSearch || r.RootInfo.Visits <= last {
					t.Fatalf("after %d visits: %s", last, r.text)
				}
				last = r.RootInfo.Visits
			}
			stop := k.terminate(pondered)
			s.send(stop)
			echoed, ended := false, false
			for !echoed || !ended {
				switch r := s.next(); {
				case r.TerminateID == pondered && r.Action == "terminate":
					echoed = true
				case r.ID == pondered && !r.IsDuringSearch:
					ended = true
					if r.RootInfo.Visits < last {
						t.Errorf("in the end %d visits, after %d", r.RootInfo.Visits, last)
					}
				case r.ID != pondered:
					t.Fatal(r.text)
				}
			}

			// An undo: what was asked before is answered as before.
			id, line := k.query(60, moves[:2])
			s.send(line)
			root := s.final(id)
			check(t, c, root, id, 2, 60)

			// The sweep asks for moves which need not be legal; KaTrain looks for these words.
			illegal, line := k.query(10, append(slices.Clone(moves[:2]), [2]string{"B", "C3"}))
			s.send(line)
			if r := s.next(); r.ID != illegal || !strings.Contains(r.Error, "Illegal move") ||
				r.Field != "moves" {
				t.Errorf("a move that is illegal: %s", r.text)
			}

			// Alternatives to all moves that were considered.
			avoid := map[string]bool{}
			var list []string
			for _, m := range root.MoveInfos[:min(3, len(root.MoveInfos))] {
				avoid[m.Move] = true
				list = append(list, fmt.Sprintf("%q", m.Move))
			}
			id, line = k.query(60, moves[:2],
				fmt.Sprintf(`, "avoidMoves": [{"moves": [%s], "player": "B", "untilDepth": 1}]`,
					strings.Join(list, ", ")))
			s.send(line)
			r := s.final(id)
			for _, m := range r.MoveInfos {
				if avoid[m.Move] {
					t.Errorf("%s is searched", m.Move)
				}
			}
			if fmt.Sprint(r.Policy) != fmt.Sprint(root.Policy) {
				t.Errorf("the policy without some moves is %v, with them %v", r.Policy, root.Policy)
			}

			// A region of interest: what is outside is forbidden to both.
			list = nil
			for _, row := range "12345" {
				for _, column := range "BCDE" {
					list = append(list, fmt.Sprintf("%q", string(column)+string(row)))
				}
			}
			outside := strings.Join(list, ", ")
			id, line = k.query(60, moves[:2], fmt.Sprintf(`, "avoidMoves": [{"moves": [%s], "player": "B", "untilDepth": 1}, {"moves": [%s], "player": "W", "untilDepth": 1}]`, outside, outside))
			s.send(line)
			for _, m := range s.final(id).MoveInfos {
				if m.Move[0] != 'A' && m.Move != "pass" {
					t.Errorf("%s is outside", m.Move)
				}
			}

			// Another game: everything that is open is terminated, and the priority is greater.
			k.priority++
			one, line := k.query(10_000_000, nil)
			s.send(line, k.terminate(one))
			for {
				if r := s.next(); r.ID == one && !r.IsDuringSearch {
					break
				}
			}
			// Its default rules can't be played.
			id, line = k.query(60, nil)
			s.send(strings.Replace(line, "chinese", "japanese", 1))
			for {
				r := s.next()
				if r.ID != id { // the echo of the action
					continue
				}
				if r.Field != "rules" ||
					!strings.Contains(r.Error, "japanese: they count territory") {
					t.Errorf("Japanese rules: %s", r.text)
				}
				break
			}
			// It ends by a signal, whatever is searched.
			_, line = k.query(10_000_000, nil)
			s.send(line)
			cancel()
			if err := s.wait(); err != context.Canceled {
				t.Errorf("the session ends with %v", err)
			}
		})
	}
}

// check checks what KaTrain reads of the answer to one of its queries, after a number of moves.
func check(t *testing.T, c Config, r reply, id string, turn, visits int) {
	t.Helper()
	if r.ID != id || r.IsDuringSearch || r.TurnNumber != turn || r.RootInfo == nil ||
		r.RootInfo.Visits != visits {
		t.Fatalf("turn %d: %s", turn, r.text)
	}
	if r.RootInfo.CurrentPlayer != "BW"[turn%2:turn%2+1] || r.RootInfo.ScoreLead == nil ||
		len(r.MoveInfos) == 0 {
		t.Errorf("turn %d: %s", turn, r.text)
	}
	sum := 0
	for i, m := range r.MoveInfos {
		sum += m.Visits
		if m.Order != i || m.ScoreLead == nil || len(m.PV) == 0 || m.PV[0] != m.Move ||
			m.Winrate < 0 || m.Winrate > 1 {
			t.Errorf("turn %d: %+v", turn, m)
		}
		// For Black the bound is an upper one where White is to move.
		if (turn%2 == 0) != (m.LCB <= m.Winrate) && m.LCB != m.Winrate {
			t.Errorf("turn %d: the bound of %s is %g, its winrate %g",
				turn, m.Move, m.LCB, m.Winrate)
		}
		if c.Fixed {
			a, err := ParseVertex(c.Game, m.Move)
			if err != nil || m.Prior != r.Policy[a] {
				t.Errorf("turn %d: the prior of %s is %g, %v", turn, m.Move, m.Prior, err)
			}
		}
	}
	if sum != visits {
		t.Errorf("turn %d: the moves have %d visits", turn, sum)
	}
	switch {
	case !c.Fixed && r.Policy != nil:
		t.Errorf("turn %d: a player without a network has the policy %v", turn, r.Policy)
	case c.Fixed:
		total, illegal := 0.0, 0
		for _, p := range r.Policy {
			if p == -1 {
				illegal++
			} else {
				total += p
			}
		}
		if len(r.Policy) != 26 || total < 0.999 || total > 1.001 || illegal < min(turn, 3) {
			t.Errorf("turn %d: the policy is %v", turn, r.Policy)
		}
	}
}
