package archtest

// A layer is a package, or all packages below a folder ("game/..."), and what it may
// import. Paths are relative to the module. Every package may import vfs and the
// packages in internal. A folder's line does not apply to a package with a line of
// its own.
type layer struct {
	pkg     string
	imports []string
}

// anything permits every import.
const anything = "*"

// layers lists the layers from bottom to top: each may import only what is listed
// before it.
var layers = []layer{
	{"internal/...", nil},
	{"vfs", nil},
	{"vfs/...", nil},

	{"clock", nil},
	{"game", nil},
	{"game/gametest", []string{"game"}},
	{"game/mnk", []string{"game"}},
	{"game/...", []string{"game", "game/mnk"}},
	{"game/all", []string{"game", "game/...", "game/mnk"}},
	{"search", []string{"game"}},
	{"mcts/internal/...", []string{"clock", "game", "search"}},
	{"mcts", []string{"clock", "game", "search", "mcts/internal/..."}},
	{"mcts/ismcts", []string{"clock", "game", "search", "mcts/internal/...", "mcts"}},
	{"descent", []string{"clock", "game", "search"}},
	{"search/belief", []string{"game", "search"}},
	{"search/minimax", []string{"game", "search"}},
	{"game/abstraction", []string{"game"}},
	{"nash", []string{"game"}},

	{"nn/kernels/gen/...", nil},
	{"nn/kernels/gen", nil},
	{"nn/kernels", nil},
	{"nn/kernels/training", []string{"nn/kernels"}},
	{"nn", []string{"nn/kernels"}},
	{"nn/...", []string{"nn", "nn/kernels", "nn/kernels/training"}},
	{"nn/cuda/driver", nil},
	{"nn/cuda/...", []string{"nn", "nn/...", "nn/cuda/driver"}},
	{"nn/cuda", []string{"nn", "nn/...", "nn/cuda/driver", "nn/cuda/..."}},
	{"nn/cuda/training", []string{"nn", "nn/...", "nn/cuda/driver", "nn/cuda/...", "nn/cuda"}},
	{"nn/backend", []string{"nn", "nn/...", "nn/kernels", "nn/cuda/driver"}},
	{"nn/backend/...",
		[]string{
			"nn", "nn/...", "nn/cuda/driver", "nn/cuda/...", "nn/cuda", "nn/cuda/training",
			"nn/backend",
		}},
	{"checkpoints/...", []string{"nn"}},
	{"checkpoints", []string{"checkpoints/...", "nn"}},
	{"arena/rating", nil},
	{"interop/sgf", []string{"game", "game/..."}},
	{"configs", []string{"game"}},
	{"checkpoints/pretrained", []string{"checkpoints", "configs"}},

	{"interop/export", []string{"game", "nn", "checkpoints", "checkpoints/..."}},
	{"replay/record", []string{"game"}},
	{"replay/record/recordtest", []string{"game", "replay/record"}},
	{"replay", []string{"game", "replay/record"}},
	{"replay/window", []string{"game", "replay/record"}},
	{"search/nneval", []string{"game", "search", "nn"}},
	{"run", []string{"game", "nn", "checkpoints", "configs", "search/nneval"}},
	{"run/history", []string{"game", "configs", "run"}},
	{"run/watch", []string{"game", "checkpoints", "replay", "run", "run/history"}},
	{"metrics", []string{"run"}},
	{"player", []string{
		"clock", "game", "search", "search/belief", "mcts", "mcts/ismcts", "descent",
		"search/minimax", "game/abstraction", "nash", "nn", "checkpoints", "configs",
		"checkpoints/pretrained", "replay/record", "search/nneval", "run",
	}},
	{"selfplay", []string{
		"game", "search", "nn", "replay/record", "search/nneval", "player",
	}},
	{"arena", []string{
		"game", "search", "arena/rating", "mcts", "descent", "search/minimax", "nn",
		"search/nneval", "player",
	}},

	{"interop/analysis", []string{"game", "game/...", "search", "player"}},
	{"interop/gtp", []string{
		"clock", "game", "game/...", "search", "player", "arena", "arena/rating",
		"interop/analysis", "interop/sgf",
	}},
	{"trainer/learn",
		[]string{"game", "nn", "nn/...", "nn/backend", "replay/record", "replay/window"}},
	{"trainer/evaluation", []string{
		"game", "nn", "metrics", "player", "arena/rating", "arena", "configs", "run",
	}},
	{"trainer", []string{
		"game", "arena/rating", "search", "mcts", "descent", "search/minimax", "nn", "nn/...",
		"nn/kernels", "nn/backend", "nn/backend/...", "checkpoints", "metrics", "replay",
		"replay/record", "replay/window", "search/nneval", "player", "selfplay", "arena",
		"configs", "run", "run/history", "trainer/learn", "trainer/evaluation",
	}},
	{"cluster", []string{"game", "replay/record"}},
	{"cluster/worker",
		[]string{
			"arena", "game", "player", "nn", "nn/backend", "checkpoints", "configs",
			"replay/record", "search/nneval", "selfplay", "trainer", "cluster",
		}},
	{"cluster/hub", []string{
		"arena", "game", "nn", "checkpoints", "configs", "metrics", "replay", "replay/record",
		"run", "selfplay", "cluster",
	}},
	{"research", []string{
		"game", "arena/rating", "search", "nn", "nn/backend", "checkpoints", "metrics", "player",
		"arena", "configs", "trainer", "run",
	}},
	{"research/...", []string{
		"game", "game/...", "game/abstraction", "arena/rating", "search",
		"search/belief", "mcts",
		"search/minimax", "search/nneval", "nash", "nn", "checkpoints", "player",
		"arena",
		"configs", "trainer", "run", "run/history", "research",
	}},
	{"run/runtest", []string{
		"game", "game/...", "game/all", "nn", "checkpoints", "replay", "replay/record", "search/nneval",
		"configs", "run",
	}},
	{"run/inspect", []string{
		"game", "nn", "checkpoints", "checkpoints/...", "checkpoints/pretrained", "replay",
		"replay/record", "replay/window", "search/nneval", "arena", "interop/gtp", "configs", "run",
	}},
	{"web/board", []string{"game", "game/...", "game/mnk"}},
	{"web/api/v1", []string{
		"game", "search", "mcts", "descent", "nn", "checkpoints", "replay", "replay/record",
		"search/nneval", "player", "arena", "configs", "run", "run/history",
		"web/board",
	}},
	{"web", []string{"nn", "configs", "run", "web/api/v1"}},
	{"cmd", []string{anything}},
	{"cmd/...", []string{anything}},
	{"examples/...", []string{anything}},
	{"deploy", []string{"metrics"}},
	{"tools/...", []string{anything}},
}

// readers are the packages that read runs or monitor them from outside. None of them
// may depend on the library that trains networks, not even indirectly.
var readers = []string{
	"run/...", "web/...", "tools/internal/...",
}

// trainingLibrary is the module that only packages that train networks may depend on.
const trainingLibrary = "gorgonia.org/gorgonia"
