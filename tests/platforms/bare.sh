#!/usr/bin/env bash
# Runs README's commands where nothing is installed: in a chroot of a Debian release, made by debootstrap, with a copy of the last
# commit. Mirror, proxies and certificates are this machine's own. Needs debootstrap and root; mounts end with it.
#
#     bash tests/platforms/bare.sh RELEASE [--tmp memory|disk] [--keep] [first|second|both|page]
#     bash tests/platforms/bare.sh RELEASE with FOLDER
#
# RELEASE is a name such as bookworm or trixie. `first` is examples/quickstart.sh, `second` is tests/run.sh; both is the default; `page` is
# examples/web/site.sh, and says how much disk it took. With
# --tmp memory, /tmp is a tmpfs, as in Debian 13; --keep leaves the chroot. The release's packages are kept in build/bare.
# `with` runs FOLDER/run.sh instead, in a copy of the folder and with no checkout, and brings the copy's folder out back.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. examples/setup.sh

release='' tmp=disk keep='' which=both folder=''
while [ $# -gt 0 ]; do
    case $1 in
        --tmp) tmp=${2:-} && shift ;;
        --keep) keep=yes ;;
        first | second | both | page) which=$1 ;;
        with) which=with folder=$(realpath "${2:-}") && shift ;;
        -*) give_up "'$1' is not an option" ;;
        *) release=$1 ;;
    esac
    shift
done
[ -n "$release" ] || give_up "no release is given, such as trixie"
case $tmp in memory | disk) ;; *) give_up "--tmp is memory or disk, not '$tmp'" ;; esac
[ "$(id -u)" = 0 ] || give_up "this needs root"

# The mounts are in a separate namespace, which ends with the last process in it.
if [ -z "${MX2ONNX_BARE:-}" ]; then
    install_packages debootstrap git util-linux
    export MX2ONNX_BARE=yes
    exec unshare --mount --pid --fork --kill-child "$BASH" tests/platforms/bare.sh "$release" --tmp "$tmp" ${keep:+--keep} "$which" ${folder:+"$folder"}
fi

# The archive that this machine's own packages come from.
mirror() {
    # shellcheck disable=SC2016 # apt's own variables
    apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' 'Component: main' \
        | awk -v release="$(. /etc/os-release && echo "$VERSION_CODENAME")" '$1 == release { print $2; exit }'
}

# What the network of this machine asks of programs: proxies, certificates, pip's settings.
network() {
    env | grep -E -i '^((http|https|ftp|all|no)_proxy|PIP_[A-Z_]*|SSL_CERT_FILE|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS)=' || true
}

copy_settings() { # ROOT
    local file
    mkdir -p "$1/usr/local/share/ca-certificates" "$1/etc/apt/apt.conf.d"
    cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
    for file in /usr/local/share/ca-certificates/*.crt; do
        [ ! -e "$file" ] || cp -L "$file" "$1/usr/local/share/ca-certificates/"
    done
    [ ! -e /etc/pip.conf ] || cp -L /etc/pip.conf "$1/etc/"
    apt-config dump | grep -E -i '^Acquire::(https?::(proxy|verify)|check-|retries)' >"$1/etc/apt/apt.conf.d/99machine" || true
}

archive=build/bare/$release.tar
mkdir -p build/bare
if [ ! -e "$archive" ]; then
    say "A bare $release, by debootstrap from $(mirror)"
    made=$(mktemp -d -p "$PWD/build/bare")
    debootstrap --variant=minbase "$release" "$made" "$(mirror)" </dev/null >"$made.log" 2>&1 || { tail -20 "$made.log"; exit 1; }
    rm -rf "$made"/var/cache/apt/archives/*.deb "$made.log"
    tar -C "$made" -cf "$archive.part" .
    mv "$archive.part" "$archive"
    rm -rf "$made"
fi

root=$(mktemp -d -p "$PWD/build/bare" "$release.XXXXXX")
clean_up() {
    umount -l "$root/dev" "$root/proc" "$root/tmp" "$root/var/cache/apt/archives" 2>/dev/null || true
    [ -n "$keep" ] || rm -rf --one-file-system "$root"
}
trap clean_up EXIT
tar -C "$root" -xf "$archive"
chmod 755 "$root"
copy_settings "$root"
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io" # it need not outlive a loss of power
if [ $which = with ]; then
    cp -r "$folder" "$root/with"
else
    mkdir "$root/checkout"
    git -c "safe.directory=$PWD" archive HEAD | tar -C "$root/checkout" -x
fi
mkdir -p "build/bare/$release.packages/partial" # what apt has fetched, for the next one
mount --bind "build/bare/$release.packages" "$root/var/cache/apt/archives"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev"
mount -t proc proc "$root/proc"
if [ $tmp = memory ]; then
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
fi

mapfile -t settings < <(network)
run() { # COMMAND
    local start=$SECONDS status=0
    say "Bare $release, /tmp in ${tmp/disk/a folder}: bash $1"
    chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${settings[@]}" \
        bash -c "cd /checkout && exec bash $1" </dev/null || status=$?
    say "Bare $release: bash $1 ended with $status after $((SECONDS - start)) s"
    return $status
}
if [ $which = with ]; then
    status=0
    chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${settings[@]}" bash /with/run.sh </dev/null || status=$?
    cp -r "$root/with/out" "$folder/"
    exit $status
fi
case $which in first | both) run examples/quickstart.sh ;; esac
case $which in second | both) run tests/run.sh ;; esac
if [ $which = page ]; then
    before=$(du -smx "$root" | cut -f1)
    run examples/web/site.sh
    say "It took $(($(du -smx "$root" | cut -f1) - before)) MiB of the disk"
    [ -s "$root/checkout/build/web/site/index.html" ] || give_up "the page is not there"
fi
