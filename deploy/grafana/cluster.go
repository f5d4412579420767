package grafana

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
