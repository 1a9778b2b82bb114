package server

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"

	"xon/gnmi/value"
	"xon/schema/configdb"
)

// Domain is the domain of the ErrorInfo that a refused Set carries for each fault.
// Its reason is the kind of fault; its metadata has "row" and, where known, "field",
// "attribute", "status" and "message".
const Domain = "xon"

var faultCodes = map[configdb.FaultKind]codes.Code{
	configdb.Invalid:  codes.InvalidArgument,
	configdb.Missing:  codes.InvalidArgument,
	configdb.InUse:    codes.FailedPrecondition,
	configdb.Limit:    codes.ResourceExhausted,
	configdb.Chip:     codes.Aborted,
	configdb.Conflict: codes.Aborted,
}

// ErrAborted is what a transaction's error matches that somebody ended. Nothing was
// changed, or it was undone.
var ErrAborted = errors.New("aborted on request; what was done is undone")

// Held is the error of a transaction that would remove or reset a lot and that
// nobody confirmed. Nothing was changed.
type Held struct {
	ID  uint64 // by which it can be confirmed; 0 if only by asking anew
	Why string // what it would do, and the limit
}

// Error implements error. It says what to do.
func (h *Held) Error() string {
	how := "look at it with xonctl plan, then ask again with the metadata " + ConfirmKey + ": true (xonctl: --confirm)"
	if h.ID != 0 {
		how = fmt.Sprintf("look at it with xonctl history --plans, then let it go on with xonctl confirm %d", h.ID)
	}
	return fmt.Sprintf("held, nothing was changed: %s; %s", h.Why, how)
}

// ErrorBytesKey is the metadata with which a client says how many bytes of error
// it takes. Without it there are few: gRPC in other languages refuses an answer
// whose trailers are over 8 KB, and would not even show what was wrong.
const ErrorBytesKey = "xon-error-bytes"

const (
	defaultErrorBytes = 2048
	mostErrorBytes    = 1 << 20
)

func errorBytes(ctx context.Context) int {
	md, _ := metadata.FromIncomingContext(ctx)
	if v := md.Get(ErrorBytesKey); len(v) == 1 {
		if n, err := strconv.Atoi(v[0]); err == nil {
			return min(max(n, defaultErrorBytes), mostErrorBytes)
		}
	}
	return defaultErrorBytes
}

// refusal is the status of a transaction that was not carried out. Faults are all
// told in the message and each in an ErrorInfo, as far as there is room. The code
// is that of the first.
func refusal(ctx context.Context, err error) error {
	var faults configdb.Faults
	if !errors.As(err, &faults) || len(faults) == 0 {
		return otherRefusal(ctx, err)
	}
	room := errorBytes(ctx)
	st := status.New(faultCodes[faults[0].Kind], message(faults, room))
	detailed, err := st.WithDetails(details(faults, room)...)
	if err != nil {
		return st.Err()
	}
	return detailed.Err()
}

func otherRefusal(ctx context.Context, err error) error {
	var held *Held
	switch {
	case errors.As(err, &held):
		return status.Error(codes.FailedPrecondition, held.Error())
	case errors.Is(err, ErrAborted):
		return status.Error(codes.Aborted, err.Error())
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	return status.Error(codes.Internal, err.Error())
}

func message(faults configdb.Faults, room int) string {
	lines := []string{"nothing was changed"}
	for i, f := range faults {
		line := f.Error()
		if room -= len(line) + 1; room < 0 && i > 0 {
			lines = append(lines, fmt.Sprintf("and %d faults more", len(faults)-i))
			break
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func details(faults configdb.Faults, room int) []protoadapt.MessageV1 {
	var all []protoadapt.MessageV1
	for _, f := range faults {
		info := &errdetails.ErrorInfo{Domain: Domain, Reason: f.Kind.String(), Metadata: map[string]string{}}
		for name, text := range map[string]string{
			"row": string(f.Row), "field": f.Field, "attribute": f.Attr, "status": f.Status, "message": text(f.Err),
		} {
			if text != "" {
				info.Metadata[name] = strings.ToValidUTF8(text, "\uFFFD")
			}
		}
		if room -= proto.Size(info); room < 0 && len(all) > 0 {
			break
		}
		all = append(all, info)
	}
	return all
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// decodeCode is the code for a value that can't be read.
func decodeCode(err error) codes.Code {
	if errors.Is(err, value.ErrUnsupported) {
		return codes.Unimplemented
	}
	return codes.InvalidArgument
}
