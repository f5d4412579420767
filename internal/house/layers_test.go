package house

// A layer is a package, or all packages below a folder ("game/..."), and what
// it may import. Package paths are relative to the module. Imports from
// internal are everybody's. A package with a line of its own is not covered by
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

	{"game", nil},
	{"game/...", []string{"game"}},
	{"game/all", []string{"game", "game/..."}},
	{"search", []string{"game"}},
	{"mcts", []string{"game", "search"}},
	{"descent", []string{"game", "search"}},
	{"minimax", []string{"game", "search"}},
	{"abstraction", []string{"game"}},

	{"nn/kernels/...", nil},
	{"nn/kernels", []string{"nn/kernels/..."}},
	{"nn/kernels/training", []string{"nn/kernels", "nn/kernels/..."}},
	{"nn", []string{"nn/kernels"}},
	{"nn/...", []string{"nn", "nn/kernels", "nn/kernels/training"}},
	{"nn/cuda/driver", nil},
	{"nn/cuda/...", []string{"nn", "nn/...", "nn/cuda/driver"}},
	{"nn/cuda", []string{"nn", "nn/...", "nn/cuda/driver", "nn/cuda/..."}},
	{"nn/backend", []string{"nn", "nn/...", "nn/kernels", "nn/cuda/driver"}},
	{"nn/backend/...", []string{"nn", "nn/...", "nn/cuda/driver", "nn/cuda/...", "nn/cuda", "nn/backend"}},
	{"checkpoints/...", []string{"nn"}},
	{"checkpoints", []string{"checkpoints/...", "nn"}},
	{"metrics", nil},
	{"rating", nil},
	{"sgf", []string{"game", "game/..."}},
	{"configs", []string{"game"}},
	{"pretrained", []string{"checkpoints", "configs"}},

	{"export", []string{"game", "nn", "checkpoints", "checkpoints/..."}},
	{"replay", []string{"game", "search"}},
	{"evaluate", []string{"game", "search", "nn"}},
	{"player", []string{"game", "search", "mcts", "descent", "minimax", "abstraction", "nn", "checkpoints", "configs", "pretrained", "evaluate"}},
	{"selfplay", []string{"game", "search", "mcts", "descent", "nn", "replay", "evaluate", "player"}},
	{"arena", []string{"game", "search", "rating", "mcts", "descent", "minimax", "nn", "evaluate", "player"}},

	{"gtp", []string{"game", "game/...", "search", "player", "arena", "sgf"}},
	{"trainer", []string{"game", "rating", "search", "mcts", "descent", "minimax", "nn", "nn/...", "nn/kernels", "nn/backend", "nn/backend/...", "checkpoints", "metrics", "replay", "evaluate", "player", "selfplay", "arena", "configs"}},
	{"reproduce", []string{"game", "rating", "search", "minimax", "abstraction", "nn", "checkpoints", "metrics", "player", "arena", "configs", "trainer"}},
	{"inspect/inspecttest", []string{"game", "game/...", "nn", "checkpoints", "replay", "evaluate"}},
	{"inspect", []string{"game", "nn", "checkpoints", "checkpoints/...", "replay", "evaluate", "arena", "configs", "trainer", "reproduce"}},
	{"history", []string{"game", "configs", "trainer"}},
	{"compare", []string{"configs", "trainer", "history"}},
	{"watch", []string{"game", "checkpoints", "replay", "trainer", "history"}},
	{"web/board", []string{"game", "game/..."}},
	{"web", []string{"game", "search", "mcts", "descent", "nn", "checkpoints", "metrics", "replay", "evaluate", "player", "configs", "trainer", "history", "web/board"}},
	{"cmd", []string{anything}},
	{"cmd/...", []string{anything}},
	{"examples/...", []string{anything}},
	{"bench/...", []string{anything}},
	{"deploy/internal/promql", []string{"metrics"}},
	{"deploy/grafana", []string{"metrics"}},
	{"deploy", nil},
	{"tools/...", []string{anything}},
}
