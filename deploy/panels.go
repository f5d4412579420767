package deploy

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

func data() Row {
	return Row{"Data", []Panel{
		{Title: "Games in the window", Unit: "short",
			Description: "Games in the replay window, held-out ones included.",
			Queries:     []Query{show(`tengen_replay_games{RUN}`, "")}},
		{Title: "Positions in the window", Unit: "short",
			Description: "Positions for training in the replay window.",
			Queries:     []Query{show(`tengen_replay_positions{RUN}`, "")}},
		{Title: "Games on disk", Unit: "bytes",
			Description: "Size of the recorded games.",
			Queries:     []Query{show(`tengen_replay_bytes{RUN}`, "")}},
		{Title: "Uses of a position", Unit: "none",
			Description: "Samples of the last update, divided by the positions that were new to it. Far above ten the network overfits, below one positions are wasted.",
			Queries:     []Query{show(`tengen_sample_reuse_ratio{RUN}`, "")}},
		{Title: "Positions in and out", Unit: "suffix: positions/s",
			Description: "Positions that enter the replay window, and samples that training draws from it.",
			Queries: []Query{
				show(`rate(tengen_replay_positions_added_total{RUN}[RATE])`, "new"),
				show(`rate(tengen_samples_total{RUN}[RATE])`, "samples"),
			}},
		{Title: "The trainer waits", Unit: "percentunit",
			Description: "Share of the last hour in which the trainer waited for games to be played, and for batches to be encoded.",
			Queries: []Query{
				show(`rate(tengen_trainer_wait_seconds_total{RUN}[1h])`, "{{for}}"),
			}},
		{Title: "Self-play waits", Unit: "percentunit",
			Description: "Share of the last hour in which no game could begin, because the games to come need a network that is not learned yet. 0 in a synchronous cycle, where it plays or learns.",
			Queries:     []Query{show(`rate(tengen_selfplay_wait_seconds_total{RUN}[1h])`, "")}},
		{Title: "Lag of the playing network", Unit: "suffix: steps",
			Description: "Training steps between the networks that played the games learned last and the newest one. 0 in a synchronous cycle.",
			Queries:     []Query{show(`tengen_network_lag_steps{RUN}`, "")}},
		{Title: "Checkpoints", Unit: "s",
			Description: "Time since this process completed a checkpoint; none before the first.",
			Queries: []Query{
				show(`time() - (tengen_checkpoint_timestamp_seconds{RUN} > 0)`, ""),
			}},
		{Title: "Time to write a checkpoint", Unit: "s",
			Description: "Mean over the last hour.",
			Queries: []Query{show(`sum by (run) (rate(tengen_checkpoint_duration_seconds_sum{RUN}[1h]))
  / sum by (run) (rate(tengen_checkpoint_duration_seconds_count{RUN}[1h]))`, "")}},
		{Title: "Disk problems", Unit: "short",
			Description: "Failed writes in the last hour, whether the run waits for space, and whether it makes no progress at all.",
			Queries: []Query{
				show(`increase(tengen_write_failures_total{RUN}[1h])`, "failures"),
				show(`tengen_waiting_for_disk{RUN}`, "waits"),
				show(`tengen_stalled{RUN}`, "no progress"),
			}},
	}}
}

func system() Row {
	return Row{"System", []Panel{
		{Title: "Processor", Unit: "suffix: cores",
			Description: "Cores in use by the process.",
			Queries:     []Query{show(`rate(process_cpu_seconds_total{RUN}[RATE])`, "")}},
		{Title: "Memory", Unit: "bytes",
			Description: "Resident memory of the process, and the Go heap in use.",
			Queries: []Query{
				show(`process_resident_memory_bytes{RUN}`, "resident"),
				dashed(`go_memstats_heap_inuse_bytes{RUN}`, "heap"),
			}},
		{Title: "Garbage collection", Unit: "percentunit",
			Description: "Share of time in which the garbage collector pauses the program.",
			Queries:     []Query{show(`rate(go_gc_duration_seconds_sum{RUN}[RATE])`, "")}},
		{Title: "Collections", Unit: "suffix: /s",
			Description: "Garbage collections a second.",
			Queries:     []Query{show(`rate(go_gc_duration_seconds_count{RUN}[RATE])`, "")}},
		{Title: "Disk", Unit: "percentunit",
			Description: "Share of the disk of the run's folder that is free.",
			Queries: []Query{
				show(`tengen_disk_free_bytes{RUN} / tengen_disk_size_bytes{RUN}`, ""),
			}},
		{Title: "Open files", Unit: "short",
			Description: "Open files and sockets; dashed: the limit.",
			Queries: []Query{
				show(`process_open_fds{RUN}`, ""),
				dashed(`process_max_fds{RUN}`, "limit"),
			}, Log: true},
		{Title: "Devices", Unit: "percentunit",
			Description: "Share of the time in which each device computes, and (dashed) share of its memory in use; empty without a device.",
			Queries: []Query{
				show(`tengen_gpu_utilization_ratio{RUN}`, "{{device}}"),
				dashed(`tengen_gpu_memory_used_bytes{RUN} / tengen_gpu_memory_total_bytes{RUN}`,
					"{{device}}, memory"),
			}},
		{Title: "Power of devices", Unit: "suffix: W",
			Description: "Power draw of each device; close to its limit, its clock rate falls.",
			Queries:     []Query{show(`tengen_gpu_power_watts{RUN}`, "{{device}}")}},
		{Title: "Temperature of devices", Unit: "suffix: °C",
			Description: "Of each device.",
			Queries:     []Query{show(`tengen_gpu_temperature_celsius{RUN}`, "{{device}}")}},
		{Title: "Lost devices", Unit: "short",
			Description: "1 while a device is lost and the others do its work; dashed: how often it was lost.",
			Queries: []Query{
				show(`tengen_gpu_lost{RUN}`, "{{device}}"),
				dashed(`tengen_gpu_losses_total{RUN}`, "{{device}}, losses"),
			}},
		{Title: "Goroutines", Unit: "short",
			Description: "Goroutines of the process.",
			Queries:     []Query{show(`go_goroutines{RUN}`, "")}},
		{Title: "Duration of stages", Unit: "s",
			Description: "Mean duration of each stage over the last hour.",
			Queries: []Query{show(`sum by (run, stage) (rate(tengen_stage_duration_seconds_sum{RUN}[1h]))
  / sum by (run, stage) (rate(tengen_stage_duration_seconds_count{RUN}[1h]))`, "{{stage}}")}},
		{Title: "Runs", Unit: "none", Kind: Label,
			Description: "Game and algorithm of each run.",
			Queries:     []Query{show(`tengen_run_info{RUN}`, "{{game}} {{algorithm}}")}},
		{Title: "Builds", Unit: "none", Kind: Label,
			Description: "Version of each run's program.",
			Queries: []Query{
				show(`tengen_build_info{RUN}`, "{{version}} {{revision}} {{goversion}}"),
			}},
	}}
}

// cluster shows workers on other machines.
func cluster() Row {
	return Row{"Cluster", []Panel{
		{Title: "Workers", Unit: "short",
			Description: "Workers on other machines (tengen train --share), by state; and 1 while the broker takes no games for them.",
			Queries: []Query{
				show(`tengen_cluster_workers{RUN}`, "{{state}}"),
				show(`tengen_cluster_stalled{RUN}`, "stalled"),
			}},
		{Title: "Their evaluations", Unit: "suffix: positions/s",
			Description: "Positions that workers on other machines evaluate, as they say.",
			Queries:     []Query{show(`tengen_cluster_evaluations_per_second{RUN}`, "")}},
		{Title: "Their games", Unit: "suffix: games/s",
			Description: "Games of workers that counted, games that others had finished before, and games of evaluations.",
			Queries: []Query{
				show(`rate(tengen_cluster_games_total{RUN}[RATE])`, "counted"),
				show(`rate(tengen_cluster_late_games_total{RUN}[RATE])`, "late"),
				show(`rate(tengen_cluster_match_games_total{RUN}[RATE])`, "evaluations"),
			}},
		{Title: "Games given out", Unit: "short",
			Description: "Games that workers have and that are not finished, and finished ones that came before this process gave them out.",
			Queries: []Query{
				show(`tengen_cluster_games_given{RUN}`, "given out"),
				show(`tengen_cluster_games_early{RUN}`, "early"),
			}},
		{Title: "Queues", Unit: "short",
			Description: "Messages that wait in the broker: blocks of work that workers have or may take, and batches of games that the trainer has not acknowledged.",
			Queries:     []Query{show(`tengen_cluster_queue_messages{RUN}`, "{{stream}}")}},
		{Title: "Bytes in queues", Unit: "bytes",
			Description: "What the broker holds. With 256 MiB of games workers wait.",
			Queries:     []Query{show(`tengen_cluster_queue_bytes{RUN}`, "{{stream}}")}},
		{Title: "Given again", Unit: "short",
			Description: "In the last hour: blocks of work that were given out a second time, and batches of games that were delivered again.",
			Queries: []Query{
				show(`increase(tengen_cluster_blocks_again_total{RUN}[1h])`, "blocks"),
				show(`increase(tengen_cluster_redelivered_total{RUN}[1h])`, "batches"),
			}},
		{Title: "Refused", Unit: "short",
			Description: "Workers and batches of games that were refused in the last hour, by reason.",
			Queries: []Query{
				show(`increase(tengen_cluster_refused_total{RUN}[1h])`, "{{reason}}"),
			}},
	}}
}
