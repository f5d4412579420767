// Package serve runs an HTTP server until a context ends, with time and size limits,
// so that a slow client can't block it.
//
//	listener, err := serve.Listen(ctx, "127.0.0.1:9464")
//	server := serve.Start(ctx, listener, handler)
//	defer server.Close()
//
// The context of every request ends with the server's; a handler that streams need
// only wait for it. A response may take [RequestTimeout]; a handler that streams
// extends its own deadline (http.ResponseController).
//
// Caveat: there is no TLS. Beyond loopback, on a network that is not trusted, use a
// proxy or a tunnel.
package serve
