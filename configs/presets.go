package configs

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.yaml
var presets embed.FS

// DefaultPreset is the preset that is used if none is named.
const DefaultPreset = "quick"

// PresetNames returns the names of the presets, sorted.
func PresetNames() []string {
	entries, err := presets.ReadDir(".")
	if err != nil {
		panic(err) // the folder is embedded in the program
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	slices.Sort(names) // without the suffix: kuhn before kuhn-three-players
	return names
}

// presetPath returns a preset's path in the source tree.
func presetPath(name string) string { return "configs/" + name + ".yaml" }

// preset returns a preset's text; it reports false if there is none of that name.
func preset(name string) ([]byte, bool) {
	if strings.ContainsAny(name, `./\`) {
		return nil, false
	}
	text, err := presets.ReadFile(name + ".yaml")
	return text, err == nil
}

// Default returns the configuration in which every key has its default.
func Default() Config {
	return Config{
		Seed:      1,
		Game:      "go:size=5,players=3",
		Algorithm: AlgorithmAlphaZero,
		Network: Network{
			Blocks:  2,
			Filters: 32,
			Hidden:  64,
			Policy:  "auto",
			Value:   "auto",
		},
		Search: Search{
			Simulations:     180,
			CPUCT:           0.8,
			FPU:             FPUZero,
			FPUReduction:    0.1,
			Root:            RootPUCT,
			CVisit:          50,
			CScale:          0.1,
			QScaling:        QScalingRange,
			Interior:        InteriorImproved,
			Choice:          ChoiceVisits,
			Outcomes:        OutcomesSampled,
			Observers:       ObserversSingle,
			NoiseWeight:     0.25,
			ReuseTree:       true,
			Leaves:          1,
			FullProbability: 1,
		},
		Descent: Descent{
			Search:      SearchDescent,
			Iterations:  180,
			Terminal:    "result",
			Targets:     TargetsTree,
			Exploration: ExploreOrdinal,
			ExploreEnd:  1,
		},
		Play: Play{
			Temperature:      1,
			TemperaturePlies: 8,
			LateTemperature:  0.2,
		},
		WarmStart: WarmStart{
			Schedule:    WarmStartFormula,
			Start:       0.5,
			Simulations: 180,
			Utility:     "points",
		},
		SelfPlay: SelfPlay{
			GamesPerWorker: 32,
			CacheMiB:       128,
		},
		Training: Training{
			Iterations:   50,
			Cycle:        CycleSynchronous,
			Games:        1000,
			Batch:        256,
			Epochs:       1,
			Optimizer:    "sgd",
			LearningRate: 1e-4,
			Schedule:     "constant",

			PlateauIterations: 10,

			Momentum:    0.9,
			L2:          1e-4,
			Playing:     PlayingAveraged,
			PolicyLoss:  PolicyCrossEntropy,
			ValueWeight: 1,

			ValueLambda:   1,
			FastPositions: FastValue,
		},
		Replay: Replay{
			Games:   2000,
			HeldOut: 0.05,
		},
		Evaluation: Evaluation{
			Every:       5,
			Games:       20,
			Simulations: 180,
			RulerGames:  5,
		},
		Checkpoints: Checkpoints{
			KeepLast: 5,
		},
	}
}
