package experiments

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tengen/game"
	"tengen/player"
)

// TurtleSections are what goes beyond the paper, in the order of the page.
var TurtleSections = []string{"theirs", "players", "ceiling", "time", "opponents"}

// TurtleISMCTS are Tengen's own players of information-set search: with one tree for who
// searches, and one for each player.
var TurtleISMCTS = []string{
	"uct:simulations=1000,c=0.7,utility=unit,rollout=hybrid,epsilon=0.1",
	"uct:simulations=1000,c=0.7,utility=unit,rollout=hybrid,epsilon=0.1,observers=multiple",
}

// TurtleBeyond is one of these sections: matches of some kind.
type TurtleBeyond struct {
	Made    Made                `json:"made"`
	Matches []TurtleBeyondMatch `json:"matches"`
}

// TurtleBeyondMatch is a match and what its players are called in the section.
type TurtleBeyondMatch struct {
	First  string      `json:"first"`
	Second string      `json:"second"`
	Match  TurtleMatch `json:"match"`
}

// turtleQuestion is a match to be played: its players, by what they are called and as
// player.Parse reads them.
type turtleQuestion struct {
	players       int
	first, second [2]string
}

// Beyond plays the matches of one of TurtleSections.
func (m *TurtleGames) Beyond(ctx context.Context, section string, made Made) (*TurtleBeyond, error) {
	questions, err := m.questions(section)
	if err != nil {
		return nil, err
	}
	b := &TurtleBeyond{Made: made}
	for k, q := range questions {
		g, err := turtle(q.players, false)
		if err != nil {
			return nil, err
		}
		what := fmt.Sprintf("%s against %s, %d players", q.first[0], q.second[0], q.players)
		seed := m.Seed + uint64(16+slices.Index(TurtleSections, section))<<40 + uint64(k)<<48
		r, err := m.match(ctx, g, q.first[1], q.second[1], m.Games, seed, func(finished, all int) { m.progress(what, "games", finished, all) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		b.Matches = append(b.Matches, TurtleBeyondMatch{q.first[0], q.second[0], *r})
		b.Made.add(r)
	}
	return b, nil
}

// questions are the matches of a section.
func (m *TurtleGames) questions(section string) ([]turtleQuestion, error) {
	networks, err := m.networks()
	if err != nil {
		return nil, err
	}
	hybrid := [2]string{"alpha-beta H", searches(turtleAlphaBeta, "hybrid", 0)}
	dummy := [2]string{"Dummy", "random"}
	var list []turtleQuestion
	switch section {
	case "theirs":
		for _, ours := range m.ours(networks, 2) {
			for _, algorithm := range []string{turtleMinimax, turtleAlphaBeta, turtleMCTS} {
				for i, strategy := range turtleStrategies {
					theirs := [2]string{algorithm + " " + turtleLetters[i], searches(algorithm, strategy, m.Simulations)}
					list = append(list, turtleQuestion{2, ours, theirs})
				}
			}
		}
	case "players":
		for players := 3; players <= 5; players++ {
			for _, ours := range m.ours(networks, players) {
				list = append(list, turtleQuestion{players, ours, dummy}, turtleQuestion{players, ours, hybrid})
			}
		}
	case "ceiling":
		for _, seer := range [][2]string{
			{"ISMCTS, all in sight", m.ismcts()[0] + ",open=true"},
			{"alpha-beta H, all in sight", hybrid[1] + ",open=true"},
			{"alpha-beta H that knows results, all in sight", strings.Replace(hybrid[1], "hybrid", "hybrid-win", 1) + ",open=true"},
			{"alpha-beta H that knows results", strings.Replace(hybrid[1], "hybrid", "hybrid-win", 1)},
			{"ISMCTS", m.ismcts()[0]},
			hybrid,
		} {
			for _, theirs := range [][2]string{dummy, hybrid} {
				if seer[0] != theirs[0] {
					list = append(list, turtleQuestion{2, seer, theirs})
				}
			}
		}
	case "time":
		var timed [][2]string
		for _, of := range m.ours(nil, 2) {
			timed = append(timed, [2]string{of[0], timedText(of[1], m.Time.String())})
		}
		for _, run := range networks[2] {
			az := [2]string{"AlphaZero", fmt.Sprintf("az:%s,time=%v", run, m.Time)}
			for _, theirs := range timed {
				list = append(list, turtleQuestion{2, az, theirs})
			}
		}
		for i := 1; i < len(timed); i++ {
			list = append(list, turtleQuestion{2, timed[i], timed[0]})
		}
		if len(timed) > 0 {
			list = append(list, turtleQuestion{2, timed[0], hybrid})
		}
	case "opponents":
		kinds := [][2]string{
			{"max^n", fmt.Sprintf("minimax:depth=%d,strategy=hybrid,opponents=maxn,determinizations=%d", turtleDepth, turtleWorlds)},
			{"paranoid", hybrid[1] + ",opponents=paranoid"},
			{"best reply", hybrid[1] + ",opponents=brs"},
		}
		for _, players := range []int{3, 5} {
			for _, first := range kinds {
				for _, second := range kinds {
					if first != second {
						list = append(list, turtleQuestion{players, first, second})
					}
				}
			}
		}
	default:
		return nil, fmt.Errorf("no section is called %q; there are %s", section, strings.Join(TurtleSections, ", "))
	}
	return list, nil
}

// networks are the runs of AlphaZero, by the number of players that their networks were
// trained for.
func (m *TurtleGames) networks() (map[int][]string, error) {
	runs := map[int][]string{}
	for _, run := range m.AlphaZero {
		name, err := player.GameOf("az:" + run)
		if err != nil {
			return nil, err
		}
		g, err := game.New(name)
		if err != nil {
			return nil, fmt.Errorf("the run %s: %w", run, err)
		}
		if of, err := turtle(min(5, max(2, g.Players())), false); err != nil || of.Name() != g.Name() {
			return nil, fmt.Errorf("%s was trained on %s; the turtle race is wanted, by its usual rules", run, g.Name())
		}
		runs[g.Players()] = append(runs[g.Players()], run)
	}
	return runs, nil
}

// ismcts are the players of information-set search.
func (m *TurtleGames) ismcts() []string {
	if len(m.ISMCTS) == 0 {
		return TurtleISMCTS
	}
	return m.ISMCTS
}

// ours are the players of Tengen's own for a game of so many.
func (m *TurtleGames) ours(networks map[int][]string, players int) (list [][2]string) {
	times := map[string]int{}
	add := func(name, text string) {
		if times[name]++; times[name] > 1 {
			name += fmt.Sprintf(" #%d", times[name])
		}
		list = append(list, [2]string{name, text})
	}
	for _, text := range m.ismcts() {
		name := "ISMCTS"
		if strings.Contains(text, "observers=multiple") {
			name = "ISMCTS, multiple observers"
		}
		add(name, text)
	}
	for _, run := range networks[players] {
		add("AlphaZero", fmt.Sprintf("az:%s,simulations=%d", run, m.AZSimulations))
	}
	return list
}

// timedText is a player of UCT with a time a move in place of its number of simulations.
func timedText(text string, limit string) string {
	kind, keys, _ := strings.Cut(text, ":")
	list := slices.DeleteFunc(strings.Split(keys, ","), func(key string) bool {
		return key == "" || strings.HasPrefix(key, "simulations=") || strings.HasPrefix(key, "time=")
	})
	return kind + ":" + strings.Join(append([]string{"time=" + limit}, list...), ",")
}

// turtleSectionTexts are the headings of the sections, and what they say.
var turtleSectionTexts = map[string][2]string{
	"theirs": {"Ours against all of theirs, two players", `ISMCTS is information-set Monte Carlo tree search; unless another is named, that with one
observer is MCTS H itself. The paper's searches are those of its tables, as above.`},
	"players": {"Three, four and five players", `One of ours against Dummy, and against hybrid alpha-beta (paranoid), in all other seats.`},
	"ceiling": {"The ceiling: hands in sight", `How much luck is in the race: what a player wins that sees all hands and colours, though not
what will be drawn, against players that don't, beside the same player without that.
To hybrid that knows results a win is worth more than all move scores.`},
	"time": {"Equal time a move", `Each player has the same time a move, on one core.`},
	"opponents": {"What the others want", `Of more than two, max^n takes everybody to maximise its own sum of move scores, paranoid all
others to minimise that of the player who searches, and best reply one of them
between two of that player's turns. All by hybrid.`},
}

// write writes the section.
func (t *TurtleBeyond) write(b *strings.Builder, part string) {
	text := turtleSectionTexts[strings.TrimPrefix(part, TurtleBeyondPart(""))]
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", text[0], text[1])
	b.WriteString("| players | first | against | games | first wins | 95 % | if equal | turns | time a move |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	names := map[string]string{} // as Parse reads them, by what they are called
	var order []string
	for i := range t.Matches {
		q := &t.Matches[i]
		m := &q.Match
		fmt.Fprintf(b, "| %d | %s | %s | %d | **%.1f %%** | %.1f–%.1f %% | %.1f %% | %.1f | %s : %s |\n",
			m.Players, q.First, q.Second, m.Games, m.Percent, m.Low, m.High, m.equal(), m.Turns, m.First.time(), m.Second.time())
		for _, x := range [][2]string{{q.First, m.First.Name}, {q.Second, m.Second.Name}} {
			if _, ok := names[x[0]]; !ok {
				order = append(order, x[0])
				names[x[0]] = x[1]
			}
		}
	}
	b.WriteString("\nThe players:\n\n")
	for _, name := range order {
		fmt.Fprintf(b, "- %s: `%s`\n", name, names[name])
	}
}

// time is the mean time a decision, where it is known.
func (s *TurtleSide) time() string {
	if s.Milliseconds == 0 {
		return "–"
	}
	return seconds(s.Milliseconds / 1000)
}
