#!/usr/bin/env bash
# Opens the page: makes it (site.sh) and serves it on this machine.
#
#     bash examples/web/serve.sh [PORT]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bash examples/web/site.sh
exec python3 examples/web/serve.py build/web/site "${1:-8000}"
