// Keeps the page, so that it opens without a network after the first visit.
//
// All files of a visit come from one build, and each build has a cache of its own. What opens the page is kept when this
// program is installed; programs for a GPU, languages, the gallery's tiles and licences once somebody wanted them. Every
// file is checked by its sum before it is kept, so that no answer of a hotel's network and no half of another build gets
// in: where one does not match, nothing is installed, and the browser tries again at a later visit. A newer build waits
// with its own files until the page is opened in no other tab, and the files of an older one go when no tab of that build
// is left.
//
// `cargo xtask build` fills in the name of the build, the sums and the content policy; without them nobody registers
// this program.
const BUILD = "__BUILD__";
const FILES = __FILES__;
const LATER = __LATER__;
const POLICY = `__POLICY__`;

// Of this address alone; another copy of the page may stand beside it.
const OURS = `vivarium ${self.registration.scope} `;
const KEPT = OURS + BUILD;
/** Milliseconds in which a tab says of which build it is; one that is frozen does not. */
const PATIENCE = 1000;

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim().then(sweep)));
self.addEventListener("message", ({ data }) => data === "take over" && self.skipWaiting());
self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  if (method !== "GET" || !url.startsWith(self.registration.scope)) return;
  const asked = new URL(url);
  const path = asked.href.slice(self.registration.scope.length).split(/[?#]/)[0];
  const file = ["", "index.html"].includes(path) ? "./" : path;
  // The page says of which build it is where the name of a file does not.
  const build = asked.searchParams.get("build") ?? BUILD;
  if (file === "./" && mode === "navigate") event.respondWith(open(event));
  else if (build !== BUILD || sumOf(file) || isNamedAfterBuild(file)) event.respondWith(answer(event, file, build));
});

const sumOf = (file) => (Object.hasOwn(FILES, file) ? FILES[file] : Object.hasOwn(LATER, file) ? LATER[file] : undefined);

/** Whether the name alone tells a file from that of another build. */
const isNamedAfterBuild = (file) => /-[0-9a-f]{12,16}[._]/.test(file);

/** Asks the server anew whether a file is still the same, since some names do not change with their contents. */
const wanted = (file) => new Request(file, { cache: "no-cache", integrity: sumOf(file) });

async function keep() {
  try {
    const kept = await caches.open(KEPT);
    await kept.addAll(Object.keys(FILES).map(wanted));
  } catch (error) {
    await caches.delete(KEPT);
    throw error;
  }
}

/** Opens the page, or has a newer build take over where no other tab is open. */
async function open(event) {
  const { request } = event;
  const next = self.registration.waiting;
  // A tab that is loaded again is still there when it asks; one that is opened is not there yet.
  const mine = request.cache === "default" ? 0 : 1;
  if (next && (await self.clients.matchAll({ type: "window" })).length <= mine) {
    next.postMessage("take over");
    return again();
  }
  event.waitUntil(sweep());
  try {
    return await answer(event, "./", BUILD);
  } catch {
    // The page was lost here, and the server has another build by now: it opens by itself.
    return fetch(request);
  }
}

/** A file of the page from the build that asks for it; from the network only where it is of this build, or nobody's. */
async function answer(event, file, build) {
  const found = await find(file, build);
  if (found) return labelled(found);
  if (build !== BUILD || !sumOf(file)) return fetch(event.request);
  const fetched = await fetch(wanted(file));
  if (!fetched.ok || fetched.type !== "basic") return fetched;
  const copy = fetched.clone();
  // Where the disk is full, it is fetched again the next time.
  event.waitUntil(caches.open(KEPT).then((kept) => kept.put(file, copy)).catch(() => {}));
  return labelled(fetched);
}

async function find(file, build) {
  const names = isNamedAfterBuild(file) ? [OURS + build, ...(await mine())] : [OURS + build];
  for (const cacheName of names) {
    const found = await caches.match(file, { cacheName, ignoreVary: true });
    if (found) return found;
  }
}

const mine = async () => (await caches.keys()).filter((name) => name.startsWith(OURS));

/**
 * With the headers that a static host does not send: a worker obeys the policy of its own file, and no `meta` tag can
 * say `nosniff`. A new response has the address that was asked for: a worker reads its own query, which the kept one has
 * not.
 */
function labelled({ body, status, statusText, headers }) {
  const more = new Headers(headers);
  more.set("content-security-policy", POLICY);
  more.set("x-content-type-options", "nosniff");
  more.set("referrer-policy", "no-referrer");
  return new Response(body, { status, statusText, headers: more });
}

/** Removes the files of builds of which no tab is left. */
async function sweep() {
  // A newer build has its files here as well, and sweeps when it takes over.
  if (self.registration.waiting || self.registration.installing) return;
  const others = (await mine()).filter((name) => name !== KEPT);
  if (!others.length) return;
  const used = await builds();
  // A tab that does not say may be of any build.
  if (used.includes(undefined)) return;
  for (const name of others) if (!used.includes(name.slice(OURS.length))) await caches.delete(name);
}

/** The builds of the tabs in which the page is open, which www/boot.js tells. */
async function builds() {
  const tabs = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const ask = (tab) => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const hear = (build) => (port1.close(), resolve(build));
    port1.onmessage = ({ data }) => hear(data);
    setTimeout(hear, PATIENCE);
    tab.postMessage("which build", [port2]);
  });
  const isPage = ({ url }) => ["", "index.html"].includes(url.slice(self.registration.scope.length).split(/[?#]/)[0]);
  return Promise.all(tabs.filter((tab) => tab.url.startsWith(self.registration.scope) && isPage(tab)).map(ask));
}

// Loads the page again once the newer build is in charge. No refresh header: where the address has a fragment, as all
// links have, it goes nowhere. It is of no build, and says so.
function again() {
  const nonce = crypto.randomUUID();
  const page = `<!DOCTYPE html><link rel="icon" href="data:,"><script nonce="${nonce}">
  const again = () => location.reload();
  navigator.serviceWorker.onmessage = ({ ports }) => ports[0]?.postMessage("none");
  navigator.serviceWorker.addEventListener("controllerchange", again);
  setTimeout(again, 2000);
</script>`;
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;
  const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": policy, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };
  return new Response(page, { headers });
}
