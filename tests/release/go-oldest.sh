# in: trixie
# files: go
# What go.sh does, with the oldest Go of go.mod, which Go's own proxy has as a module.
apt_install golang-go ca-certificates
oldest=$(sed -n 's/^go //p' "$(find /with/release/go -name '*.mod')").0
[ "$oldest" = 1.21.0 ]
root=$(GOTOOLCHAIN=go$oldest go env GOROOT)
PATH=$root/bin:$PATH
. /with/tests/go.sh
[ "$(go env GOVERSION)" = "go$oldest" ]
mv "$OUT"/vendored* "$OUT/go-1-21.onnx"
