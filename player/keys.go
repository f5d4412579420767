package player

import (
	"fmt"
	"math"
	"slices"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/mcts"
	"tengen/mcts/ismcts"
)

// searchKeys are the keys of az that are those of the group search of configurations. They have the
// limits, the meaning and, without a run, the defaults that they have there.
var searchKeys = []string{
	"c_puct", "fpu", "fpu_reduction", "choice",
	"root", "considered", "c_visit", "c_scale", "q_scaling", "interior",
	"outcomes", "proofs", reuseKey, observersKey, "inference",
}

const (
	reuseKey     = "reuse_tree"
	observersKey = "observers"
)

// SearchKeys returns the keys of az that are those of the group search of configurations.
func SearchKeys() []string { return slices.Clone(searchKeys) }

// shorts are other names of keys of the group search, which are shorter.
var shorts = map[string]string{"c_puct": "c", reuseKey: "reuse"}

// searchParam describes a key of the group search, with a default if all players of a kind have it.
func searchParam(key, standard string) notation.Param {
	p := notation.Param{
		Key: key, Short: shorts[key], Default: standard, Help: configs.Summary("search." + key),
	}
	if standard != "" {
		return p
	}
	c := configs.Default()
	switch usual := c.Value("search." + key); key {
	case "root":
		p.Help += "; default: puct, for networks of afterstates that of the run"
	case reuseKey:
		p.Help += "; default: true if nothing is hidden, else false"
	default:
		p.Help += fmt.Sprintf("; default: that of the run, or %v", usual)
	}
	return p
}

// searchParams are the keys of az of the group search.
func searchParams() []notation.Param {
	var list []notation.Param
	for _, key := range searchKeys {
		list = append(list, searchParam(key, ""))
		if key == "choice" {
			list = append(list, zParam, fractionParam)
		}
	}
	return list
}

// gumbelKeys are those for Gumbel at the root, and puctKeys those for PUCT there.
var (
	gumbelKeys = []string{"considered", "c_visit", "c_scale", "q_scaling", "interior"}
	puctKeys   = []string{"choice", "temperature", "plies"}
)

// named are the keys that a name tells by what they are rather than by what changed.
var named = []string{"c_puct", "choice", reuseKey, observersKey, "inference"}

// tune changes some keys of a configuration's search to what is given, and returns those that
// changed something, those that are named apart, as a player's name has them.
func tune(s *configs.Search, v *notation.Values, keys ...string) (changed string) {
	c := configs.Default()
	c.Search = *s
	for _, key := range keys {
		if !v.Given(key) {
			continue
		}
		before := c.Value("search." + key)
		if err := c.SetKey("search."+key, v.String(key)); err != nil {
			v.Fail(key, err.Error())
		}
		if x := c.Value("search." + key); x != before && !slices.Contains(named, key) {
			changed += fmt.Sprintf(",%s=%v", key, x)
		}
	}
	*s = c.Search
	return changed
}

// checkRoot refuses keys that are given and have no sense with the search of the root.
func checkRoot(v *notation.Values, s configs.Search) {
	wrong, root := gumbelKeys, "is for root=gumbel only"
	if s.Root == configs.RootGumbel {
		wrong, root = puctKeys, "is for root=puct only: gumbel has a choice of its own"
	}
	for _, key := range wrong {
		if v.Given(key) {
			v.Fail(key, root)
		}
	}
}

// checkSearch refuses what is given of a search and has no sense in g.
func checkSearch(g game.Game, v *notation.Values, s configs.Search) {
	if s.Outcomes == configs.OutcomesBalanced && (hides(g) || !game.HasChance(g)) {
		v.Fail("outcomes", g.Name()+" has no chance, or hides information: sampled is wanted")
	}
	if s.Proofs && hides(g) {
		v.Fail("proofs", g.Name()+" hides information: false is wanted")
	}
	if v.Given(observersKey) && s.Observers == configs.ObserversMultiple && !hides(g) {
		v.Fail(observersKey, "nothing is hidden in "+g.Name()+": single is wanted")
	}
}

// readReuse reads the key reuse_tree, by default usual.
func readReuse(v *notation.Values, s configs.Search, usual bool) bool {
	if v.Given(reuseKey) {
		usual = s.ReuseTree
	}
	if usual && s.Observers == configs.ObserversMultiple {
		v.Fail(reuseKey, "the trees of multiple observers are not kept: false is wanted")
	}
	return usual
}

// The lower confidence bound of the key choice.
var (
	zParam = notation.Param{
		Key:  "lcb_z",
		Help: "for choice=lcb: standard errors by which the bound is below the mean; default: 5",
	}
	fractionParam = notation.Param{
		Key:  "lcb_fraction",
		Help: "for choice=lcb: least visits, as a fraction of the most; default: 0.15",
	}
)

// readBound reads zParam and fractionParam for players with the given final selection.
func readBound(v *notation.Values, final mcts.FinalSelection) mcts.FinalSelection {
	if !final.ByBound() {
		for _, key := range []string{zParam.Key, fractionParam.Key} {
			if v.Given(key) {
				v.Fail(key, "is for choice=lcb only")
			}
		}
		return final
	}
	z, fraction := final.Parameters()
	if v.Given(zParam.Key) {
		z = v.Float(zParam.Key, 0, 1000)
	}
	if v.Given(fractionParam.Key) {
		fraction = v.Float(fractionParam.Key, 0, 1)
	}
	return mcts.LowerBound(z, fraction)
}

// boundKey returns the keys of a final selection for a player's name, "" for the default.
func boundKey(c mcts.FinalSelection) string {
	if !c.ByBound() {
		return ""
	}
	text := ",choice=lcb"
	z, fraction := c.Parameters()
	if z != mcts.DefaultZ {
		text += fmt.Sprintf(",lcb_z=%g", z)
	}
	if fraction != mcts.DefaultFraction {
		text += fmt.Sprintf(",lcb_fraction=%g", fraction)
	}
	return text
}

// observersText returns ",observers=…" for a player's name, "" for the default.
func observersText(o ismcts.Observers) string {
	if o == ismcts.SingleObserver {
		return ""
	}
	return "," + observersKey + "=" + o.String()
}

// The temperature of moves.
var (
	temperatureParam = notation.Param{
		Key: "temperature", Default: "0",
		Help: "moves of the first plies are drawn in proportion to visits^(1/temperature)",
	}
	pliesParam = notation.Param{
		Key: "plies", Default: "0", Help: "plies played at that temperature: a number or all",
	}
)

// AllPlies are those of a whole game.
const AllPlies = math.MaxInt32

// readTemperature reads temperatureParam and pliesParam.
func readTemperature(v *notation.Values) (temperature float64, plies int) {
	temperature = v.Float(temperatureParam.Key, 0, 100)
	if v.String(pliesParam.Key) == "all" {
		return temperature, AllPlies
	}
	return temperature, v.Int(pliesParam.Key, 0, 1_000_000)
}

// temperatureKey returns the keys of a temperature for a player's name, "" if no move is drawn.
func temperatureKey(temperature float64, plies int) string {
	switch {
	case temperature <= 0 || plies <= 0:
		return ""
	case plies == AllPlies:
		return fmt.Sprintf(",temperature=%g,plies=all", temperature)
	}
	return fmt.Sprintf(",temperature=%g,plies=%d", temperature, plies)
}
