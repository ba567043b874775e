#!/usr/bin/env bash
# Formatting, vet, and tests. For bindings/test.py, which says where the library is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
command -v go >/dev/null || { echo "Go is not installed: apt-get install golang-go"; exit 77; }
wanted=$(sed -n 's/^go //p' go.mod)
found=$(go env GOVERSION | sed 's/^go//')
if [ "$(printf '%s\n' "$wanted" "$found" | sort -V | head -1)" != "$wanted" ]; then
    echo "Go $found is older than $wanted: put a newer one, such as $(. /etc/os-release && echo "$VERSION_CODENAME")-backports has, first on PATH"
    exit 77
fi
[ -z "$(gofmt -l .)" ] || { echo "gofmt would change: $(gofmt -l .)"; exit 1; }
go vet ./...
status=0
found=$(go test -count=1 -v ./... 2>&1) || status=1
grep -E -A20 -- '--- FAIL|^panic|^# ' <<<"$found" || true
echo "$(grep -c -- '--- PASS' <<<"$found") passed, $(grep -c -- '--- FAIL' <<<"$found") failed"
exit $status
