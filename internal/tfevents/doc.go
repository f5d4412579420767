// Package tfevents writes event files of TensorBoard that hold scalars:
//
//	w := tfevents.NewWriter(file)
//	err := w.Begin(began)
//	err = w.Scalars(time, step, []tfevents.Scalar{{Tag: "losses/value", Value: 0.6}})
//
// A file is a sequence of records (TFRecord: a length and a payload, each with a
// masked CRC-32C) whose payloads are protocol buffers of type tensorflow.Event;
// see tensorflow/core/lib/io/record_writer.h and tensorflow/core/util/event.proto.
// TensorBoard takes every file in a run's folder whose name holds "tfevents".
//
// Caveats: a Writer writes through, and is used by one goroutine. Values are
// FP32, as in the format.
package tfevents
