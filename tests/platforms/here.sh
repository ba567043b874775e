#!/usr/bin/env bash
# Builds on this machine and runs the fast suite: macOS with Homebrew, Windows in a shell of MSYS2, Debian and Ubuntu. For machines that
# run.py does not reach. What the system's packages lack comes from subprojects/*.wrap.
#
#     bash tests/platforms/here.sh [BUILD]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. examples/setup.sh

build=${1:-build-here} options=()
case $(uname -s) in
    Darwin)
        say "Installing with Homebrew"
        brew install meson pkg-config jansson libzip nanopb cmocka libarchive
        PKG_CONFIG_PATH="$(brew --prefix libarchive)/lib/pkgconfig" && export PKG_CONFIG_PATH
        ;;
    MINGW* | UCRT* | MSYS* | CLANG*)
        say "Installing with pacman"
        packages=()
        for name in gcc meson ninja pkgconf jansson libzip cmocka python python-protobuf protobuf; do
            packages+=("${MINGW_PACKAGE_PREFIX:?a shell of MSYS2 for a compiler, such as UCRT64}-$name")
        done
        pacman -S --needed --noconfirm "${packages[@]}"
        options=(-Dtar=disabled)
        ;;
    *)
        # shellcheck disable=SC2086 # a list
        install_packages $BUILD_PACKAGES g++ libcmocka-dev
        ;;
esac
build "$build" --buildtype=debugoptimized ${options[@]+"${options[@]}"}
say "The fast suite"
meson test -C "$build" --suite fast --no-suite bindings --no-rebuild --print-errorlogs --timeout-multiplier 10
