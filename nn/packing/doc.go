// Package packing evaluates small batches of several goroutines as one launch where they would wait
// for the device anyway.
//
// A [Queue] belongs to a network on a device. A batch of few rows is launched at once, alone and in
// its own memory, if nobody is in the driver's calls and the device has room. Otherwise its rows
// are copied into a pack, and whoever is done with a launch, or finds that the device has room
// again, launches the pack. Nothing waits for batches that may come: there are no timers, and a
// pack holds only what had to wait.
//
//	q := &packing.Queue{Rows: 512, Small: 128, Block: 10, Most: 2640, NewPack: newPack}
//	q.Start(b, n) // b is a Batch that embeds packing.State
//	err := q.Wait(b)
//
// Rows have the same results alone and in a pack, since those of a row depend on it and on the
// weights only. That is the device's part: package nn/cuda keeps it, and its tests compare bits.
package packing
