// SPDX-License-Identifier: Apache-2.0
// Keeps the page's files for the time without a network: what comes from the network is kept, what does not come is taken from there.
const KEPT = "mx2onnx";

async function keep() {
  const cache = await caches.open(KEPT), files = await (await fetch("files.json")).json();
  await cache.addAll(files);
}

async function answer(request) {
  try {
    const response = await fetch(request);
    if (response.ok) {
      await (await caches.open(KEPT)).put(request, response.clone());
    }
    return response;
  } catch (error) {
    const kept = await caches.match(request, { ignoreSearch: true });
    if (!kept) {
      throw error;
    }
    return kept;
  }
}

self.addEventListener("install", (event) => { event.waitUntil(keep()); });
self.addEventListener("activate", (event) => { event.waitUntil(self.clients.claim()); });
self.addEventListener("fetch", (event) => {
  const { url, method } = event.request;
  if (method === "GET" && new URL(url).origin === location.origin) {
    event.respondWith(answer(event.request));
  }
});
