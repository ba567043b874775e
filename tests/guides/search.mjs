// SPDX-License-Identifier: Apache-2.0
// The pages that the site's own search lists first for each line of standard input, as a line of words each: its scripts, without a browser.
//
//     node tests/guides/search.mjs SITE [HOW-MANY] < questions
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';

const [site, count = '3'] = process.argv.slice(2);
const element = { innerText: '', dataset: {}, childElementCount: 0, children: [], appendChild: () => element };
const document = { getElementById: () => null, addEventListener() {}, documentElement: element, createElement: () => element, readyState: 'loading' };
const context = vm.createContext({ document, window: {}, console, localStorage: { getItem() {}, setItem() {} }, URLSearchParams, Set, Map });
context.window = context;
for (const file of ['_static/documentation_options.js', '_static/doctools.js', '_static/sphinx_highlight.js', '_static/language_data.js',
  '_static/searchtools.js', '_static/anywords.js', 'searchindex.js']) {
  vm.runInContext(readFileSync(join(site, file), 'utf8'), context, { filename: file });
}
for (const question of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  context.question = question;
  const found = vm.runInContext('Search._performSearch(...Search._parseQuery(question))', context);
  const pages = [...new Set(found.reverse().map((result) => result[0]))]; // the page takes results from the end
  console.log(pages.slice(0, Number(count)).join(' '));
}
