package analysis_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/interop/analysis"
	"tengen/interop/gtp"
	"tengen/player"
)

const five = "go:size=5,players=2,pass=free"

// The numbers are those of kata-genmove_analyze with the same seed and as many simulations, in
// random positions with any komi and rule of ko.
func TestEqualsKataAnalyze(t *testing.T) {
	rng := random.New(1, random.Test)
	g := game.Must(game.New(five))
	for _, name := range []string{"az:go-5x5x2,simulations=%d", "uct:simulations=%d,utility=unit"} {
		for trial := range 12 {
			visits := 30 + rng.IntN(150)
			p, err := player.Parse(g, fmt.Sprintf(name, visits))
			if err != nil {
				t.Fatal(err)
			}
			komi := float64(rng.IntN(41)-20) / 2
			ko := []string{"POSITIONAL", "SIMPLE", "SITUATIONAL"}[rng.IntN(3)]
			// A position of the game that both are told to play.
			s := game.Must(game.New(fmt.Sprintf("%s,ko=%s", five, strings.ToLower(ko)))).NewState()
			commands := fmt.Sprintf("komi %g\nkata-set-rule ko %s\n", komi, ko)
			var moves []string
			for range rng.IntN(14) {
				legal := s.LegalActions(nil)
				a := legal[rng.IntN(len(legal))]
				vertex := strings.ToUpper(game.ActionName(g, nil, a))
				color := "BW"[s.CurrentPlayer():][:1]
				if s.Apply(a); s.CurrentPlayer() == game.Nobody {
					break
				}
				commands += fmt.Sprintf("play %s %s\n", color, vertex)
				moves = append(moves, fmt.Sprintf("[%q,%q]", color, vertex))
			}
			color := "BW"[len(moves)%2:][:1]
			want := lastInfo(t, g, p,
				commands+fmt.Sprintf("kata-genmove_analyze %s 1 rootInfo true pvVisits true\n",
					color))

			server, err := analysis.NewServer(analysis.Config{
				Player: p, Game: g, Fixed: player.HasNetwork(p), Seed: 7,
			})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			query := fmt.Sprintf(`{"id":"q","rules":{"ko":%q},"komi":%g,"boardXSize":5,"boardYSize":5,"moves":[%s],"maxVisits":%d,"includePVVisits":true}`,
				ko, komi, strings.Join(moves, ","), visits)
			if err := server.Serve(t.Context(), strings.NewReader(query+"\n"), &out); err != nil {
				t.Fatal(err)
			}
			var got struct {
				MoveInfos []map[string]any
				RootInfo  map[string]any
			}
			if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.RootInfo == nil {
				t.Fatalf("%s: %s", query, out.String())
			}
			sections := strings.Split(strings.TrimPrefix(want, "info "), " info ")
			last := len(sections) - 1
			var root string
			sections[last], root, _ = strings.Cut(sections[last], " rootInfo ")
			if len(sections) != len(got.MoveInfos) {
				t.Fatalf("%s, trial %d: %d moves, want %d",
					p.Name(), trial, len(got.MoveInfos), len(sections))
			}
			for i, section := range sections {
				compare(t, p.Name(), got.MoveInfos[i], section)
			}
			compare(t, p.Name(), got.RootInfo, root)
		}
	}
}

// lastInfo returns the last line about the search of a session by the Go Text Protocol.
func lastInfo(t *testing.T, g game.Game, p player.Player, commands string) string {
	t.Helper()
	e, err := gtp.NewEngine(gtp.Config{Player: p, Game: g, Fixed: player.HasNetwork(p), Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var out bytes.Buffer
	if err := e.Serve(t.Context(), strings.NewReader(commands), &out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "?") {
		t.Fatalf("%s%s", commands, out.String())
	}
	lines := strings.Split(out.String(), "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "play ") })
	if i < 1 || !strings.HasPrefix(lines[i-1], "info ") {
		t.Fatalf("%s%s", commands, out.String())
	}
	return lines[i-1]
}

// compare wants every number of a section of a line in an object.
func compare(t *testing.T, name string, got map[string]any, section string) {
	t.Helper()
	words, list := strings.Fields(section), ""
	for i := 0; i < len(words); i++ {
		key := words[i]
		if key != "pv" && key != "pvVisits" {
			i++
			if key == "move" {
				if got[key] != words[i] {
					t.Errorf("%s: %s: the move is %v", name, section, got[key])
				}
				continue
			}
			want, err := strconv.ParseFloat(words[i], 64)
			x, ok := got[key].(float64)
			if err != nil || !ok ||
				math.Abs(x-want) > 0.51*math.Pow(10,
					-float64(len(words[i])-1-strings.IndexByte(words[i]+".", '.'))) {
				t.Errorf("%s: %s is %v, want %s", name, key, got[key], words[i])
			}
			continue
		}
		list = ""
		for i+1 < len(words) && words[i+1] != "pvVisits" {
			i++
			list += " " + words[i]
		}
		if text := strings.Trim(fmt.Sprint(got[key]), "[]"); text != strings.TrimSpace(list) {
			t.Errorf("%s: %s is %s, want%s", name, key, text, list)
		}
	}
}
