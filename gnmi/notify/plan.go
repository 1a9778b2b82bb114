package notify

import (
	"fmt"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/gnmi/translate"
	"xon/gnmi/value"
)

// Limits are the times of sampling.
type Limits struct {
	// Floor is the shortest sample or heartbeat interval that is accepted.
	Floor time.Duration
	// Sample is the interval for those who leave the choice to the target.
	Sample time.Duration
}

// DefaultLimits are a floor of 100 ms and, by default, a sample each second.
var DefaultLimits = Limits{Floor: 100 * time.Millisecond, Sample: time.Second}

// Plan is a SubscriptionList, understood and checked.
type Plan struct {
	Mode        gpb.SubscriptionList_Mode
	encoding    gpb.Encoding
	updatesOnly bool
	subs        []subscription
}

// subscription is one path and how it is served.
type subscription struct {
	query     *translate.Query
	sample    time.Duration // 0: on change
	heartbeat time.Duration // 0: none
	suppress  bool          // samples that are as before
}

// Queries lists what the plan is about.
func (p *Plan) Queries() []*translate.Query {
	all := make([]*translate.Query, len(p.subs))
	for i := range p.subs {
		all[i] = p.subs[i].query
	}
	return all
}

// Parse understands a list. Errors are gRPC statuses.
func Parse(list *gpb.SubscriptionList, lim Limits) (*Plan, error) {
	if err := value.CheckEncoding(list.GetEncoding()); err != nil {
		return nil, status.Error(codes.Unimplemented, err.Error())
	}
	if _, ok := gpb.SubscriptionList_Mode_name[int32(list.GetMode())]; !ok {
		return nil, status.Errorf(codes.InvalidArgument, "subscription list mode %d: there are STREAM, ONCE and POLL", list.GetMode())
	}
	if len(list.GetSubscription()) == 0 {
		return nil, status.Error(codes.InvalidArgument, "a subscription list without subscriptions")
	}
	p := &Plan{Mode: list.GetMode(), encoding: list.GetEncoding(), updatesOnly: list.GetUpdatesOnly()}
	for i, s := range list.GetSubscription() {
		if err := p.add(list, s, lim); err != nil {
			return nil, fmt.Errorf("subscription %d: %w", i+1, err)
		}
	}
	return p, nil
}

func (p *Plan) add(list *gpb.SubscriptionList, s *gpb.Subscription, lim Limits) error {
	queries, err := translate.Parse(list.GetPrefix(), s.GetPath())
	if err != nil {
		return err
	}
	for _, q := range queries {
		sub := subscription{query: q}
		if p.Mode == gpb.SubscriptionList_STREAM {
			if sub, err = stream(q, s, lim); err != nil {
				return err
			}
		}
		p.subs = append(p.subs, sub)
	}
	return nil
}

// stream says how a path is to be streamed. A target that may choose samples
// counters and tells of changes of all else.
func stream(q *translate.Query, s *gpb.Subscription, lim Limits) (subscription, error) {
	sub := subscription{query: q, suppress: s.GetSuppressRedundant()}
	mode := s.GetMode()
	if mode == gpb.SubscriptionMode_TARGET_DEFINED {
		mode = gpb.SubscriptionMode_ON_CHANGE
		if q.Counters() {
			mode = gpb.SubscriptionMode_SAMPLE
		}
	}
	var err error
	switch mode {
	case gpb.SubscriptionMode_ON_CHANGE:
	case gpb.SubscriptionMode_SAMPLE:
		sub.sample = lim.Sample
		if s.GetSampleInterval() != 0 {
			sub.sample, err = interval("sample_interval", s.GetSampleInterval(), lim.Floor)
		}
	default:
		err = status.Errorf(codes.InvalidArgument, "subscription mode %d: there are ON_CHANGE, SAMPLE and TARGET_DEFINED", s.GetMode())
	}
	if err == nil && s.GetHeartbeatInterval() != 0 {
		sub.heartbeat, err = interval("heartbeat_interval", s.GetHeartbeatInterval(), lim.Floor)
	}
	return sub, err
}

// longest bounds intervals: beyond it they would overflow.
const longest = 365 * 24 * time.Hour

func interval(name string, ns uint64, floor time.Duration) (time.Duration, error) {
	if ns > uint64(longest) {
		return 0, status.Errorf(codes.InvalidArgument, "%s of %d ns: at most %v", name, ns, longest)
	}
	if d := time.Duration(ns); d >= floor {
		return d, nil
	}
	return 0, status.Errorf(codes.InvalidArgument, "%s of %v: at least %v", name, time.Duration(ns), floor)
}
