# Before each script: a folder to work in, and what they use. bash.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 OUT=/with/out DIGITS=/with/net/digits-symbol.json
mkdir -p "$OUT" /work
cd /work

apt_install() { # PACKAGE...
    apt-get update -q >/dev/null
    # what was fetched is kept for all chroots; one at a time may fetch
    flock /var/cache/apt/archives/one apt-get install -q -y --no-install-recommends "$@" >/tmp/apt.log 2>&1 || { tail -n 20 /tmp/apt.log; return 1; }
}

quietly() { # COMMAND: its output is in the file log, whose end is shown when it fails
    "$@" >log 2>&1 || { tail -n 40 log; return 1; }
}

no() { # COMMAND: it must fail
    if "$@"; then
        echo "this should fail: $*"
        exit 1
    fi
}
