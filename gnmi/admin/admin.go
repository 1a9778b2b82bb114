// Package admin is the service xon.admin.v1: what a change would do, what was done
// and why, what the chip was asked, and a hand on plans that run or are held. The
// service is described in admin.proto.
//
// What a Set means and who may do it is gnmi/server's to say, by way of Gate; what is
// known of the agent is behind Backend.
package admin

//go:generate go run -C ../../hack/tools ./protogen gnmi/admin/admin.proto

import (
	"context"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"

	"xon/schema/configdb"
	"xon/schema/statedb"
)

// Backend is the agent, as far as its administration goes. Errors keep their gRPC
// status if they have one. Messages that it returns are the caller's.
type Backend interface {
	// Plan tells what a transaction would do, without a reason to refuse it being an
	// error.
	Plan(ctx context.Context, ops []configdb.Op, disruptive bool) (Plan, error)
	// Records are the last changes, the newest last.
	Records() []*Record
	// Fates are what became of all rows.
	Fates() map[configdb.RowKey]statedb.Fate
	// Calls are the last calls to the chip, the newest last.
	Calls() []*Call
	// Confirm lets the held plan of that id go on and returns the revision that it
	// made.
	Confirm(ctx context.Context, id uint64, who string, disruptive bool) (revision uint64, err error)
	// Abort ends the plan that runs; false if none does.
	Abort(who string) bool
	// Status is what the agent is at. The counts of fates are filled in from Fates.
	Status() *StatusResponse
	// RestartBuffers has the buffer manager begin anew.
	RestartBuffers(ctx context.Context, who string) (*RestartBuffersResponse, error)
	// ExplainHeadroom tells how the headroom of a port comes about.
	ExplainHeadroom(ctx context.Context, req *ExplainHeadroomRequest) (*ExplainHeadroomResponse, error)
}

// Plan is what a transaction would do.
type Plan struct {
	Steps    []*Step
	Faults   configdb.Faults
	Warnings []string
	Guard    string // why it would be held; "" if it would not
	Behind   uint64 // the held plan that has to go first; 0 if none has
	Rows     configdb.RowCount
}

// Gate is what gnmi/server knows of a call.
type Gate interface {
	// Operations says what a Set would do, to those who may read what it names.
	Operations(ctx context.Context, req *gpb.SetRequest) ([]configdb.Op, error)
	// MayRead and MayWrite refuse a call of an RPC of this service.
	MayRead(ctx context.Context, rpc string) error
	MayWrite(ctx context.Context, rpc string) error
	// Who says who calls.
	Who(ctx context.Context) string
	// Refusal is the status of an error of a transaction.
	Refusal(ctx context.Context, err error) error
}

// DefaultLimit is how many records or calls an answer has at most if the request does
// not say.
const DefaultLimit = 100

// Service implements AdminServer.
type Service struct {
	UnimplementedAdminServer

	backend Backend
	gate    Gate
}

// New makes a Service.
func New(b Backend, g Gate) *Service { return &Service{backend: b, gate: g} }

// Register adds the service to those of a gRPC server.
func (s *Service) Register(r grpc.ServiceRegistrar) { RegisterAdminServer(r, s) }
