// npm run build: compiles vendor/mx2onnx.c, which bindings/vendor.py puts there, for this machine. It needs a C compiler,
// pkg-config, jansson and libzip.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, 'vendor', 'mx2onnx.c');
const folder = join(here, 'native', `${process.platform}-${process.arch}`);
const file = join(folder, process.platform === 'darwin' ? 'libmx2onnx.dylib' : 'libmx2onnx.so.0');

if (!existsSync(source)) {
  console.error(`${source} is missing: python3 bindings/vendor.py BUILD makes it in the repository of libmx2onnx`);
  process.exit(1);
}
const found = execFileSync('pkg-config', ['--cflags', '--libs', 'jansson', 'libzip'], { encoding: 'utf8' }).trim().split(/\s+/);
mkdirSync(folder, { recursive: true });
const flags = ['-std=c11', '-O2', '-DNDEBUG', '-fPIC', '-shared', '-fvisibility=hidden'];
// What a distribution builds with comes last.
const given = ['CPPFLAGS', 'CFLAGS', 'LDFLAGS'].flatMap((name) => (process.env[name] ?? '').split(/\s+/).filter(Boolean));
execFileSync(process.env.CC ?? 'cc', [...flags, ...given, source, '-o', file, ...found, '-lm'], { stdio: 'inherit' });
console.log(file);
