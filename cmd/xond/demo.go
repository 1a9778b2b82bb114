package main

import (
	"context"
	_ "embed" // for the demo configuration
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

//go:embed demo.json
var demoConfig []byte

// demo runs xond in a directory of its own, which goes when it ends, and says what
// to try.
func demo(ctx context.Context, o *options, out, errout io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "xon-demo-")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o.Dir, o.StopChip = dir, true
	if o.Config == "" {
		o.Config = filepath.Join(dir, "demo.json")
		if err := os.WriteFile(o.Config, demoConfig, 0o644); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	log := o.logger(errout)
	return serve(ctx, o, log, func() { fmt.Fprint(out, o.tryNext()) })
}

const tryNext = `
xond runs: its own database, a virtual chip, a demo configuration. Ctrl-C ends all of it.
Try, in another terminal:

  export XON_ADDR=unix:{gnmi}
  {xonctl} status
  {xonctl} show buffers
  {xonctl} show queues --port Ethernet0
  {xonctl} set 'BUFFER_PROFILE|egress_lossy' dynamic_th=2
  {xonctl} set 'BUFFER_POOL|ingress_lossless_pool' size=99999999999     # refused, with the reason
  {xonctl} watch 'COUNTERS_DB/COUNTERS/Ethernet0' --sample 1s

  redis-cli -s {redis} -n 4 hgetall 'BUFFER_PROFILE|egress_lossy'        # the configuration
  redis-cli -s {redis} -n 1 keys '*BUFFER_PROFILE*'                      # what the chip has
{tcp}
`

func (o *options) tryNext() string {
	xonctl := "xonctl"
	if self, err := os.Executable(); err == nil {
		xonctl = filepath.Join(filepath.Dir(self), "xonctl")
	}
	tcp := ""
	if o.GNMI != "" {
		tcp = "  any gNMI client: " + o.GNMI + ", TLS with a self-made certificate, origin sonic-db\n"
	}
	return strings.NewReplacer("{gnmi}", o.gnmiSocket(), "{redis}", filepath.Join(o.redisDir(), "redis.sock"),
		"{xonctl}", xonctl, "{tcp}", tcp).Replace(tryNext)
}
