// Package tfevents writes and reads TensorBoard event files of scalars:
//
//	w := tfevents.NewWriter(file)
//	err := w.Begin(began)
//	err = w.Scalars(time, step, []tfevents.Scalar{{Tag: "losses/value", Value: 0.6}})
//	err = tfevents.Read(file, func(e tfevents.Event) { … })
//
// A file is a sequence of records (TFRecord: a length and a payload, each with a
// masked CRC-32C) whose payloads are protocol buffers of type tensorflow.Event;
// see tensorflow/core/lib/io/record_writer.h and tensorflow/core/util/event.proto.
// TensorBoard reads every file in a run's folder whose name contains "tfevents".
//
// Caveats: a Writer does not buffer, and must be used by one goroutine. The format
// stores values as FP32.
package tfevents
