#!/usr/bin/env bash
# Says where nanopb's C files are, which the library as one file holds (lib/amalgamation): in subprojects, where meson fetches
# them, else in FOLDER, from the source package of the system's archive.
#
#     tests/support/nanopb.sh FOLDER
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
fetched=$PWD/subprojects/$(sed -n 's/^directory = //p' subprojects/nanopb.wrap)

from_archive() {
    local options=(-o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$folder/lists")
    cd "$folder"
    mkdir -p lists
    # shellcheck disable=SC2016 # apt's own variables
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) main' 'Created-By: Packages' 'Component: main' \
        | grep " $(. /etc/os-release && echo "$VERSION_CODENAME") main" | sort -u >sources.list
    apt-get "${options[@]}" update -q
    apt-get "${options[@]}" source -q --download-only --tar-only nanopb
    tar -x --strip-components 1 -f nanopb_*.orig.tar.*
}

if [ ! -e "$fetched/pb_encode.c" ] && [ ! -e "$folder/pb_encode.c" ]; then
    echo "== Fetching nanopb's sources" >&2
    meson subprojects download nanopb </dev/null >/dev/null 2>&1 || true
    [ -e "$fetched/pb_encode.c" ] || (from_archive) </dev/null >&2
fi
[ -e "$folder/pb_encode.c" ] || folder=$fetched
echo "$folder"
