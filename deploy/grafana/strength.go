package grafana

func strength() Row {
	return Row{"Strength", []Panel{
		{Title: "Rating", Unit: "suffix: Elo",
			Description: "Of the networks evaluated, over UCT, with its 95 % interval. Where games set no bound, the estimate itself is drawn.",
			Queries: []Query{
				show(`tengen_rating_elo{RUN}`, ""),
				dashed(`(tengen_rating_low_elo{RUN} > -Inf) or tengen_rating_elo{RUN}`, "low"),
				dashed(`(tengen_rating_high_elo{RUN} < Inf) or tengen_rating_elo{RUN}`, "high"),
			}},
		{Title: "Points by seat", Unit: "short",
			Description: "Mean score of the last network evaluated in each seat, against UCT in all the others; dashed: UCT's own score in that seat.",
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
			Description: "Bounds of the mean score in each seat. Where games set no bound, the mean itself is drawn.",
			Queries: []Query{
				dashed(`(tengen_evaluation_points_low{RUN} > -Inf) or tengen_evaluation_points{RUN}`, "{{seat}}, low"),
				dashed(`(tengen_evaluation_points_high{RUN} < Inf) or tengen_evaluation_points{RUN}`, "{{seat}}, high"),
			}},
		{Title: "Gate", Unit: "none",
			Description: "Of the last gate: the new network's mean utility less the best one's, and its lower bound. The new one plays from then on where the bound is above 0.",
			Queries: []Query{
				show(`tengen_gate_difference{RUN}`, "difference"),
				dashed(`(tengen_gate_difference_low{RUN} > -Inf) or tengen_gate_difference{RUN}`, "low"),
			}},
		{Title: "Gate's verdicts", Unit: "short",
			Description: "Networks that passed the gate and that did not, since the process began.",
			Queries:     []Query{show(`tengen_gate_decisions_total{RUN}`, "{{verdict}}")}},
		{Title: "Iterations", Unit: "none",
			Description: "Finished; behind the last network evaluated; and, with a gate, behind the network that plays.",
			Queries: []Query{
				show(`tengen_iteration{RUN}`, "finished"),
				show(`tengen_evaluation_iteration{RUN}`, "evaluated"),
				show(`tengen_best_iteration{RUN}`, "best"),
			}},
		{Title: "Games that measure", Unit: "suffix: games/s",
			Description: "Games of evaluations and of gates a second.",
			Queries: []Query{
				show(`rate(tengen_evaluation_games_total{RUN}[RATE])`, "evaluation"),
				show(`rate(tengen_gate_games_total{RUN}[RATE])`, "gate"),
			}},
		{Title: "Evaluations left out", Unit: "short",
			Description: "Since the process began, because the one before was still under way: evaluation.every or evaluation.games are too much for the machine.",
			Queries:     []Query{show(`tengen_evaluation_skipped_total{RUN}`, "")}},
	}}
}
