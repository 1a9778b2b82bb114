// Command protogen writes the Go code of a protobuf file: go run -C hack/tools
// ./protogen DIR/NAME.proto makes DIR/zNAME.pb.go and DIR/zNAME_grpc.pb.go, names
// counted from the top of the tree. It compiles the file itself and so needs no
// protoc; the plugins are those of this module.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/protoutil"
	_ "github.com/openconfig/gnmi/proto/gnmi" // to be imported by our files
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// top is the top of the tree, seen from this module, where go run -C is.
const top = "../.."

var plugins = []string{
	"google.golang.org/protobuf/cmd/protoc-gen-go",
	"google.golang.org/grpc/cmd/protoc-gen-go-grpc",
}

func main() {
	if err := generate(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

func generate(ctx context.Context, files []string) error {
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(protocompile.CompositeResolver{
			&protocompile.SourceResolver{ImportPaths: []string{top}},
			protocompile.ResolverFunc(linked),
		}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	compiled, err := compiler.Compile(ctx, files...)
	if err != nil {
		return err
	}
	req, err := proto.Marshal(request(compiled))
	if err != nil {
		return err
	}
	for _, p := range plugins {
		if err := run(ctx, p, req); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return nil
}

// linked finds files whose Go code is part of this program.
func linked(path string) (protocompile.SearchResult, error) {
	d, err := protoregistry.GlobalFiles.FindFileByPath(path)
	return protocompile.SearchResult{Desc: d}, err
}

func request(files linker.Files) *pluginpb.CodeGeneratorRequest {
	req := &pluginpb.CodeGeneratorRequest{Parameter: proto.String("paths=source_relative")}
	seen := map[string]bool{}
	for _, f := range files {
		req.FileToGenerate = append(req.FileToGenerate, f.Path())
		req.ProtoFile = withImports(req.ProtoFile, f, seen)
	}
	return req
}

// withImports adds a file behind all that it imports.
func withImports(all []*descriptorpb.FileDescriptorProto, f protoreflect.FileDescriptor, seen map[string]bool) []*descriptorpb.FileDescriptorProto {
	if seen[f.Path()] {
		return all
	}
	seen[f.Path()] = true
	for i := range f.Imports().Len() {
		all = withImports(all, f.Imports().Get(i).FileDescriptor, seen)
	}
	return append(all, protoutil.ProtoFromFileDescriptor(f))
}

// run has a plugin write its files.
func run(ctx context.Context, plugin string, req []byte) error {
	cmd := exec.CommandContext(ctx, "go", "tool", plugin)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(req), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	var resp pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &resp); err != nil {
		return err
	}
	if resp.Error != nil {
		return fmt.Errorf("%s", resp.GetError())
	}
	for _, f := range resp.GetFile() {
		dir, name := filepath.Split(f.GetName())
		if err := os.WriteFile(filepath.Join(top, dir, "z"+name), []byte(f.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
