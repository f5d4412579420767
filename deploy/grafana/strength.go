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
				dashed(`(tengen_evaluation_points_low{RUN} > -Inf) or tengen_evaluation_points{RUN}`, "{{seat}}, low"),
				dashed(`(tengen_evaluation_points_high{RUN} < Inf) or tengen_evaluation_points{RUN}`, "{{seat}}, high"),
			}},
		{Title: "Gate", Unit: "none",
			Description: "The new network's mean utility minus the best one's at the last gate, and its lower bound. If the bound is above 0, the new network becomes that of self-play.",
			Queries: []Query{
				show(`tengen_gate_difference{RUN}`, "difference"),
				dashed(`(tengen_gate_difference_low{RUN} > -Inf) or tengen_gate_difference{RUN}`, "low"),
			}},
		{Title: "Gate decisions", Unit: "short",
			Description: "Networks that passed the gate or did not, since the process started.",
			Queries:     []Query{show(`tengen_gate_decisions_total{RUN}`, "{{verdict}}")}},
		{Title: "Iterations", Unit: "none",
			Description: "Finished iterations; the iteration of the last network evaluated; and, with a gate, that of self-play's network.",
			Queries: []Query{
				show(`tengen_iteration{RUN}`, "finished"),
				show(`tengen_evaluation_iteration{RUN}`, "evaluated"),
				show(`tengen_best_iteration{RUN}`, "best"),
			}},
		{Title: "Evaluation games", Unit: "suffix: games/s",
			Description: "Games of evaluations and of gates a second.",
			Queries: []Query{
				show(`rate(tengen_evaluation_games_total{RUN}[RATE])`, "evaluation"),
				show(`rate(tengen_gate_games_total{RUN}[RATE])`, "gate"),
			}},
		{Title: "Skipped evaluations", Unit: "short",
			Description: "Since the process started, because the previous one was still in progress: evaluation.every is too small or evaluation.games too large for the machine.",
			Queries:     []Query{show(`tengen_evaluation_skipped_total{RUN}`, "")}},
	}}
}
