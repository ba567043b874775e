# in: trixie
# files: npm/*.tgz
# npm install mx2onnx from a registry that has the release's packages; others (koffi) come from npm's own.
apt_install nodejs npm ca-certificates
upstream=$(npm config get registry)
node /with/tests/registry.mjs /with/release/npm "$upstream" >registry.log 2>&1 &
server=$!
trap 'kill $server' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10; do grep -q '^http' registry.log && break; sleep 1; done
export npm_config_registry
npm_config_registry=$(grep '^http' registry.log)
mkdir program
cd program
npm init -y >/dev/null
npm install --no-audit --no-fund mx2onnx
ls node_modules/@mx2onnx/
no grep -v "^linux-x64" <(ls node_modules/@mx2onnx/) # and no other platform's; npm before 10 does not ask which C library there is
cat >main.mjs <<'N'
import { Model } from 'mx2onnx';
const m = await Model.open(process.env.DIGITS);
m.inputShape('data', [1, 1, 8, 8]);
await m.export(process.env.OUT + '/node.onnx');
m.close();
N
node main.mjs
