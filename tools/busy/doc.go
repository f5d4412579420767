// Busy trains with a modelled device (package nn/backend/modelled), which computes nothing and
// takes the time that an H100 would, and tells how busy each cycle keeps it.
//
//	go run ./tools/busy                              # the preset paper-alphazero, five minutes a cycle
//	go run ./tools/busy --minutes 1 --slower 8       # as beside 8 times as many cores
//	go run ./tools/busy --cycle asynchronous --set selfplay.workers=2 --set search.leaves=4
//
// It plays, records, writes and trains as `tengen train` does, in a temporary folder, without
// evaluations, and stops when the time is over. The start counts, when all games are at their first
// position.
//
// The cores' own work, above all the trees, limits what a device is given. --slower 8 makes the
// device 8 times slower in all that it does: the games in flight, the batches and what they leave
// idle are those of the whole device, and two cores stand for sixteen.
//
// It prints, of each cycle, the share of the time in which the device computed something (busy, as
// nvidia-smi tells it), the share of what it could have computed (work), the evaluations a second,
// and what the processor did meanwhile: the share of the cores' time that this process had, and the
// time of a core for each evaluation. Where the cores are at their end and the device is not, the
// trees limit.
//
// --block 10 and --calls 10us add what small batches cost: blocks of threads that are not full, and
// the driver's calls. --pack=false leaves out the packs in which a device evaluates small batches
// that would wait for each other.
//
// The exit status is 1 if the device of an asynchronous cycle was busy for less than --least.
package main
