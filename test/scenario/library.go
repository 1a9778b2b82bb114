// Package scenario is a library of scenarios: what a lossless network is to stand, and
// what breaks it. xonctl simulate brings them along; the test runs each.
package scenario

import "embed"

// Files are the scenarios.
//
//go:embed *.yaml
var Files embed.FS
