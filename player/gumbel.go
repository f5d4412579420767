package player

import (
	"fmt"
	"strconv"

	"tengen/configs"
	"tengen/internal/notation"
)

// gumbelParams are the keys of the root's search.
var gumbelParams = []notation.Param{
	{Key: "root", Help: "search of the root: puct, or gumbel, sequential halving of a few actions, which is better with few simulations; default: puct, for networks of afterstates as for c"},
	{Key: "considered", Help: "for root=gumbel: actions considered, at most; auto follows the simulations: 4 of 8, 8 of 24, 16 of 64; default as for c, or auto"},
	{Key: "c_visit", Help: "for root=gumbel: values q, scaled to [0, 1], weigh (c_visit + most visits)·c_scale·q beside the policy's logits; default as for c, or 50"},
	{Key: "c_scale", Help: "for root=gumbel: see c_visit; default as for c, or 0.1"},
	{Key: "q_scaling", Help: "for root=gumbel: range, values are scaled to [0, 1] at each node, or none, they are utilities; default as for c, or range"},
	{Key: "interior", Help: "for root=gumbel: search below the root: improved, visits in proportion to an improved policy, puct, better with hundreds of simulations, or policy, visits in proportion to the network's policy; default as for c, or improved"},
}

// tuneRoot is tune for gumbelParams.
func tuneRoot(s *configs.Search, v *notation.Values) (changed string) {
	if v.Given("root") {
		if root := configs.Root(v.Choice("root", string(configs.RootPUCT), string(configs.RootGumbel))); root != s.Root {
			s.Root = root
			changed += ",root=" + string(root)
		}
	}
	if s.Root != configs.RootGumbel {
		for _, p := range gumbelParams[1:] {
			if v.Given(p.Key) {
				v.Fail(p.Key, "is for root=gumbel only")
			}
		}
		return changed
	}
	for _, key := range []string{"temperature", "plies", choiceParam.Key} {
		if v.Given(key) {
			v.Fail(key, "is for root=puct only: gumbel has a choice of its own")
		}
	}
	if v.Given("considered") {
		n := 0
		if v.String("considered") != "auto" {
			n, _ = strconv.Atoi(v.String("considered"))
			if n < 1 || n > 65536 {
				v.Fail("considered", "a whole number from 1 to 65536 or auto is wanted")
			}
		}
		if n != s.Considered {
			s.Considered = n
			changed += ",considered=" + v.String("considered")
		}
	}
	for _, k := range []struct {
		key   string
		hi    float64
		value *float64
	}{{"c_visit", 1e6, &s.CVisit}, {"c_scale", 1000, &s.CScale}} {
		if !v.Given(k.key) {
			continue
		}
		if x := v.Float(k.key, 0, k.hi); x != *k.value {
			*k.value = x
			changed += fmt.Sprintf(",%s=%g", k.key, x)
		}
	}
	if v.Given("q_scaling") {
		if q := configs.QScaling(v.Choice("q_scaling", string(configs.QScalingRange), string(configs.QScalingNone))); q != s.QScaling {
			s.QScaling = q
			changed += ",q_scaling=" + string(q)
		}
	}
	if v.Given("interior") {
		if i := configs.Interior(v.Choice("interior", string(configs.InteriorImproved), string(configs.InteriorPUCT), string(configs.InteriorPolicy))); i != s.Interior {
			s.Interior = i
			changed += ",interior=" + string(i)
		}
	}
	return changed
}
