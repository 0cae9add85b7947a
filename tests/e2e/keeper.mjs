// The service worker's decisions, in Node, against caches and tabs that a test makes: which build answers, what is kept,
// and when the files of a build go. What a browser makes of it is in deploy.mjs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import vm from "node:vm";

import { integrity } from "./harness.mjs";

const PROGRAM = readFileSync(new URL("../../www/service-worker.js", import.meta.url), "utf8");
const SCOPE = "http://a.example/sub/";
const [OLD, NEW] = ["a".repeat(16), "b".repeat(16)];

class Asked {
  constructor(address, { mode = "cors", cache = "default", integrity } = {}) {
    Object.assign(this, { url: new URL(address, SCOPE).href, method: "GET", mode, cache, integrity });
  }
}

/** What a server has of a build. */
const served = (build) => ({
  "index.html": `page ${build}`,
  "boot.js": "boot",
  [`worker-${build}.js`]: `worker ${build}`,
  [`worker_gpu-${build}.js`]: `gpu ${build}`,
  "stories/a.md": `story ${build}`,
  "licences.txt": "licences",
});

/** A browser with its caches and tabs, and a server that can be given another build. */
function surroundings() {
  const world = { files: served(OLD), stored: new Map(), tabs: [], fetched: [] };
  const file = (address) => new URL(address, SCOPE).href.slice(SCOPE.length).split(/[?#]/)[0];
  const fetch = async (asked) => {
    const name = file(asked.url ?? asked);
    world.fetched.push(name);
    const body = world.files[name || "index.html"];
    if (asked.integrity && (body === undefined || integrity(body) !== asked.integrity)) throw new TypeError("integrity");
    const response = new Response(body ?? "", { status: body === undefined ? 404 : 200 });
    Object.defineProperty(response, "type", { value: "basic" });
    return response;
  };
  const caches = {
    keys: async () => [...world.stored.keys()],
    delete: async (name) => world.stored.delete(name),
    open: async (name) => {
      if (!world.stored.has(name)) world.stored.set(name, new Map());
      const kept = world.stored.get(name);
      return {
        addAll: async (all) => {
          const found = await Promise.all(all.map(async (asked) => [file(asked.url), await (await fetch(asked)).text()]));
          found.forEach(([name, body]) => kept.set(name, body));
        },
        put: async (name, response) => kept.set(file(name), await response.text()),
      };
    },
    match: async (name, { cacheName }) => {
      const body = world.stored.get(cacheName)?.get(file(name));
      return body === undefined ? undefined : new Response(body);
    },
  };

  /** The service worker of a build, with the sums of `files`. */
  world.keeper = (build, files = served(build)) => {
    const later = [`worker_gpu-${build}.js`, "licences.txt"];
    const list = (names) => JSON.stringify(Object.fromEntries(names.map((name) => [name === "index.html" ? "./" : name, integrity(files[name])])));
    const text = PROGRAM.replace("__BUILD__", build)
      .replace("__FILES__", list(Object.keys(files).filter((name) => !later.includes(name))))
      .replace("__LATER__", list(later))
      .replace("__POLICY__", "default-src 'none'");
    const hears = {};
    const registration = { scope: SCOPE, waiting: null, installing: null };
    const keeper = { registration, tookOver: false };
    const self = {
      registration,
      addEventListener: (name, deed) => (hears[name] = deed),
      skipWaiting: () => (keeper.tookOver = true),
      clients: { claim: async () => {}, matchAll: async () => world.tabs },
    };
    vm.runInNewContext(text, { self, caches, fetch, Request: Asked, Response, Headers, URL, MessageChannel, setTimeout, crypto });
    const fire = async (name, more = {}) => {
      const waits = [];
      let answer;
      hears[name]({ waitUntil: (wait) => waits.push(wait), respondWith: (given) => (answer = given), ...more });
      const given = await answer;
      await Promise.all(waits);
      return given;
    };
    return Object.assign(keeper, {
      install: () => fire("install"),
      activate: () => fire("activate"),
      message: (data) => fire("message", { data }),
      answer: (address, how) => fire("fetch", { request: new Asked(address, how) }),
      text: async (address, how) => (await fire("fetch", { request: new Asked(address, how) }))?.text(),
    });
  };
  world.builds = () => [...world.stored.keys()].map((name) => name.split(" ").at(-1)).sort();
  return world;
}

/** A tab that says of which build it is; one that says nothing is frozen, or not of this page's making. */
const tab = (build) => ({ url: `${SCOPE}#v1/groups`, postMessage: (_, [port]) => build && port.postMessage(build) });
const OPENS = { mode: "navigate" };

/** A browser in which a build is kept. */
async function settled() {
  const world = surroundings();
  const keeper = world.keeper(OLD);
  await keeper.install();
  await keeper.activate();
  world.fetched.length = 0;
  return [world, keeper];
}

export function keeping() {
  it("answers from what it keeps, with the headers that the host does not send", async () => {
    const [world, keeper] = await settled();
    const page = await keeper.answer("./#v1/groups", OPENS);
    assert.equal(page.headers.get("content-security-policy"), "default-src 'none'");
    assert.equal(page.headers.get("x-content-type-options"), "nosniff");
    assert.equal(await page.text(), `page ${OLD}`);
    for (const [address, body] of [["index.html?a=b", `page ${OLD}`], [`worker-${OLD}.js?bin=worker`, `worker ${OLD}`], [`stories/a.md?build=${OLD}`, `story ${OLD}`]]) {
      assert.equal(await keeper.text(address, address.startsWith("index") ? OPENS : {}), body);
    }
    assert.deepEqual(world.fetched, []);
    // Nobody's: the network answers.
    for (const address of ["build.txt", "p/a.html", "preview.png"]) assert.equal(await keeper.answer(address, OPENS), undefined);
  });

  it("keeps what only some visits want once it was wanted", async () => {
    const [world, keeper] = await settled();
    for (let i = 0; i < 2; i++) assert.equal(await keeper.text(`worker_gpu-${OLD}.js`), `gpu ${OLD}`);
    assert.deepEqual(world.fetched, [`worker_gpu-${OLD}.js`]);
    assert.equal(await keeper.text("licences.txt", OPENS), "licences", "a tab of its own, and not the page");
  });

  it("keeps nothing at all where one file is of another build, or is missing", async () => {
    const [world] = await settled();
    for (const files of [{ ...served(NEW), "boot.js": "half of another" }, served(OLD), {}]) {
      world.files = files;
      await assert.rejects(world.keeper(NEW).install());
      assert.deepEqual(world.builds(), [OLD]);
    }
  });

  it("refuses a file of the network that is not of its build", async () => {
    const [world, keeper] = await settled();
    world.files = { ...served(OLD), [`worker_gpu-${OLD}.js`]: "something else" };
    await assert.rejects(keeper.answer(`worker_gpu-${OLD}.js`));
    world.files = served(NEW);
    await assert.rejects(keeper.answer(`worker_gpu-${OLD}.js`), "gone with its build");
  });

  it("waits with a newer build while another tab is open, and takes it up where none is", async () => {
    const [world, keeper] = await settled();
    world.files = served(NEW);
    const newer = world.keeper(NEW);
    await newer.install();
    keeper.registration.waiting = { postMessage: (data) => newer.message(data) };
    assert.deepEqual(world.builds(), [OLD, NEW]);
    world.tabs = [tab(OLD), tab(OLD)];
    assert.equal(await keeper.text("./", { ...OPENS, cache: "no-cache" }), `page ${OLD}`);
    assert.ok(!newer.tookOver);
    world.tabs = [tab(OLD)];
    const again = await keeper.answer("./", { ...OPENS, cache: "no-cache" });
    assert.ok(newer.tookOver);
    const nonce = /nonce="([^"]+)"/.exec(await again.text())[1];
    assert.ok(again.headers.get("content-security-policy").includes(`script-src 'nonce-${nonce}'`));
    world.tabs = [tab("none")];
    await newer.activate();
    assert.deepEqual(world.builds(), [NEW]);
  });

  it("keeps an older build for the tabs that are of it, and answers each from its own", async () => {
    const [world] = await settled();
    world.files = served(NEW);
    const newer = world.keeper(NEW);
    await newer.install();
    for (const build of [OLD, undefined]) {
      world.tabs = [tab(build), tab(NEW)];
      await newer.activate();
      assert.deepEqual(world.builds(), [OLD, NEW], "in use, or perhaps");
    }
    assert.equal(await newer.text(`worker-${OLD}.js`), `worker ${OLD}`);
    for (const build of [OLD, NEW]) assert.equal(await newer.text(`stories/a.md?build=${build}`), `story ${build}`);
    world.tabs = [tab(NEW)];
    await newer.answer("./", OPENS);
    assert.deepEqual(world.builds(), [NEW], "the last tab of it is gone");
  });

  it("opens the server's page where its own files were taken away", async () => {
    const [world, keeper] = await settled();
    world.stored.clear();
    world.files = served(NEW);
    assert.equal(await keeper.text("./", OPENS), `page ${NEW}`);
  });
}
