package grafana

func selfPlay() Row {
	return Row{"Self-play", []Panel{
		{Title: "Games", Unit: "suffix: games/s",
			Description: "Self-play games finished a second; none while the network is trained.",
			Queries:     []Query{show(`rate(tengen_games_finished_total{RUN}[RATE])`, "")}},
		{Title: "Games in progress", Unit: "short",
			Description: "Concurrent games of all workers.",
			Queries:     []Query{show(`tengen_games_running{RUN}`, "")}},
		{Title: "Length of a game", Unit: "suffix: plies",
			Description: "Mean and 90th percentile of the actions of finished games. Sudden changes suggest degenerate play.",
			Queries: []Query{
				mean("tengen_game_plies", "mean"), quantile("0.9", "tengen_game_plies", "p90"),
			}},
		{Title: "Games won by seat", Unit: "percentunit",
			Description: "Share of self-play games that each seat wins alone.",
			Queries: []Query{show(`sum by (run, seat) (rate(tengen_outcomes_total{RUN,outcome="won"}[RATE]))
  / sum by (run, seat) (rate(tengen_outcomes_total{RUN}[RATE]))`, "{{seat}}")}},
		{Title: "Tied seats", Unit: "percentunit",
			Description: "Share of seats that have the best utility together with others.",
			Queries: []Query{show(`sum by (run) (rate(tengen_outcomes_total{RUN,outcome="tied"}[RATE]))
  / sum by (run) (rate(tengen_outcomes_total{RUN}[RATE]))`, "")}},
		{Title: "Resignation", Unit: "percentunit",
			Description: "Share of finished games that ended by resignation, and of resignations that would have been wrong, in the games that are played out. The threshold is the expected utility below which players resign; 0: nobody does.",
			Queries: []Query{
				show(`rate(tengen_games_resigned_total{RUN}[RATE]) / rate(tengen_games_finished_total{RUN}[RATE])`, "games"),
				show(`tengen_resignation_false_ratio{RUN}`, "wrong"),
				show(`tengen_resignation_threshold{RUN}`, "threshold"),
			}},
		{Title: "Seats of UCT", Unit: "percentunit",
			Description: "Share of seats that UCT plays (warm start): ε of the schedule.",
			Queries: []Query{show(`sum by (run) (rate(tengen_seats_total{RUN,player="uct"}[RATE]))
  / sum by (run) (rate(tengen_seats_total{RUN}[RATE]))`, "")}},
		{Title: "Simulations", Unit: "suffix: /s",
			Description: "Simulations of the network's searches a second; with Descent, iterations.",
			Queries:     []Query{show(`rate(tengen_simulations_total{RUN}[RATE])`, "")}},
		{Title: "Searches", Unit: "suffix: /s",
			Description: "Searches of the network a second, full and fast (playout cap randomization).",
			Queries:     []Query{show(`rate(tengen_searches_total{RUN}[RATE])`, "{{kind}}")}},
		{Title: "Depth of a search", Unit: "suffix: actions",
			Description: "From the root to the deepest state reached: mean and 90th percentile. With Descent, in decisions.",
			Queries: []Query{
				mean("tengen_search_depth", "mean"), quantile("0.9", "tengen_search_depth", "p90"),
			}},
		{Title: "Decisions", Unit: "suffix: /s",
			Description: "Decisions of finished games a second, of all seats.",
			Queries:     []Query{show(`rate(tengen_positions_total{RUN}[RATE])`, "")}},
		{Title: "Age of the playing network", Unit: "suffix: steps",
			Description: "Training steps of the newest network minus those of the one that plays: those of one update.",
			Queries: []Query{
				show(`tengen_newest_network_step{RUN} - tengen_playing_network_step{RUN}`, ""),
			}},
		{Title: "Full trees, resolved roots", Unit: "suffix: /s",
			Description: "Searches a second whose tree was full (max_nodes), and, with Descent, those that resolved their root.",
			Queries: []Query{
				show(`rate(tengen_searches_capped_total{RUN}[RATE])`, "full"),
				show(`rate(tengen_searches_resolved_total{RUN}[RATE])`, "resolved"),
			}},
		{Title: "States of a game's trees", Unit: "short",
			Description: "Descent: mean number of states of a finished game's search trees, all of which are trained on.",
			Queries:     []Query{mean("tengen_game_tree_states", "")}},
	}}
}

func inference() Row {
	return Row{"Inference", []Panel{
		{Title: "Evaluations", Unit: "suffix: positions/s",
			Description: "Positions that the network evaluates a second in self-play.",
			Queries:     []Query{show(`rate(tengen_inference_positions_total{RUN}[RATE])`, "")}},
		{Title: "Cache", Unit: "percentunit",
			Description: "Share of the requested positions that were found in the evaluation cache.",
			Queries:     []Query{show(`rate(tengen_inference_cache_hits_total{RUN}[RATE]) / rate(tengen_inference_cache_lookups_total{RUN}[RATE])`, "")}},
		{Title: "Batch fill", Unit: "percentunit",
			Description: "Mean of a batch's used rows, divided by its capacity. It falls as the last games of an iteration end.",
			Queries:     []Query{mean("tengen_inference_batch_fill_ratio", "")}},
		{Title: "Positions a batch", Unit: "short",
			Description: "Mean number of positions in a batch.",
			Queries:     []Query{show(`rate(tengen_inference_positions_total{RUN}[RATE]) / rate(tengen_inference_batches_total{RUN}[RATE])`, "")}},
		{Title: "Wait for a batch", Unit: "s",
			Description: "Time that a worker's searches wait for a batch of evaluations: mean and 99th percentile.",
			Queries: []Query{
				mean("tengen_inference_wait_seconds", "mean"),
				quantile("0.99", "tengen_inference_wait_seconds", "p99"),
			}},
		{Title: "Waiting workers", Unit: "short",
			Description: "Mean number of workers that wait for the network. On the processor it computes on their cores; the other workers search.",
			Queries:     []Query{show(`rate(tengen_inference_wait_seconds_sum{RUN}[RATE])`, "")}},
		{Title: "Kernels", Unit: "none", Kind: Label,
			Description: "Code path of the network's arithmetic, chosen for the processor.",
			Queries:     []Query{show(`tengen_inference_kernels_info{RUN}`, "{{path}}")}},
	}}
}
