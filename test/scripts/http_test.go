package scripts

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// httpGet asks for a page until it has a status and matches: http STATUS RE ADDR PATH,
// where ADDR is host:port or the path of a unix socket.
func httpGet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: http STATUS RE ADDR PATH")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	re := regexp.MustCompile("(?m)" + args[1])
	network := "tcp"
	if strings.HasPrefix(args[2], "/") {
		network = "unix"
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, args[2])
	}}}
	defer client.CloseIdleConnections()
	var code int
	var body string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if code, body, err = fetch(client, args[3]); err == nil && code == want && re.MatchString(body) {
			_, err := fmt.Fprint(ts.Stdout(), body)
			ts.Check(err)
			return
		}
	}
	ts.Fatalf("gave up after %v: %d, %v\n%s", patience, code, err, body)
}

func fetch(client *http.Client, path string) (int, string, error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://xon"+path, nil)
	if err != nil {
		return 0, "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}
