// SPDX-License-Identifier: Apache-2.0
// Keeps the page's files for the time without a network, by their content: files.py writes what there is, and its sums, into the two
// lines below, so that another version of the page is another service worker. A page and its parts are always of one version.
const FILES = {}; // path: the first digits of its SHA-256
const POLICY = ""; // the page's own, which workers obey as a header alone
const LATER = /^packages\/|^samples\/shapes-/; // fetched, and kept, when they are first used
const KEPT = "mx2onnx-files";

const worker = /** @type {any} */ (self);
const scope = new URL("./", location.href).href;
const keyOf = (path) => `${scope}${path}?${FILES[path]}`;

async function sum(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest.slice(0, 8)].map((b) => b.toString(16).padStart(2, "0")).join("");
}

/** Fetches a file and keeps it; one of another version, which a cache on the way may give, is not taken. */
async function fetchAndKeep(path) {
  const fresh = await fetch(scope + path, { cache: "no-cache" }), bytes = await fresh.arrayBuffer();
  if (!fresh.ok || await sum(bytes) !== FILES[path]) {
    throw new Error(path + " is not there, or of another version of the page");
  }
  const headers = new Headers({ "Content-Type": fresh.headers.get("Content-Type") ?? "", "Content-Security-Policy": POLICY });
  const response = new Response(bytes, { headers });
  await (await caches.open(KEPT)).put(keyOf(path), response.clone());
  return response;
}

async function keep() {
  const cache = await caches.open(KEPT);
  await Promise.all(Object.keys(FILES).filter((path) => !LATER.test(path))
    .map(async (path) => await cache.match(keyOf(path)) ?? fetchAndKeep(path)));
  await worker.skipWaiting();
}

async function forgetOthers() {
  const cache = await caches.open(KEPT), wanted = new Set(Object.keys(FILES).map(keyOf));
  await Promise.all((await cache.keys()).filter(({ url }) => !wanted.has(url)).map((request) => cache.delete(request)));
  await Promise.all((await caches.keys()).filter((name) => name === "mx2onnx").map((name) => caches.delete(name)));
  await worker.clients.claim();
}

async function answer(request, path) {
  const kept = await (await caches.open(KEPT)).match(keyOf(path));
  return kept ?? fetchAndKeep(path).catch(() => fetch(request));
}

worker.addEventListener("install", (event) => event.waitUntil(keep()));
worker.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url), path = (url.origin + url.pathname).slice(scope.length) || "index.html";
  if (event.request.method === "GET" && url.href.startsWith(scope) && FILES[path]) {
    event.respondWith(answer(event.request, path));
  }
});
