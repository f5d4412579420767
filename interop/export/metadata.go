package export

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/nn"
)

// formatVersion changes when readers of the metadata, of tensor names, or of the model's inputs
// and outputs must change.
const formatVersion = 1

// metadataOf returns the metadata of either format. Lists are JSON. The keys game, network,
// iteration and step are those of a checkpoint's model, so a safetensors file with BatchNorm kept
// is a valid model file.
func metadataOf(n *Network, fold bool) (map[string]string, error) {
	s := &n.Params.Spec
	batchNorm := "kept"
	if fold {
		batchNorm = "folded"
	}
	m := map[string]string{
		"format_version": strconv.Itoa(formatVersion),
		"game":           n.Game,
		"iteration":      strconv.Itoa(n.Iteration),
		"step":           strconv.FormatUint(n.Step, 10),
		"average":        strconv.FormatBool(n.Average),
		"batch_norm":     batchNorm,
		"players":        strconv.Itoa(s.Players),
	}
	lists := map[string]any{"network": s, "observation": []int{s.Planes, s.Height, s.Width}}
	if s.Value == nn.ValueCategorical {
		lists["support"] = s.Support
	}
	if g := n.Rules; g != nil {
		m["points_per_utility"] = strconv.FormatFloat(game.PointsPerUtility(g), 'g', -1, 64)
		lists["seats"] = game.SeatNames(g)
		if _, named := g.(game.Notated); named {
			start, actions := g.NewState(), make([]string, g.Actions())
			for a := range actions {
				actions[a] = game.ActionName(g, start, game.Action(a))
			}
			lists["actions"] = actions
		}
		if planes := planeNames(g); planes != nil {
			lists["planes"] = planes
		}
	}
	for key, value := range lists {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("metadata %s: %w", key, err)
		}
		m[key] = string(text)
	}
	return m, nil
}

// PlaneNamed is a Game that describes the planes of its observations ("stones of Black").
type PlaneNamed interface{ PlaneName(plane int) string }

// stones lists the families of games whose observation has a plane of stones for each seat, then
// a plane of ones for each seat if it is to move.
var stones = map[string]bool{"go": true, "mnk": true, "connect-four": true}

// planeNames describes the planes of an observation; nil if they are unknown.
func planeNames(g game.Game) []string {
	names := make([]string, g.Planes().C)
	if named, ok := g.(PlaneNamed); ok {
		for i := range names {
			names[i] = named.PlaneName(i)
		}
		return names
	}
	family, _, _ := strings.Cut(g.Name(), ":")
	if !stones[family] || len(names) != 2*g.Players() {
		return nil
	}
	for p := range g.Players() {
		seat := game.SeatName(g, game.Player(p))
		names[p], names[g.Players()+p] = "stones of "+seat, "ones where "+seat+" is to move"
	}
	return names
}
