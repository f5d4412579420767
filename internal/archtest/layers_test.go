package archtest

// A layer is a package, or all packages below a folder ("game/..."), and what
// it may import. Package paths are relative to the module. Everybody
// may import vfs and what is in internal. A package with a line of its own is not covered by
// its folder's line.
type layer struct {
	pkg     string
	imports []string
}

// anything permits every import.
const anything = "*"

// layers stand from the bottom of the house to its top: each may import only
// what is listed before it.
var layers = []layer{
	{"internal/...", nil},
	{"vfs", nil},
	{"vfs/...", nil},

	{"game", nil},
	{"game/...", []string{"game"}},
	{"game/all", []string{"game", "game/..."}},
	{"search", []string{"game"}},
	{"mcts/internal/...", []string{"game", "search"}},
	{"mcts", []string{"game", "search", "mcts/internal/..."}},
	{"mcts/ismcts", []string{"game", "search", "mcts/internal/...", "mcts"}},
	{"descent", []string{"game", "search"}},
	{"search/minimax", []string{"game", "search"}},
	{"game/abstraction", []string{"game"}},

	{"nn/kernels/...", nil},
	{"nn/kernels", []string{"nn/kernels/..."}},
	{"nn/kernels/training", []string{"nn/kernels", "nn/kernels/..."}},
	{"nn", []string{"nn/kernels"}},
	{"nn/...", []string{"nn", "nn/kernels", "nn/kernels/training"}},
	{"nn/cuda/driver", nil},
	{"nn/cuda/...", []string{"nn", "nn/...", "nn/cuda/driver"}},
	{"nn/cuda", []string{"nn", "nn/...", "nn/cuda/driver", "nn/cuda/..."}},
	{"nn/cuda/training", []string{"nn", "nn/...", "nn/cuda/driver", "nn/cuda/...", "nn/cuda"}},
	{"nn/backend", []string{"nn", "nn/...", "nn/kernels", "nn/cuda/driver"}},
	{"nn/backend/...", []string{"nn", "nn/...", "nn/cuda/driver", "nn/cuda/...", "nn/cuda", "nn/cuda/training", "nn/backend"}},
	{"checkpoints/...", []string{"nn"}},
	{"checkpoints", []string{"checkpoints/...", "nn"}},
	{"metrics", nil},
	{"arena/rating", nil},
	{"interop/sgf", []string{"game", "game/..."}},
	{"configs", []string{"game"}},
	{"checkpoints/pretrained", []string{"checkpoints", "configs"}},

	{"interop/export", []string{"game", "nn", "checkpoints", "checkpoints/..."}},
	{"replay", []string{"game", "search"}},
	{"search/nneval", []string{"game", "search", "nn"}},
	{"player", []string{"game", "search", "mcts", "mcts/ismcts", "descent", "search/minimax", "game/abstraction", "nn", "checkpoints", "configs", "checkpoints/pretrained", "search/nneval"}},
	{"player/play", []string{"game", "search", "player"}},
	{"selfplay", []string{"game", "search", "mcts", "mcts/ismcts", "descent", "nn", "replay", "search/nneval", "player", "player/play"}},
	{"arena", []string{"game", "search", "arena/rating", "mcts", "descent", "search/minimax", "nn", "search/nneval", "player", "player/play"}},

	{"interop/gtp", []string{"game", "game/...", "search", "player", "player/play", "arena", "arena/rating", "interop/sgf"}},
	{"trainer", []string{"game", "arena/rating", "search", "mcts", "descent", "search/minimax", "nn", "nn/...", "nn/kernels", "nn/backend", "nn/backend/...", "checkpoints", "metrics", "replay", "search/nneval", "player", "selfplay", "arena", "configs"}},
	{"experiments", []string{"game", "arena/rating", "search", "nn", "checkpoints", "metrics", "player", "arena", "configs", "trainer"}},
	{"experiments/...", []string{"game", "arena/rating", "search", "search/minimax", "game/abstraction", "nn", "checkpoints", "player", "arena", "configs", "trainer", "experiments"}},
	{"run/inspect/inspecttest", []string{"game", "game/...", "nn", "checkpoints", "replay", "search/nneval"}},
	{"run/inspect", []string{"game", "nn", "checkpoints", "checkpoints/...", "replay", "search/nneval", "arena", "configs", "trainer", "experiments"}},
	{"run/history", []string{"game", "configs", "trainer"}},
	{"run/compare", []string{"configs", "trainer", "run/history"}},
	{"run/watch", []string{"game", "checkpoints", "replay", "trainer", "run/history"}},
	{"web/board", []string{"game", "game/..."}},
	{"web", []string{"game", "search", "mcts", "descent", "nn", "checkpoints", "metrics", "replay", "search/nneval", "player", "player/play", "configs", "trainer", "run/history", "web/board"}},
	{"cmd", []string{anything}},
	{"cmd/...", []string{anything}},
	{"examples/...", []string{anything}},
	{"tools/bench/...", []string{anything}},
	{"deploy/internal/promql", []string{"metrics"}},
	{"deploy/grafana", []string{"metrics"}},
	{"deploy", nil},
	{"tools/...", []string{anything}},
}
