package pretrained

import (
	"embed"
	"fmt"

	"tengen/checkpoints"
	"tengen/configs"
)

//go:embed *.safetensors *.yaml
var files embed.FS

// Network is an embedded network.
type Network struct {
	Name    string // as in the player az:NAME
	Game    string // canonical name
	Summary string
	file    string // without extension
}

// Networks are all embedded networks. The first for a game is its best.
var Networks = []Network{
	{
		Name: "go-5x5x3-long", Game: "go:size=5,players=3", file: "go-5x5x3-long",
		Summary: "three-player 5×5 Go by AlphaZero: the preset go5-three-players, four hours on two cores that had other work",
	},
	{
		Name: "go-5x5x3-gumbel", Game: "go:size=5,players=3", file: "go-5x5x3-gumbel",
		Summary: "the same by the preset quick, with a smaller network, 50 minutes on one core",
	},
	{
		Name: "go-5x5x3", Game: "go:size=5,players=3", file: "go-5x5x3",
		Summary: "the same by quick as it was, with PUCT in self-play, 12 minutes on two cores",
	},
	{
		Name: "go-5x5x3-descent", Game: "go:size=5,players=3", file: "go-5x5x3-descent",
		Summary: "three-player 5×5 Go by Descent (ubfm:): descent-quick, 15 minutes",
	},
	{
		Name: "go-5x5x2", Game: "go:size=5,players=2,pass=free", file: "go-5x5x2",
		Summary: "two-player 5×5 Go with passes: the preset go5-two-player, 26 minutes",
	},
	{
		Name: "turtle", Game: "turtle:players=2", file: "turtle",
		Summary: "the two-player Great Turtle Race: the preset turtle, 40 iterations",
	},
	{
		Name: "turtle-belief", Game: "turtle:players=2,history=4", file: "turtle-belief",
		Summary: "the same with a history of 4 plays, and a belief about hands: the preset turtle, 85 minutes on one core",
	},
	{
		Name: "tcg-gumbel", Game: "tcg:deck=standard,hand=5,hp=50,draw=unless-full",
		file:    "tcg-gumbel",
		Summary: "the trading-card game: the preset tcg, 105 minutes on one core",
	},
	{
		Name: "tcg", Game: "tcg:deck=standard,hand=5,hp=50,draw=unless-full", file: "tcg",
		Summary: "the same by tcg as it was, with PUCT in self-play, 60 iterations",
	},
	{
		Name: "go-9x9", Game: "go:size=9,players=2,komi=[0,7],pass=free,reward=win", file: "go-9x9",
		Summary: "two-player 9×9 Go with a komi of 7: the preset go9 for 61 minutes on one core, then a larger network for 85",
	},
	{
		Name: "connect-four-gumbel", Game: "connect-four:rows=6,columns=7,in_row=4,players=2",
		file:    "connect-four-gumbel",
		Summary: "Connect Four by searches that prove values: the preset connect-four, 55 minutes on one core",
	},
	{
		Name: "hypergammon-td", Game: "backgammon:checkers=3", file: "hypergammon-td",
		Summary: "Hypergammon, by the values of afterstates: the preset hypergammon, then a wider network, 113 minutes on one core",
	},
	{
		Name: "backgammon-td", Game: "backgammon:checkers=15", file: "backgammon-td",
		Summary: "backgammon, by the values of afterstates: the preset backgammon, 28 minutes on one core",
	},
}

// Find returns the network with a name.
func Find(name string) (n Network, ok bool) {
	for _, n := range Networks {
		if n.Name == name {
			return n, true
		}
	}
	return Network{}, false
}

// For returns the best network for a game, given the game's canonical name.
func For(game string) (n Network, ok bool) {
	for _, n := range Networks {
		if n.Game == game {
			return n, true
		}
	}
	return Network{}, false
}

// File returns the network's file, in the format safetensors.
func (n Network) File() ([]byte, error) { return files.ReadFile(n.file + ".safetensors") }

// Model decodes the network.
func (n Network) Model() (*checkpoints.Model, error) {
	data, err := n.File()
	if err != nil {
		return nil, fmt.Errorf("network %s: %w", n.Name, err)
	}
	m, err := checkpoints.ReadModel(data)
	if err != nil {
		return nil, fmt.Errorf("network %s: %w", n.Name, err)
	}
	m.Path = n.Name
	return m, nil
}

// Config returns the configuration of the run that trained the network.
func (n Network) Config() (*configs.Config, error) {
	text, err := files.ReadFile(n.file + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("network %s: %w", n.Name, err)
	}
	r, err := configs.Resolve(configs.Options{Name: n.file + ".yaml", Text: text})
	if err != nil {
		return nil, fmt.Errorf("network %s: %w", n.Name, err)
	}
	return &r.Config, nil
}
