package grafana

func glance() Row {
	return Row{"At a glance", []Panel{
		{Title: "Progress", Unit: "percentunit", Kind: Number,
			Description: "Share of the run's iterations that are finished.",
			Queries:     []Query{show(`tengen_iteration{RUN} / tengen_iterations{RUN}`, "")}},
		{Title: "Rating", Unit: "suffix: Elo", Kind: Number,
			Description: "Rating of the last network evaluated, over UCT; 0 before the first.",
			Queries:     []Query{show(`tengen_rating_elo{RUN}`, "")}},
		{Title: "Games", Unit: "suffix: games/s", Kind: Number,
			Description: "Self-play games finished a second; none while the network is trained or evaluated.",
			Queries:     []Query{show(`rate(tengen_games_finished_total{RUN}[RATE])`, "")}},
		{Title: "Steps", Unit: "suffix: steps/s", Kind: Number,
			Description: "Training steps a second; none while games are played.",
			Queries:     []Query{show(`rate(tengen_steps_total{RUN}[RATE])`, "")}},
		{Title: "Since the last checkpoint", Unit: "s", Kind: Number,
			Description: "Time since this process completed a checkpoint, or since it started: the most that a crash would lose, except finished games.",
			Queries:     []Query{show(`time() - ((tengen_checkpoint_timestamp_seconds{RUN} > process_start_time_seconds{RUN}) or process_start_time_seconds{RUN})`, "")}},
		{Title: "Free disk space", Unit: "bytes", Kind: Number,
			Description: "Free space on the disk of the run's folder.",
			Queries:     []Query{show(`tengen_disk_free_bytes{RUN}`, "")}},
		{Title: "Stages", Unit: "bool_on_off", Kind: Timeline,
			Description: "What the run is doing. Evaluations may be concurrent with other stages.",
			Queries: []Query{
				show(`max by (run, stage) (tengen_stage_in_progress{RUN})`, "{{stage}}"),
			}},
	}}
}

func learning() Row {
	return Row{"Learning", []Panel{
		{Title: "Loss", Unit: "none",
			Description: "The weighted total, L2 included. Held-out games are never trained on: if their loss rises while that of training falls, the network overfits.",
			Queries:     []Query{show(`tengen_loss{RUN,head="total"}`, "{{data}}")}},
		{Title: "Policy loss", Unit: "suffix: nats",
			Description: "Cross-entropy between the search's visits and the network's policy. It can't fall below the target's entropy.",
			Queries:     []Query{show(`tengen_loss{RUN,head="policy"}`, "{{data}}")}},
		{Title: "Value loss", Unit: "none",
			Description: "Cross-entropy in nats if values are categorical, otherwise squared error; mean over players. It can't fall below the target's entropy, which is 0 for squared errors.",
			Queries: []Query{
				show(`tengen_loss{RUN,head="value"}`, "{{data}}"),
				dashed(`tengen_value_target_entropy_nats{RUN,data="training"}`, "target's entropy"),
			}},
		{Title: "Auxiliary losses", Unit: "none",
			Description: "Of the heads that only training has: labels of cells (nats per cell) and of seats (squared error) at the end of the game, the next decision (nats), and what is hidden (nats over all facts; belief_prior: by counting). 0 without the head.",
			Queries: []Query{
				show(`tengen_loss{RUN,head=~"cells|seats|belief|belief_prior"}`,
					"{{head}}, {{data}}"),
			}},
		{Title: "Policy accuracy", Unit: "percentunit",
			Description: "Share of positions in which the network's most probable action is the search's.",
			Queries:     []Query{show(`tengen_policy_accuracy_ratio{RUN}`, "{{data}}")}},
		{Title: "Policy entropy", Unit: "suffix: nats",
			Description: "Of the network's policy and of its target, the search's policy. Both fall as play becomes more certain; a network far below its target, or both near 0 early, means that exploration has stopped.",
			Queries: []Query{
				show(`tengen_policy_entropy_nats{RUN,data="training",policy="network"}`, "network"),
				dashed(`tengen_policy_entropy_nats{RUN,data="training",policy="target"}`, "target"),
			}},
		{Title: "Policy entropy, held out", Unit: "suffix: nats",
			Description: "The same on games that are never trained on.",
			Queries: []Query{
				show(`tengen_policy_entropy_nats{RUN,data="held_out",policy="network"}`, "network"),
				dashed(`tengen_policy_entropy_nats{RUN,data="held_out",policy="target"}`, "target"),
			}},
		{Title: "Value calibration", Unit: "percentunit",
			Description: "Expected calibration error: the mean distance between predicted and actual utilities, over ten bins of the prediction. 0 is best; few positions make it larger.",
			Queries: []Query{
				show(`tengen_value_calibration_error{RUN}`, "{{data}}"),
				dashed(`tengen_belief_calibration_error{RUN}`, "belief, {{data}}"),
			}},
		{Title: "Gradient norm", Unit: "none", Log: true,
			Description: "Euclidean norm of all gradients before clipping, mean over the last update. Sudden growth precedes bad updates.",
			Queries:     []Query{show(`tengen_gradient_norm{RUN}`, "")}},
		{Title: "Weight norm", Unit: "none",
			Description: "Euclidean norm of the weights of convolutions and dense layers.",
			Queries:     []Query{show(`tengen_weight_norm{RUN}`, "")}},
		{Title: "Learning rate", Unit: "none", Log: true,
			Description: "Of the last training step.",
			Queries:     []Query{show(`tengen_learning_rate{RUN}`, "")}},
		{Title: "Training steps", Unit: "suffix: steps/s",
			Description: "Steps a second; none while games are played.",
			Queries:     []Query{show(`rate(tengen_steps_total{RUN}[RATE])`, "")}},
		{Title: "Dropped updates", Unit: "short",
			Description: "Updates in the last hour that were dropped because a loss or weight was not finite; the network was not changed. If there are several, lower the learning rate or clip gradients.",
			Queries:     []Query{show(`increase(tengen_bad_updates_total{RUN}[1h])`, "")}},
	}}
}
