package grafana

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
