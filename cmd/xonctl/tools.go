package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"xon/gnmi/client"
	"xon/schema/redisdb"
)

func (a *app) toolsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "tools",
		Short: "print the file by which SONiC's tools find the agent's databases",
		Long: `tools prints a database_config.json for the Redis that the agent uses. SONiC's tools
look for it in /var/run/redis/sonic-db. Many of them connect by TCP and not by the unix
socket: a private Redis listens there if xond is started with --redis-port 6379.`,
		Example: `  mkdir -p /var/run/redis/sonic-db
  xonctl config tools > /var/run/redis/sonic-db/database_config.json`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
				s, err := a.status(ctx, cl)
				if err != nil {
					return err
				}
				return printTools(c.OutOrStdout(), s.agent)
			})
		},
	}
}

// sonicPort is where SONiC's Redis listens, and its tools look for it.
const sonicPort = 6379

// printTools prints the file for the agent that says where its database is.
func printTools(w io.Writer, agent map[string]string) error {
	host, port, socket := "127.0.0.1", sonicPort, "/var/run/redis/redis.sock"
	addr := agent["database"]
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		socket = path
		if n, err := strconv.Atoi(agent["database_port"]); err == nil {
			port = n
		}
	} else {
		h, p, err := net.SplitHostPort(addr)
		n, err2 := strconv.Atoi(p)
		if err = cmp.Or(err, err2); err != nil {
			return fmt.Errorf("the agent says that its database is at %q: %w", addr, err)
		}
		host, port = h, n
	}
	type database struct {
		ID        int    `json:"id"`
		Separator string `json:"separator"`
		Instance  string `json:"instance"`
	}
	databases := map[string]database{"PFC_WD_DB": {int(redisdb.FlexCounterDB), redisdb.FlexCounterDB.Separator(), "redis"}}
	for _, id := range redisdb.IDs() {
		databases[id.String()] = database{int(id), id.Separator(), "redis"}
	}
	return indent(w, map[string]any{
		"INSTANCES": map[string]any{"redis": map[string]any{"hostname": host, "port": port, "unix_socket_path": socket, "persistence_for_warm_boot": "yes"}},
		"DATABASES": databases,
		"VERSION":   "1.0",
	})
}
