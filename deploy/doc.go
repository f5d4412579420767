// Package deploy has the configuration for monitoring runs: Prometheus, which collects
// their metrics and evaluates alerts (folder prometheus), Grafana, which draws them (folder
// grafana), and a compose file that starts both with a trainer. See README.md.
//
// The package has only tests: promtool checks the rules and that each alert fires and
// stays silent when it should, and Prometheus, scraping a real run, evaluates every
// expression of the dashboard and the alerts. These tests are skipped without the programs
// of Debian's package prometheus.
package deploy
