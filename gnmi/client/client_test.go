package client_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"xon/gnmi/client"
)

func TestDialErrors(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]client.Options{
		"want unix:/path or host:port": {Addr: "nowhere"},
		"want unix:/absolute/path":     {Addr: "unix:socket"},
		"no such file":                 {Addr: "localhost:1", CA: "/nonexistent"},
		"holds no certificate":         {Addr: "localhost:1", CA: "client_test.go"},
		"client certificate":           {Addr: "localhost:1", Cert: "client_test.go"},
	} {
		if _, err := client.Dial(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	c, err := client.Dial(client.Options{Addr: "unix:" + t.TempDir() + "/none"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Version(t.Context()); !errors.Is(err, client.ErrUnreachable) {
		t.Error(err)
	}
	if _, err := c.Table(t.Context(), "CONFIG_DB", "PORT"); !errors.Is(err, client.ErrUnreachable) {
		t.Error(err)
	}
}

func TestCode(t *testing.T) {
	t.Parallel()
	for want, err := range map[codes.Code]error{
		codes.OK:       nil,
		codes.NotFound: &client.Error{Code: codes.NotFound},
		codes.Unknown:  errors.New("x"),
	} {
		if got := client.Code(err); got != want {
			t.Errorf("Code(%v) = %v", err, got)
		}
	}
}
