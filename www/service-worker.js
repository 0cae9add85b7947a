// Keeps the page, so that it opens without a network after the first visit.
//
// All files of a visit come from one build: those that open the page are kept when this program is installed, and a
// newer build waits with its own until the page is opened in no other tab. `cargo xtask build` fills in the name of the
// build, the files, and those that only a GPU wants, which are left to the network; without them nobody registers this
// program.
const KEPT = `vivarium ${self.registration.scope} __BUILD__`;
const FILES = __FILES__;
const LATER = __LATER__;

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(take()));
self.addEventListener("message", ({ data }) => data === "take over" && self.skipWaiting());
self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  const file = url.slice(self.registration.scope.length);
  const isLater = new URL(url).pathname.split("/").pop() in LATER || isPreview(file);
  if (method === "GET" && url.startsWith(self.registration.scope) && !isLater) event.respondWith(answer(event.request));
});

// Pages that say what a link shows, for whoever shares one: no visit of the page itself wants them.
const isPreview = (file) => file.startsWith("p/") || file === "preview.png";

const isLanguage = (file) => file.startsWith("languages/");

async function keep() {
  const kept = await caches.open(KEPT);
  // Asking the server anew whether each is still the same: some names do not change with their contents.
  await kept.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })));
}

async function take() {
  // Of this address alone; another copy of the page may stand beside it.
  const mine = (name) => name.startsWith(`vivarium ${self.registration.scope} `) && name !== KEPT;
  for (const name of await caches.keys()) if (mine(name)) await caches.delete(name);
  await self.clients.claim();
}

// Loads the page again once the newer build is in charge. No refresh header: where the address has a fragment, as all
// links have, it goes nowhere.
const AGAIN = `<!DOCTYPE html><link rel="icon" href="data:,"><script>
  const again = () => location.reload();
  navigator.serviceWorker.addEventListener("controllerchange", again);
  setTimeout(again, 2000);
</script>`;

async function answer(request) {
  const opens = request.mode === "navigate";
  const next = self.registration.waiting;
  // No other tab: the newer build takes its place, and the page is opened once more. A tab that is loaded again is still
  // there when it asks; one that is opened is not there yet.
  const mine = request.cache === "default" ? 0 : 1;
  if (opens && next && (await self.clients.matchAll({ type: "window" })).length <= mine) {
    next.postMessage("take over");
    return new Response(AGAIN, { headers: { "content-type": "text/html" } });
  }
  const kept = await caches.open(KEPT);
  const found = await kept.match(opens ? "./" : request, { ignoreSearch: true });
  // A new response has the address that was asked for: a worker reads its own query, which the kept one has not.
  if (found) return new Response(found.body, found);
  const fetched = await fetch(request);
  // Each reader's language alone is kept, once it was wanted.
  if (fetched.ok && isLanguage(request.url.slice(self.registration.scope.length))) await kept.put(request, fetched.clone());
  return fetched;
}
