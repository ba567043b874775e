# in: trixie
# files: go
# go get of the module, through a proxy that is a folder.
apt_install golang-go gcc libc6-dev pkg-config libjansson-dev libzip-dev
export GOPROXY=file:///with/release/go GONOSUMDB='*' GONOSUMCHECK=1 GOFLAGS=-mod=mod GOTOOLCHAIN=local
module=$(cd /with/release/go && dirname "$(find . -name @v)" | cut -c3-)
mkdir program
cd program
go mod init example.com/program
go get "$module@latest"
cat >main.go <<G
package main

import (
	"log"
	"os"

	"$module"
)

func main() {
	m, err := mx2onnx.Open(os.Getenv("DIGITS"))
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	if err := m.SetInputShape("data", mx2onnx.Size(1), mx2onnx.Size(1), mx2onnx.Size(8), mx2onnx.Size(8)); err != nil {
		log.Fatal(err)
	}
	if err := m.ExportFile(os.Getenv("OUT") + "/vendored.onnx"); err != nil {
		log.Fatal(err)
	}
}
G
go run -tags mx2onnx_vendored .
