package server

import (
	"context"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	extpb "github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"xon/gnmi/translate"
	"xon/gnmi/value"
)

// models are what is served. sonic-db is no YANG module but goes by this name and
// version with SONiC's own server.
var models = []*gpb.ModelData{
	{Name: translate.Origin, Organization: "SONiC", Version: "0.1.0"},
}

// Version is the version of gNMI that is served, the one that the protocol's file
// carries.
func Version() string {
	options := gpb.File_github_com_openconfig_gnmi_proto_gnmi_gnmi_proto.Options()
	version, _ := proto.GetExtension(options, gpb.E_GnmiService).(string) // a string by its definition
	return version
}

// Capabilities implements gpb.GNMIServer.
func (s *Server) Capabilities(ctx context.Context, req *gpb.CapabilityRequest) (*gpb.CapabilityResponse, error) {
	if err := checkExtensions(req.GetExtension()); err != nil {
		return nil, err
	}
	if err := s.allow(ctx, &gpb.Path{}, Read); err != nil {
		return nil, err
	}
	return &gpb.CapabilityResponse{
		SupportedModels:    models,
		SupportedEncodings: value.Encodings,
		GNMIVersion:        Version(),
	}, nil
}

// checkModels refuses a restriction to models that are not served.
func checkModels(use []*gpb.ModelData) error {
	for _, m := range use {
		if !slices.ContainsFunc(models, func(o *gpb.ModelData) bool { return o.GetName() == m.GetName() }) {
			return status.Errorf(codes.InvalidArgument, "model %q is not served; Capabilities lists those that are", m.GetName())
		}
	}
	return nil
}

// checkExtensions refuses those that would change what a call does. Registered
// ones that nobody here knows change nothing and are passed by.
func checkExtensions(exts []*extpb.Extension) error {
	for _, e := range exts {
		name := ""
		switch e.GetExt().(type) {
		case *extpb.Extension_MasterArbitration:
			name = "master arbitration"
		case *extpb.Extension_History:
			name = "history"
		case *extpb.Extension_Commit:
			name = "commit confirmed"
		case *extpb.Extension_Depth:
			name = "depth"
		case *extpb.Extension_ConfigSubscription:
			name = "config subscription"
		}
		if name != "" {
			return status.Errorf(codes.Unimplemented, "extension %q is not served", name)
		}
	}
	return nil
}
