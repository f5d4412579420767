// Package training trains networks on CUDA devices.
//
// [NewTrainer] makes a [Trainer], which takes the steps that nn/train's trainer takes on the
// processor. [NewPlan] says which kernels it will run and, by [Plan.Bytes], how much device memory
// it needs.
//
//	t, err := training.NewTrainer([]*cuda.Device{device}, params, config, kernels.TF32)
//	defer t.Close()
//	losses, err := t.Step(batch)
//	params = t.Params()
//
// # How a step runs
//
// A step copies one batch to the device and runs a fixed program of kernels: forward pass, losses,
// backward pass, the decision whether the step is taken, and, if it is, the update of the
// parameters, the running statistics and the average. Then it copies less than a kilobyte back. All
// programs are built when the trainer is made. The first step launches the kernels one by one; then
// they are captured as a graph, which one call of the driver launches.
//
// The host is not needed between two steps on one device: with Start and Wait a step begins, and
// its batch is copied, while the one before is under way. On several devices Start has the batch
// copied, and then waits for the gradients of the step before.
//
// A layer is a product, norm_join and norm_apply forward, and norm_backward, a gradient, a product
// and sum_parts backward, which adds the gradient's parts, and what BatchNorm below needs. The sums
// of all heads are two launches, the optimizer's step with all averages is one. Products of
// convolutions by the tensor cores have a part in BatchNorm: forward they give the moments of their
// results over stretches of positions, backward they pass them through the ReLU below and add up
// what BatchNorm's gradient needs. Beside plain products, norm_moments and norm_gate do.
//
// Of a block's first convolution only the results are kept, not the activations: the second
// convolution makes them of the results while it reads them, or norm_apply for a plain product;
// backward, norm_backward makes them once more.
//
// # Several devices
//
// Of n devices each has the parameters and one of n equal parts of a batch's rows, in order;
// BatchNorm normalises each part by itself. A row has the weight that it has in the whole batch's
// loss, so that the sum of the devices' gradients is the gradient of that loss. A device adds its
// shard of all gradients in the devices' order, and averages the statistics of BatchNorm that lie
// in it; then it copies the sums of the other shards. The norm by which gradients are clipped, the
// decision and the update are computed by each device from the same numbers, and so have the same
// bits; a step that one of them can't take is refused by all. Losses are added by the host in the
// devices' order.
//
// Devices copy from one another's memory, or by way of pinned memory of the host. None waits for
// another: the host waits for the gradients of all, and then for the sums of all, before it has
// them copied. CUDA does not say whether the wait for an event of a device that is lost ever ends,
// and calls that wait for all of a device's work, as those that free memory, would wait with it.
// The host compares the devices' sums. A device that does not answer is named in the log.
//
// # Precision
//
// Parameters, gradients of parameters and the optimizer's state are fp32. Activations and the
// factors of products are in the trainer's precision.
//
// # Checks
//
// Each tiled kernel is compared with a plain one before it is used; a kernel that disagrees is
// replaced by the plain one, and the log says so. Then a step of a few rows is compared with the
// processor's, and one of all rows, which repeats a few, with a step of these: the repeated rows
// and the step taken again have the same bits, the sums are alike. An error is a [*WrongError].
//
// Every thousandth step of a run is taken twice from the same state. If its results, parameters or
// moments have other bits the second time, the device counts as lost: Wait returns a
// driver.LostError that says so.
//
// # Caveats
//
// A trainer is for one goroutine. After a driver.LostError only Err, Steps and Close can be used.
package training
