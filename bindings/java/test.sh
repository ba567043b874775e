#!/bin/sh
# mvn package with the first JDK of 22 or newer, against MX2ONNX_LIBRARY; see ../test.py. Maven fetches its plugins the first time.
cd "$(dirname "$0")" || exit 1
command -v mvn >/dev/null || { echo "Maven is not installed: apt-get install maven"; exit 77; }
for home in ${JAVA_HOME:+"$JAVA_HOME"} /usr/lib/jvm/*; do
  version=$("$home/bin/javac" -version 2>/dev/null | sed 's/javac \([0-9]*\).*/\1/')
  [ "${version:-0}" -ge 22 ] && export JAVA_HOME="$home" && break
  version=
done
[ -n "$version" ] || { echo "no JDK of 22 or newer is in /usr/lib/jvm or JAVA_HOME: Debian 13 has openjdk-25-jdk-headless"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
if ! mvn -q -B -o package >"$out/log" 2>&1 && ! mvn -q -B package >"$out/log" 2>&1; then
  if grep -q 'could not be resolved\|Could not transfer' "$out/log"; then
    echo "Maven cannot fetch its plugins: (cd bindings/java && mvn package)"
    exit 77
  fi
  cat "$out/log"
  echo "0 passed, 1 failed"
  exit 1
fi
sed -n 's/^Tests run: \([0-9]*\), .*/\1/p' target/surefire-reports/*.txt | awk '{n += $1} END {print n " passed, 0 failed"}'
