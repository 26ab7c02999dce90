// Command decode reads Kubernetes manifests on standard input and decodes each into its typed API, strictly: an unknown or
// misspelt field, a wrong type and an unknown kind are errors. It prints one line for each manifest. Tests only.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		apps.AddToScheme, batch.AddToScheme, core.AddToScheme, monitoring.AddToScheme,
		networking.AddToScheme, policy.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
	defer documents.Close()
	buffer := make([]byte, len(text)+1)
	count := 0
	for {
		n, err := documents.Read(buffer)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if isBlank(buffer[:n]) {
			continue
		}
		object, kind, err := decoder.Decode(buffer[:n], nil, nil)
		if err != nil {
			return fmt.Errorf("manifest %d: %w", count+1, err)
		}
		count++
		fmt.Fprintf(out, "%s %T\n", kind, object)
	}
	if count == 0 {
		return errors.New("no manifest")
	}
	return nil
}

// isBlank tells whether a document has comments only.
func isBlank(document []byte) bool {
	for _, line := range bytes.Split(document, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && !bytes.Equal(line, []byte("---")) {
			return false
		}
	}
	return true
}
