package turtlerace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tengen/game"
	"tengen/internal/notation"
	"tengen/player"
	"tengen/research"
)

// Sections are the kinds of matches that go beyond the paper, in the order of the page.
var Sections = []string{"theirs", "players", "ceiling", "time", "opponents", sectionWeak}

// sectionWeak asks how weak the paper's MCTS was.
const sectionWeak = "weak"

// azSimulations are those of a move of AlphaZero.
const azSimulations = 180

// weakSimulations are those of a move in the section "weak".
var weakSimulations = []int{1, 2, 3, 5, 10, 30, 100, 1000}

// Beyond is the matches of one section.
type Beyond struct {
	research.Made `json:"made"`
	Matches       []BeyondMatch `json:"matches"`
}

// BeyondMatch is a match with the names of its players in the section.
type BeyondMatch struct {
	First  string `json:"first"`
	Second string `json:"second"`
	Match  Match  `json:"match"`
}

// question is a match to be played. Its players are given by name and as
// player.Parse reads them.
type question struct {
	players       int
	first, second [2]string
}

// Beyond plays the matches of a section. If it is interrupted, it returns those so far and an
// error.
func (e *Experiments) Beyond(
	ctx context.Context, section string, made research.Made,
) (*Beyond, error) {
	questions, err := e.questions(section)
	if err != nil {
		return nil, err
	}
	b := &Beyond{Made: made}
	for k, q := range questions {
		g, err := newGame(q.players, false)
		if err != nil {
			return nil, err
		}
		what := fmt.Sprintf("%s against %s, %d players", q.first[0], q.second[0], q.players)
		seed := e.Seed + uint64(16+slices.Index(Sections, section))<<40 + uint64(k)<<48
		r, err := e.match(ctx, g, q.first[1], q.second[1], e.Games, seed, &b.Made,
			func(finished, all int) { e.progress(what, "games", finished, all) })
		if r != nil && section == sectionWeak {
			r.First.Milliseconds, r.Second.Milliseconds = 0, 0 // they say nothing about strength
		}
		if r != nil {
			b.Matches = append(b.Matches, BeyondMatch{q.first[0], q.second[0], *r})
		}
		if err != nil {
			return b, fmt.Errorf("%s: %w", what, err)
		}
	}
	return b, nil
}

// questions returns the matches of a section.
func (e *Experiments) questions(section string) ([]question, error) {
	networks, err := e.networks()
	if err != nil {
		return nil, err
	}
	hybrid := [2]string{"alpha-beta H", searches(alphaBeta, "hybrid", 0)}
	dummy := [2]string{"Dummy", "random"}
	var list []question
	switch section {
	case "theirs":
		for _, ours := range e.ours(networks, 2) {
			for _, algorithm := range []string{minimax, alphaBeta, mcts} {
				for i, strategy := range strategies {
					theirs := [2]string{
						algorithm + " " + letters[i], searches(algorithm, strategy, e.Simulations),
					}
					list = append(list, question{2, ours, theirs})
				}
			}
		}
	case sectionWeak:
		open := [2]string{"alpha-beta H, which sees all", hybrid[1] + ",open=true"}
		for _, strategy := range []int{2, 3} {
			for _, simulations := range weakSimulations {
				ours := [2]string{
					fmt.Sprintf("MCTS %s, %d", letters[strategy], simulations),
					searches(mcts, strategies[strategy], simulations),
				}
				for _, other := range [][2]string{hybrid, open, dummy} {
					list = append(list, question{2, ours, other})
				}
			}
		}
	case "players":
		for players := 3; players <= 5; players++ {
			for _, ours := range e.ours(networks, players) {
				list = append(list, question{players, ours, dummy}, question{players, ours, hybrid})
			}
		}
	case "ceiling":
		for _, seer := range [][2]string{
			{"ISMCTS, all in sight", e.ismcts()[0] + ",open=true"},
			{"alpha-beta H, all in sight", hybrid[1] + ",open=true"},
			{"alpha-beta H that knows results, all in sight",
				strings.Replace(hybrid[1], "hybrid", "hybrid-win", 1) + ",open=true"},
			{"alpha-beta H that knows results",
				strings.Replace(hybrid[1], "hybrid", "hybrid-win", 1)},
			{"ISMCTS", e.ismcts()[0]},
			hybrid,
		} {
			for _, theirs := range [][2]string{dummy, hybrid} {
				if seer[0] != theirs[0] {
					list = append(list, question{2, seer, theirs})
				}
			}
		}
	case "time":
		var timed [][2]string
		for _, of := range e.ours(nil, 2) {
			timed = append(timed, [2]string{of[0], timedText(of[1], e.Time.String())})
		}
		for _, run := range networks[2] {
			az := [2]string{"AlphaZero", fmt.Sprintf("az:%s,time=%v", notation.Quote(run), e.Time)}
			for _, theirs := range timed {
				list = append(list, question{2, az, theirs})
			}
		}
		list = append(list, question{2, timed[1], timed[0]})
		list = append(list, question{2, timed[0], hybrid})
	case "opponents":
		kinds := [][2]string{
			{
				"max^n",
				fmt.Sprintf("minimax:depth=%d,strategy=hybrid,opponents=maxn,determinizations=%d",
					searchDepth, determinizations),
			},
			{"paranoid", hybrid[1] + ",opponents=paranoid"},
			{"best reply", hybrid[1] + ",opponents=brs"},
		}
		for _, players := range []int{3, 5} {
			for _, first := range kinds {
				for _, second := range kinds {
					if first != second {
						list = append(list, question{players, first, second})
					}
				}
			}
		}
	default:
		return nil, fmt.Errorf("no section is called %q; there are %s",
			section, strings.Join(Sections, ", "))
	}
	return list, nil
}

// networks returns the runs of AlphaZero by the number of players that their networks were
// trained for.
func (e *Experiments) networks() (map[int][]string, error) {
	runs := map[int][]string{}
	for _, run := range e.AlphaZero {
		name, err := player.GameOf("az:" + notation.Quote(run))
		if err != nil {
			return nil, err
		}
		g, err := game.New(name)
		if err != nil {
			return nil, fmt.Errorf("the run %s: %w", run, err)
		}
		if of, err := newGame(min(5, max(2, g.Players())), false); err != nil ||
			of.Name() != g.Name() {
			return nil,
				fmt.Errorf("%s was trained on %s; the turtle race is wanted, by its usual rules",
					run, g.Name())
		}
		runs[g.Players()] = append(runs[g.Players()], run)
	}
	return runs, nil
}

// ismcts returns Tengen's own players of information-set search: with one tree for the searching
// player, and with one for each player.
func (e *Experiments) ismcts() []string {
	text := fmt.Sprintf("uct:simulations=%d,c=%g,utility=unit,rollout=hybrid,epsilon=%g",
		e.Simulations, mctsC, mctsEpsilon)
	return []string{text, text + ",observers=multiple"}
}

// ours returns Tengen's own players for a number of players.
func (e *Experiments) ours(networks map[int][]string, players int) (list [][2]string) {
	for i, name := range []string{"ISMCTS", "ISMCTS, multiple observers"} {
		list = append(list, [2]string{name, e.ismcts()[i]})
	}
	for i, run := range networks[players] {
		name := "AlphaZero"
		if i > 0 {
			name += fmt.Sprintf(" #%d", i+1)
		}
		list = append(list, [2]string{
			name, fmt.Sprintf("az:%s,simulations=%d", notation.Quote(run), azSimulations),
		})
	}
	return list
}

// timedText returns a player of UCT with a time of a move in place of its number of simulations.
func timedText(text string, limit string) string {
	kind, keys, _ := strings.Cut(text, ":")
	list := slices.DeleteFunc(strings.Split(keys, ","), func(key string) bool {
		return key == "" || strings.HasPrefix(key, "simulations=") ||
			strings.HasPrefix(key, "time=")
	})
	return kind + ":" + strings.Join(append([]string{"time=" + limit}, list...), ",")
}

// sectionTexts are the headings and introductions of the sections.
var sectionTexts = map[string][2]string{
	"theirs": {"Our players against all of the paper's, two players",
		`ISMCTS is information-set Monte Carlo tree search; with one observer it is MCTS H itself.`},
	"players": {"Three, four and five players",
		`One of our players against Dummy, and against hybrid alpha-beta (paranoid).`},
	"ceiling": {"The ceiling: open hands", `What a player wins that sees all hands and colours, but not the cards to be drawn, beside the same player without that
sight. To the hybrid that knows results a win is worth more than all move scores.`},
	"time": {"Equal time a move", `Each player has the same time a move, on one core.`},
	sectionWeak: {"How weak the paper's MCTS must have been", `The paper's MCTS wins 18 to 37 % against minimax and alpha-beta, and 45 to 57 % against players that move at random. Here MCTS
has fewer simulations, or random rollouts (D), against hybrid alpha-beta, also when that sees all hands and colours, and against Dummy.`},
	"opponents": {"Models of the opponents", `max^n assumes that each player maximises its own sum of move scores; paranoid that all others minimise that of the searching
player; best reply that one of them does between two of its turns. All use Hybrid.`},
}

// Complete implements research.Part.
func (t *Beyond) Complete(string) error {
	if len(t.Matches) == 0 {
		return fmt.Errorf("it lacks matches")
	}
	for i := range t.Matches {
		if err := t.Matches[i].Match.check(); err != nil {
			return err
		}
	}
	return nil
}

// Markdown implements research.Part.
func (t *Beyond) Markdown(part, _ string) string {
	b := new(strings.Builder)
	text := sectionTexts[strings.TrimPrefix(part, BeyondPart(""))]
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", text[0], text[1])
	b.WriteString(t.matrix())
	names := map[string]string{} // the player as Parse reads it, by its name
	var order []string
	for i := range t.Matches {
		q := &t.Matches[i]
		players := [][2]string{{q.First, q.Match.First.Name}, {q.Second, q.Match.Second.Name}}
		switch part {
		case BeyondPart("theirs"):
			players = players[:1] // the others are those of the tables
		case BeyondPart(sectionWeak):
			if i > 0 {
				players = players[1:] // the others differ in simulations and rollouts
			}
		}
		for _, x := range players {
			if _, ok := names[x[0]]; !ok {
				order = append(order, x[0])
				names[x[0]] = x[1]
			}
		}
	}
	if part == BeyondPart(sectionWeak) {
		b.WriteString(t.fitting())
	}
	b.WriteString("\n")
	for _, name := range order {
		fmt.Fprintf(b, "- %s: `%s`\n", name, names[name])
	}
	return b.String()
}

// matrix returns the first player's wins as a table of the first against the others, whichever
// are fewer as columns.
func (t *Beyond) matrix() string {
	var firsts, seconds []string
	cells := map[[2]string]string{}
	several := slices.ContainsFunc(t.Matches, func(m BeyondMatch) bool {
		return m.Match.Players != t.Matches[0].Match.Players
	})
	least, most := 0, 0
	for i := range t.Matches {
		q := &t.Matches[i]
		m := &q.Match
		first := q.First
		if several {
			first = fmt.Sprintf("%s, %d players", first, m.Players)
		}
		if !slices.Contains(firsts, first) {
			firsts = append(firsts, first)
		}
		if !slices.Contains(seconds, q.Second) {
			seconds = append(seconds, q.Second)
		}
		cells[[2]string{first, q.Second}] = fmt.Sprintf("**%.1f** (%.1f–%.1f)",
			m.Percent, m.Low, m.High)
		if least, most = min(least, m.Games), max(most, m.Games); i == 0 {
			least = m.Games
		}
	}
	b := new(strings.Builder)
	head, rows, columns := "first wins, against", firsts, seconds
	turned := len(firsts) < len(seconds)
	if turned {
		head, rows, columns = "wins against, of", seconds, firsts
	}
	fmt.Fprintf(b, "| %s | %s |\n| --- |%s\n",
		head, strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |", row)
		for _, column := range columns {
			pair := [2]string{row, column}
			if turned {
				pair = [2]string{column, row}
			}
			fmt.Fprintf(b, " %s |", cells[pair])
		}
		b.WriteString("\n")
	}
	if most > least {
		fmt.Fprintf(b, "\n%d to %d games a cell.\n", least, most)
	} else if most > 0 {
		fmt.Fprintf(b, "\n%d games a cell.\n", most)
	}
	return b.String()
}

// The paper's shares in Tables IV and V, of MCTS against searches and against players that move at
// random, in %.
var (
	paperAgainstSearches = [2]float64{18, 37}
	paperAgainstDummy    = [2]float64{45, 57}
)

// fitting says which searches win as much as the paper's MCTS.
func (t *Beyond) fitting() string {
	within := func(r *Match, of [2]float64) bool { return r.Low <= of[1] && r.High >= of[0] }
	var names []string
	fits := map[string]bool{}
	for i := range t.Matches {
		m := &t.Matches[i]
		if _, ok := fits[m.First]; !ok {
			names = append(names, m.First)
			fits[m.First] = true
		}
		switch {
		case m.Second == "Dummy":
			fits[m.First] = fits[m.First] && within(&m.Match, paperAgainstDummy)
		case !strings.Contains(m.Second, "sees all"):
			fits[m.First] = fits[m.First] && within(&m.Match, paperAgainstSearches)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !fits[name] })
	if len(names) == 0 {
		return "\nNone of these wins as much as the paper's MCTS in both kinds of match.\n"
	}
	return fmt.Sprintf("\nWithin the intervals these win as much as the paper's MCTS against alpha-beta and against Dummy (name, simulations): %s.\n", strings.Join(names, "; "))
}

// time returns the mean time of a decision, "–" if it is not known.
func (s *Side) time() string {
	if s.Milliseconds == 0 {
		return "–"
	}
	return research.Seconds(s.Milliseconds / 1000)
}
