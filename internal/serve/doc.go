// Package serve runs an HTTP server with limits on everything that a reader may
// hold up, for as long as a context lasts.
//
//	listener, err := serve.Listen(ctx, "127.0.0.1:9464")
//	server := serve.Start(ctx, listener, handler)
//	defer server.Close()
//
// The context of every request ends with the server's, so that a handler that
// streams has to wait for that alone. A response may take [RequestTimeout]; one
// that streams moves its own deadline on (http.ResponseController).
//
// Caveat: there is no TLS. Whoever listens beyond loopback puts a proxy or a
// tunnel before it, where the way between is not trusted.
package serve
