#!/usr/bin/env bash
# Formatting, vet, and tests. For bindings/test.py, which says where the library is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
command -v go >/dev/null || { echo "no go"; exit 77; }
[ -z "$(gofmt -l .)" ] || { echo "gofmt would change: $(gofmt -l .)"; exit 1; }
go vet ./...
status=0
found=$(go test -count=1 -v ./... 2>&1) || status=1
grep -E -A20 -- '--- FAIL|^panic|^# ' <<<"$found" || true
echo "$(grep -c -- '--- PASS' <<<"$found") passed, $(grep -c -- '--- FAIL' <<<"$found") failed"
exit $status
