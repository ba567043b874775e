// A registry of npm with the packages of a folder; what it does not have it sends to another one.
//     node registry.mjs FOLDER OTHER         prints its address
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const [folder, other] = process.argv.slice(2);

/** package/package.json of an npm package, a tar. */
function described(data) {
  for (let tar = gunzipSync(data); tar.length >= 512 && tar[0];) {
    const name = tar.toString('utf8', 0, 100).replace(/\0.*$/s, '');
    const size = parseInt(tar.toString('utf8', 124, 136), 8);
    if (name === 'package/package.json') return JSON.parse(tar.toString('utf8', 512, 512 + size));
    tar = tar.subarray(512 + Math.ceil(size / 512) * 512);
  }
  throw new Error('no package.json');
}

const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url.slice(1));
  if (path.startsWith('files/')) return response.end(readFileSync(join(folder, path.slice(6))));
  const found = packages.get(path);
  if (!found) return response.writeHead(307, { location: new URL(request.url.slice(1), other).href }).end();
  response.setHeader('content-type', 'application/json');
  return response.end(JSON.stringify(found));
});
const packages = new Map();
server.listen(0, '127.0.0.1', () => {
  const address = `http://127.0.0.1:${server.address().port}/`;
  for (const file of readdirSync(folder)) {
    const data = readFileSync(join(folder, file));
    const manifest = described(data);
    const integrity = 'sha512-' + createHash('sha512').update(data).digest('base64');
    manifest.dist = { tarball: `${address}files/${file}`, integrity };
    packages.set(manifest.name, { name: manifest.name, 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: manifest } });
  }
  console.log(address);
});
