// Package broker has a NATS server with JetStream inside the trainer's process, so that nothing has
// to be installed, and connects to it or to an external one.
package broker
