// Package fake has backends that are no devices.
//
// # For tests
//
// [Device] computes what the processor does, concurrently with its callers, and can be lost.
//
//	device := &fake.Device{LostAtStep: 7}
//	plan.Backend = device
//
// # Modelled
//
// [Modelled] computes nothing. It takes the time that a device would, and answers every position
// alike. With it the rest of a run can be measured as it would be beside a fast device, on a
// machine without one: how busy the cycle keeps the device, and what limits it.
//
//	b := fake.NewModelled(fake.H100())
//	plan.Backend = b
//	…
//	u := b.Usage() // since NewModelled or the last Usage
//	fmt.Println(u.Busy, u.Work)
//
// A [Model] has a throughput, and a least time for each batch. The time of a batch is waited for,
// not computed, so that the processor's cores are free for what they would do beside a device:
// searches, the encoding of training batches, records. The time that a driver's calls take is part
// of the model (Calls), and left out by default.
//
// Caveats: a network of this backend knows nothing, and its trainer leaves the weights as they are.
// Times are those of the real clock, and a wait may last up to 0.1 ms longer than it should.
package fake
