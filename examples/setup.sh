# For examples/quickstart.sh and tests/run.sh: installs packages, builds, makes a virtual environment. Sourced; bash.
# Each step says what it does and does nothing where it is done already.

say() {
    printf '== %s\n' "$*"
}

give_up() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        give_up "this needs root or sudo: $*"
    fi
}

# Debian packages that are not there yet, by apt-get.
install_packages() {
    local missing=() package
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "No apt-get here: these must be installed (names of Debian): $*"
        return
    fi
    for package in "$@"; do
        if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            missing+=("$package")
        fi
    done
    if [ ${#missing[@]} -gt 0 ]; then
        say "Installing ${missing[*]}"
        as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q </dev/null
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null
    fi
}

# What building needs. From dpkg-dev meson knows in which folder libraries are installed; without it, meson takes lib64, which no program searches.
BUILD_PACKAGES="gcc libc6-dev dpkg-dev meson ninja-build pkg-config libarchive-dev libjansson-dev libzip-dev libnanopb-dev nanopb
    uthash-dev python3 python3-venv ca-certificates"

# build FOLDER OPTION...: makes it or brings it up to date, also with packages that came since.
build() {
    local folder=$1 again=()
    shift
    if [ -e "$folder/build.ninja" ]; then
        again=(--reconfigure)
    fi
    say "Configuring $folder"
    meson setup "${again[@]}" "$@" "$folder" </dev/null
    say "Building in $folder"
    meson compile -C "$folder" </dev/null
}

# make_venv FOLDER REQUIREMENTS-FILE...: a virtual environment with what the files list. False if it cannot be.
make_venv() {
    local folder=$1 file arguments=()
    shift
    for file in "$@"; do
        arguments+=(-r "$file")
    done
    if [ -x "$folder/bin/python" ] && cat "$@" | cmp -s - "$folder/requirements.txt"; then
        return 0
    fi
    say "Making the virtual environment $folder with $*"
    rm -rf "$folder"
    python3 -m venv "$folder" </dev/null || return 1
    "$folder/bin/python" -m pip install -q --disable-pip-version-check "${arguments[@]}" </dev/null || return 1
    cat "$@" >"$folder/requirements.txt"
}
