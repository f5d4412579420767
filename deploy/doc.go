// Package deploy watches runs with other people's programs: Prometheus, which
// collects their metrics and raises alerts (folder prometheus), Grafana, which draws
// them (folder grafana), and a compose file that starts both beside a trainer.
// README.md says how to use them.
//
// The package itself has tests alone: promtool checks the rules, each alert is
// shown firing and silent, and Prometheus, watching a real run, is asked every
// expression of the dashboard and the alerts. Without these programs, which
// Debian's package prometheus has, such tests are skipped.
package deploy
