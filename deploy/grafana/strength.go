package grafana

func strength() Row {
	return Row{"Strength", []Panel{
		{Title: "Rating", Unit: "suffix: Elo",
			Description: "Rating of the evaluated networks over UCT, with its 95 % interval. A missing bound is drawn at the estimate.",
			Queries: []Query{
				show(`tengen_rating_elo{RUN}`, ""),
				dashed(`(tengen_rating_low_elo{RUN} > -Inf) or tengen_rating_elo{RUN}`, "low"),
				dashed(`(tengen_rating_high_elo{RUN} < Inf) or tengen_rating_elo{RUN}`, "high"),
			}},
		{Title: "Points by seat", Unit: "short",
			Description: "Mean score of the last network evaluated in each seat, against UCT in all others; dashed: UCT's own score in that seat.",
			Queries: []Query{
				show(`tengen_evaluation_points{RUN}`, "{{seat}}"),
				dashed(`tengen_evaluation_anchor_points{RUN}`, "{{seat}}, UCT"),
			}},
		{Title: "Points, all seats", Unit: "short",
			Description: "Sum of the points over the seats; dashed: UCT's.",
			Queries: []Query{
				show(`sum by (run) (tengen_evaluation_points{RUN})`, ""),
				dashed(`sum by (run) (tengen_evaluation_anchor_points{RUN})`, "UCT"),
			}},
		{Title: "Points by seat, 95 % interval", Unit: "short",
			Description: "Bounds of the mean score in each seat. A missing bound is drawn at the mean.",
			Queries: []Query{
				dashed(
					`(tengen_evaluation_points_low{RUN} > -Inf) or tengen_evaluation_points{RUN}`,
					"{{seat}}, low"),
				dashed(
					`(tengen_evaluation_points_high{RUN} < Inf) or tengen_evaluation_points{RUN}`,
					"{{seat}}, high"),
			}},
		{Title: "Iterations", Unit: "none",
			Description: "Finished iterations, and the iteration of the last network evaluated.",
			Queries: []Query{
				show(`tengen_iteration{RUN}`, "finished"),
				show(`tengen_evaluation_iteration{RUN}`, "evaluated"),
			}},
		{Title: "Evaluation games", Unit: "suffix: games/s",
			Description: "Games of evaluations a second.",
			Queries: []Query{
				show(`rate(tengen_evaluation_games_total{RUN}[RATE])`, "evaluation"),
			}},
		{Title: "Skipped evaluations", Unit: "short",
			Description: "Since the process started, because the previous one was still in progress: evaluation.every is too small or evaluation.games too large for the machine.",
			Queries:     []Query{show(`tengen_evaluation_skipped_total{RUN}`, "")}},
	}}
}
