// Package terminal is the way to a terminal. All that commands write passes an [Output], so that no
// text from elsewhere controls the terminal. The package shows runs and progress on a terminal:
// [Screen] the run of this process below its log, [Viewer] any run on the whole terminal,
// [Progress] one line. Where the output is no terminal, Screen and Progress write lines from time
// to time.
//
//	p := terminal.NewProgress(os.Stderr, "arena", "games")
//	defer p.Close()
//	p.Set(17, 600)
package terminal
