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

//go:embed demo_traffic.yaml
var demoTraffic []byte

//go:embed demo_lookup.ini
var demoLookup []byte

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
		lookup := filepath.Join(dir, "pg_profile_lookup.ini")
		if err := errors.Join(os.WriteFile(o.Config, demoConfig, 0o644), os.WriteFile(lookup, demoLookup, 0o644)); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	if o.Traffic == "" {
		o.Traffic = filepath.Join(dir, "traffic.yaml")
		if err := os.WriteFile(o.Traffic, demoTraffic, 0o644); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	log := o.logger(errout)
	return serve(ctx, o, log, func() { fmt.Fprint(out, o.tryNext()) })
}

const tryNext = `
xond runs: its own database, a virtual chip with traffic, a demo configuration. Ctrl-C ends all of it.
Try, in another terminal:

  export XON_ADDR=unix:{gnmi}
  {xonctl} status
  {xonctl} show buffers
  {xonctl} show queues --port Ethernet0
  {xonctl} show counters --nonzero
  {xonctl} show pfc                                                      # Ethernet36 to 48 send more than Ethernet52 takes, and are stopped
  {xonctl} set 'BUFFER_PROFILE|egress_lossy' dynamic_th=2
  {xonctl} set 'CABLE_LENGTH|AZURE' Ethernet0=300m                       # more headroom: see BUFFER_PG|Ethernet0|3-4 and show buffers
  {xonctl} explain headroom Ethernet0 --cable 40m                        # where the number comes from; would it fit?
  {xonctl} set 'PORT|Ethernet0' speed=30000                              # refused, with the reason
  {xonctl} set 'PORT|Ethernet0' mtu=1500                                 # changes that port in the chip
  {xonctl} watch 'COUNTERS_DB/COUNTERS/Ethernet0' --sample 1s

  redis-cli -s {redis} -n 4 hgetall 'BUFFER_PROFILE|egress_lossy'        # the configuration
  redis-cli -s {redis} -n 1 keys '*BUFFER_PROFILE*'                      # what the chip has
{web}{tcp}
`

const tryWeb = `
  curl --unix-socket {websock} http://xon/healthz
  curl --unix-socket {websock} http://xon/metrics
`

const tryTCP = `
With other gNMI clients (make tools builds these two):

  {tools}gnmi_cli -address {addr} {cli} -target xon -query_type once -query 'CONFIG_DB/PORT/Ethernet0'
  {tools}gnmi_cli -address {addr} {cli} -target xon -query_type streaming -display_type single \
      -query 'COUNTERS_DB/COUNTERS/Ethernet0/SAI_PORT_STAT_IF_OUT_OCTETS'
  {tools}grpcurl {curl} {addr} list
  {tools}grpcurl {curl} -d '{"path":[{"origin":"sonic-db","elem":[{"name":"CONFIG_DB"},{"name":"BUFFER_POOL"}]}],"encoding":"JSON_IETF"}' \
      {addr} gnmi.gNMI/Get
  {tools}grpcurl -plaintext -unix {gnmi} list
`

func (o *options) tryNext() string {
	xonctl, tools := "xonctl", ""
	if self, err := os.Executable(); err == nil {
		xonctl = filepath.Join(filepath.Dir(self), "xonctl")
		tools = filepath.Join(filepath.Dir(self), "tools") + string(filepath.Separator)
	}
	tcp := ""
	if o.GNMI != "" {
		tcp = tryTCP
	}
	cli, curl := "-ca_crt "+o.caFile(), "-cacert "+o.caFile()
	if o.Insecure {
		cli, curl = "-insecure", "-plaintext"
	}
	text := strings.NewReplacer("{web}", tryWeb, "{tcp}", tcp).Replace(tryNext)
	return strings.NewReplacer("{gnmi}", o.gnmiSocket(), "{redis}", filepath.Join(o.redisDir(), "redis.sock"), "{websock}", o.webSocket(),
		"{xonctl}", xonctl, "{tools}", tools, "{addr}", o.GNMI, "{cli}", cli, "{curl}", curl).Replace(text)
}

// caFile is what clients check xond's certificate by.
func (o *options) caFile() string {
	if o.Cert != "" {
		return o.Cert
	}
	return filepath.Join(o.Dir, "gnmi-cert.pem")
}
