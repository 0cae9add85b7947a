// What a deployment does to those who have the page open or kept: no part of one build ever works with one of another,
// and where a part is gone, one sentence says so. Besides, what a host that sends no headers of ours lets a page bind.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { pathToFileURL } from "node:url";

import { integrity, open, plain, rows, serve, stepOf, text, until, visit, withSums } from "./harness.mjs";

const DIST = process.env.DIST ?? "dist";
const LINK = "#v1/sparse-parity?n=12&k=2&width=16&steps=300&halt=steps&speed=0";
const ON_GPU = "#v1/sparse-parity?n=12&k=2&width=16&steps=100&halt=steps&every=1&held=128&device=gpu&speed=0";
const LONG = "#v1/sparse-parity?n=12&k=2&width=16&every=10&held=128&steps=1000000&halt=steps&speed=200";
const NEWER = "0123456789abcdef";

const published = () => readFileSync(join(DIST, "build.txt"), "utf8");

/** A copy of the built page as if it were another build: its own names and sums, and another description. */
function rebuilt(build) {
  const [folder, old] = [mkdtempSync(join(tmpdir(), "vivarium-build-")), published()];
  const read = (name) => readFileSync(join(folder, name === "./" ? "index.html" : name));
  for (const name of readdirSync(DIST, { recursive: true })) {
    const [from, to] = [join(DIST, name), join(folder, name.replaceAll(old, build))];
    if (statSync(from).isDirectory()) continue;
    mkdirSync(dirname(to), { recursive: true });
    if (!/\.(html|js|txt)$/.test(name)) copyFileSync(from, to);
    else writeFileSync(to, readFileSync(from, "utf8").replaceAll(old, build).replace('content="Watch', 'content="Newer. Watch'));
  }
  const keeper = join(folder, "service-worker.js");
  writeFileSync(keeper, withSums(readFileSync(keeper, "utf8"), (name) => integrity(read(name))));
  return folder;
}

/** A browser of its own, at a site that a newer build can be put on. */
async function apart(deed, { gpu = false, edit = {}, headers = {}, host = {} } = {}) {
  const newer = rebuilt(NEWER);
  const [site, browser] = [await serve(edit, {}, headers, null, null, host), await open({ gpu })];
  try {
    await deed({ site, context: browser.context, go: (link) => visit(browser.context, site.address, link), deploy: () => site.deploy(newer) });
  } finally {
    await browser.close();
    site.close();
    rmSync(newer, { recursive: true, force: true });
  }
}

const quiet = (heard) => assert.deepEqual(heard.console.filter((said) => !said.includes("No available adapters")), []);
const about = (page) => page.evaluate(() => document.querySelector("meta[name=description]")?.content ?? "").catch(() => "");
const kept = (page) => until(() => page.evaluate(() => navigator.serviceWorker.getRegistration().then((r) => Boolean(r?.active))), "the page to be kept", 240);
const waits = (page) => until(() => page.evaluate(() => navigator.serviceWorker.getRegistration().then((r) => r.update().then(() => Boolean(r.waiting)))), "the newer build to wait", 240);
/** The builds whose files are kept. */
const builds = (page) => page.evaluate(() => caches.keys().then((names) => names.map((name) => name.split(" ").at(-1)).sort()));
/** Plain names of what is kept of a build. */
const files = async (page, build) =>
  (await page.evaluate(async (build) => {
    const name = (await caches.keys()).find((name) => name.endsWith(build));
    return (await (await caches.open(name)).keys()).map(({ url }) => url.split("/sub/path/")[1]);
  }, build)).map(plain);

async function ends({ page, see }, step = 300) {
  await until(async () => (await rows(page)).at(-1)?.step === step, `step ${step}`, 240);
  return text(see("device"));
}

export function deployments() {
  it("opens without a network after the first visit, and takes up a newer build when no other tab is open", () =>
    apart(async ({ context, go, deploy }) => {
      const first = await go(LINK);
      await ends(first);
      await kept(first.page);
      assert.deepEqual(await builds(first.page), [published()]);
      await context.setOffline(true);
      const offline = await go(LINK);
      await ends(offline);
      quiet(offline.heard);
      await offline.page.close();
      await context.setOffline(false);

      deploy();
      await waits(first.page);
      // A visit between: all of it is the older build, whose files are on the server no more.
      const beside = await go(LINK);
      assert.match(await until(() => about(beside.page), "its description"), /^Watch/, "not while a tab has the older one");
      await ends(beside);
      quiet(beside.heard);
      assert.ok(beside.heard.requests.some((url) => url.includes(published())) && !beside.heard.requests.some((url) => url.includes(NEWER)));
      assert.deepEqual(await builds(beside.page), [NEWER, published()].sort(), "each has its own");
      await beside.page.close();

      await first.page.reload();
      await until(async () => /^Newer/.test(await about(first.page)), "the newer build");
      assert.ok(first.page.url().endsWith(LINK), "the link is still the address");
      await ends(first);
      quiet(first.heard);
      await until(async () => (await builds(first.page)).join() === NEWER, "the files of the older build to go");
    }));

  it("trains on the GPU with the worker of its own build between two deployments, if it was wanted before", () =>
    apart(async ({ go, deploy }) => {
      const first = await go(LINK);
      await ends(first);
      await kept(first.page);
      await first.page.close();
      const second = await go(ON_GPU);
      assert.match(await ends(second, 100), /^WebGPU/);
      await until(async () => (await files(second.page, published())).includes("worker_fused_bg.wasm"), "the worker to be kept");
      deploy();
      const third = await go(ON_GPU);
      assert.match(await ends(third, 100), /^WebGPU/);
      assert.match(await about(third.page), /^Watch/);
      assert.ok(!third.heard.requests.some((url) => url.includes(NEWER)));
      assert.equal(await third.page.locator("#outdated").count(), 0);
    }, { gpu: true }));

  it("says so where a worker is gone with its build, trains on the CPU, and opens the newer build when asked to", () =>
    apart(async ({ go, deploy }) => {
      const first = await go(LINK);
      await ends(first);
      await kept(first.page);
      await first.page.close();
      deploy();
      const old = await go(ON_GPU);
      assert.match(await ends(old, 100), /^CPU: WebGPU cannot be used, because the worker could not be loaded/);
      const notice = old.page.locator("#outdated");
      await until(() => notice.isVisible(), "the sentence");
      assert.match(await text(notice), /^A newer version of this page has been published/);
      assert.equal(await notice.count(), 1);
      await waits(old.page);
      await notice.getByRole("button").click();
      await until(async () => /^Newer/.test(await about(old.page)), "the newer build");
      assert.equal(new URL(old.page.url()).hash, ON_GPU);
      assert.match(await ends(old, 100), /^WebGPU/);
      assert.ok(old.heard.requests.some((url) => url.includes(`worker_fused-${NEWER}.js`)));
    }, { gpu: true }));

  it("begins no run with a worker that says it is of another build", () =>
    apart(async ({ go }) => {
      const { page, see } = await go(LINK);
      await until(() => page.locator("#outdated").isVisible(), "the sentence");
      await until(async () => /have different versions/.test(await text(see("message"))), "the reason");
      assert.deepEqual(await rows(page), []);
    }, { edit: { "service-worker.js": null, "worker.js": (program) => program.replace(/(export const build = ")\w+/, "$1fedcba9876543210") } }));

  it("keeps nothing where one file is not that of its build", () =>
    apart(async ({ go }) => {
      const visited = await go(LINK);
      await ends(visited);
      const state = await visited.page.evaluate(async () => {
        const registration = await navigator.serviceWorker.register("service-worker.js");
        const worker = registration.installing;
        await new Promise((resolve) => (worker ? worker.addEventListener("statechange", resolve) : resolve()));
        return [worker?.state ?? "redundant", (await caches.keys()).length];
      });
      assert.deepEqual(state, ["redundant", 0]);
    }, { edit: { "service-worker.js": (program) => program.replace(/("boot\.js": "sha256-)[^"]+/, `$1${"A".repeat(43)}=`) } }));

  // A lab that fetches the second program when a trainer has answered, and one that shows little without it.
  for (const link of [LINK, "#v1/groups?n=5&width=16&steps=300&halt=steps&speed=0"]) {
    it(`gives the connection to what comes first: the page, the trainer, the second program, what is kept: ${link.split("?")[0]}`, () =>
      apart(async ({ site, context }) => {
        const page = await context.newPage();
        await page.addInitScript(() => {
          const register = ServiceWorkerContainer.prototype.register;
          ServiceWorkerContainer.prototype.register = function (...of) {
            window.keptAt ??= performance.now();
            return register.apply(this, of);
          };
        });
        await page.goto(site.address + link);
        await until(() => page.evaluate(() => window.keptAt), "the page to be kept", 240);
        const programs = () => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".wasm"))
          .map(({ name, startTime, responseEnd }) => ({ name: name.split("/").at(-1), startTime, responseEnd }));
        const found = await page.evaluate(programs);
        assert.deepEqual(found.map(({ name }) => plain(name)), ["app_bg.wasm", "worker_bg.wasm", "app_later.wasm"]);
        const [app, worker, later] = found;
        assert.ok(app.responseEnd <= worker.startTime && worker.responseEnd <= later.startTime, JSON.stringify(found));
        assert.ok(later.responseEnd <= (await page.evaluate(() => window.keptAt)), "kept after all that the page shows");
        assert.deepEqual(await page.workers()[0].evaluate(programs), [], "the page gives the worker its program");
        await page.close();
      }));
  }

  it("fetches no program for the CPU where the GPU is to train", () =>
    apart(async ({ go }) => {
      const { page, see } = await go(ON_GPU);
      await until(async () => (await stepOf(see)) > 0, "steps", 240);
      const programs = () => performance.getEntriesByType("resource").filter(({ name }) => /worker[^_]*_bg[.]wasm$/.test(name)).length;
      assert.equal(await page.evaluate(programs), 0);
    }, { gpu: true }));

  // One file missing, with nothing kept: one sentence, and what can go on does.
  const REFUSED = /could not be fetched/;
  const MISSING = [
    ["the page's program", "app_bg.wasm", ".crash", REFUSED, false],
    ["a style sheet", "base.css", ".crash", REFUSED, true],
    ["the second program", "app_later.wasm", "[data-testid=message]", REFUSED, true],
    ["the loader of workers", "worker-loader.js", "[data-testid=message]", /Training stopped again: the worker could not be loaded/, false],
    ["the worker's script", "worker.js", "[data-testid=message]", /Training stopped again: the worker could not be loaded/, false],
    ["the worker's program", "worker_bg.wasm", "[data-testid=message]", /Training stopped again: the worker could not be loaded/, false],
  ];
  for (const [what, file, place, sentence, trains] of MISSING) {
    it(`says so where a file is missing: ${what}`, () =>
      apart(async ({ go }) => {
        const { page, see } = await go(LONG);
        const said = () => page.evaluate((place) => document.querySelector(place)?.textContent ?? "", place);
        await until(async () => sentence.test(await said()), "the sentence");
        if (trains) {
          const at = await stepOf(see);
          await until(async () => (await stepOf(see)) > at + 50, "the run to go on");
        }
        // Nothing newer is there to be offered.
        assert.equal(await page.locator("#outdated").count(), 0);
      }, { edit: { "service-worker.js": null, [file]: null } }));
  }

  // Servers that are set up otherwise than they should be: each gets the sentence that is true.
  const NOT_STARTED = /^If this text stays, Vivarium could not start, because the browser did not run the file boot\.js\./;
  const PLAIN = { types: { ".js": "text/plain" } };
  const CUT = /^Only a part of app(_bg)?\.(js|wasm) has arrived\. If this message stays, the file on the server is incomplete\./;
  const HOSTS = [
    ["scripts are sent as text/plain", { host: PLAIN }, ".crash", /^The server sends app\.js as text\/plain, and browsers run it only as text\/javascript\./],
    ["scripts are sent as text/plain with nosniff", { host: PLAIN, headers: { "x-content-type-options": "nosniff" } }, "#not-started", NOT_STARTED],
    ["the page is sent in place of its script", { host: { isSinglePage: true }, edit: { "app.js": null } }, ".crash", /^The server sends a web page in place of app\.js\./],
    ["the page is sent in place of its program", { host: { isSinglePage: true }, edit: { "app_bg.wasm": null } }, ".crash", /^The server sends a web page in place of app_bg\.wasm\./],
    ["the page is sent in place of boot.js", { host: { isSinglePage: true }, edit: { "boot.js": null } }, "#not-started", NOT_STARTED],
    ["boot.js is missing", { edit: { "boot.js": null } }, "#not-started", NOT_STARTED],
    ["the page's script ends early", { host: { cut: { "app.js": 20_000 } } }, ".crash", CUT],
    ["the page's program ends early", { host: { cut: { "app_bg.wasm": 200_000 } } }, ".crash", CUT],
    ["the page's script is compressed without a word", { host: { packed: ["app.js"] } }, ".crash", /^The server sends app\.js in a form that browsers cannot read\. The file may have been compressed twice\./],
    ["the page's program is compressed without a word", { host: { packed: ["app_bg.wasm"] } }, ".crash", /^The server sends app_bg\.wasm in a form that browsers cannot read\./],
    ["the policy of the server forbids WebAssembly", { headers: { "content-security-policy": "script-src 'self'" } }, ".crash", /^The server's Content-Security-Policy forbids WebAssembly\. Its part script-src must contain 'wasm-unsafe-eval'\./],
    ["the address of the folder has no slash", { host: { isSlashless: true } }, "#not-started", NOT_STARTED, (address) => address.slice(0, -1)],
  ];
  for (const [what, options, place, sentence, addressOf = (address) => address] of HOSTS) {
    it(`says what is true where ${what}`, () =>
      apart(async ({ site, context }) => {
        const page = await context.newPage();
        // The sentence also appears with reduced motion.
        await page.emulateMedia({ reducedMotion: "reduce" });
        await page.goto(addressOf(site.address) + LINK);
        const notice = page.locator(place);
        await until(() => notice.isVisible().catch(() => false), "the sentence");
        assert.match((await text(notice)).replace(/\s+/g, " "), sentence);
        const visible = await page.evaluate(() => document.body.innerText);
        assert.doesNotMatch(visible, /2023/);
        const isLoading = () => {
          const word = document.querySelector(".loading");
          return Boolean(word) && getComputedStyle(word).visibility === "visible" && getComputedStyle(word, "::before").content !== "none";
        };
        assert.ok(!(await page.evaluate(isLoading)), "nothing is loading");
      }, options));
  }

  it("says in a file that it must be opened from a web server", () =>
    apart(async ({ context }) => {
      const page = await context.newPage();
      await page.goto(pathToFileURL(join(DIST, "index.html")).href + LINK);
      const shown = () => page.evaluate(() => document.body.innerText);
      await until(async () => /must be opened from a web server/.test(await shown()), "the sentence");
      assert.doesNotMatch(await shown(), /2023|Loading/);
    }));

  it("shows nothing of this while the page starts", () =>
    apart(async ({ go }) => {
      const { page } = await go(LINK);
      assert.equal(await page.locator("#not-started").count(), 0);
      await until(async () => (await rows(page)).length > 0, "the run");
      assert.equal(await page.locator(".crash").count(), 0);
    }));

  // Also what the second program is loaded by, which the browser compiles of this type alone.
  it("works where programs have no type of their own", () =>
    apart(async ({ go }) => {
      const { page, see } = await go(LINK);
      await ends({ page, see });
      await see("help").click();
      await until(() => page.getByTestId("licences").isVisible(), "a dialog of the second program");
      assert.doesNotMatch(await text(see("message")), /could not be fetched/);
    }, { host: { types: { ".wasm": "application/octet-stream" } } }));

  for (const [what, host, edit, sentence] of [
    ["the page is sent in place of the worker's program", { isSinglePage: true }, { "worker_bg.wasm": null }, /Training stopped again: the worker could not be loaded/],
    ["the worker's program ends early", { cut: { "worker_bg.wasm": 100_000 } }, {}, /Training stopped again: the browser could not compile the worker's program; the server may have sent only a part/],
  ]) {
    it(`says what is true where ${what}`, () =>
      apart(async ({ go }) => {
        const { see } = await go(LONG);
        await until(async () => sentence.test(await text(see("message"))), "the sentence");
      }, { host, edit: { "service-worker.js": null, ...edit } }));
  }

  it("shows a page for an address without a file, with a way to Vivarium", () =>
    apart(async ({ site, context }) => {
      const page = await context.newPage();
      for (const path of ["nothing", "nothing/here"]) {
        const response = await page.goto(site.address + path);
        assert.equal(response.status(), 404);
        assert.equal(await text(page.locator("h1")), "There is no page at this address");
        assert.equal(await page.getByRole("link").evaluate((link) => link.href), site.address);
      }
    }));

  it("goes on on the CPU where the GPU's worker is missing", () =>
    apart(async ({ go }) => {
      const visited = await go(ON_GPU);
      assert.match(await ends(visited, 100), /^CPU: WebGPU cannot be used, because the worker could not be loaded/);
      assert.equal(await visited.page.locator("#outdated").count(), 0);
    }, { gpu: true, edit: { "service-worker.js": null, "worker_fused.js": null } }));

  it("binds itself where the host sends no headers: markup, programs, previews, and what is kept", () =>
    apart(async ({ site, context, go }) => {
      const visited = await go(LINK);
      await ends(visited);
      await kept(visited.page);
      quiet(visited.heard);
      const again = await go(LINK);
      await ends(again);
      quiet(again.heard);
      // A worker that the service worker answers obeys the policy as well: by its own file it has none here.
      const other = `${site.address.replace("127.0.0.1", "localhost")}build.txt`;
      const refused = (other) => fetch(other, { mode: "no-cors" }).then(() => "fetched", () => "refused");
      assert.equal(await again.page.workers()[0].evaluate(refused, other), "refused");
      const found = await again.page.evaluate(async () => {
        const element = document.createElement("div");
        const written = (markup) => ((element.innerHTML = markup), element.childElementCount);
        const fails = (deed) => { try { deed(); return false; } catch { return true; } };
        const kept = await fetch(document.querySelector("link[rel=modulepreload]").href);
        return {
          plain: written('<p title="on x = 1">a &lt; b</p>'),
          handler: written('<img src="data:," onerror="window.ran = 1">'),
          script: written("<script>window.ran = 1</script>"),
          worker: fails(() => new Worker("./boot.js", { type: "module" })),
          elsewhere: fails(() => new Worker("https://a.example/worker-loader.js")),
          policy: fails(() => trustedTypes.createPolicy("another", {})),
          ran: window.ran ?? 0,
          headers: ["content-security-policy", "x-content-type-options"].map((name) => kept.headers.get(name) ?? ""),
        };
      });
      const { headers, ...rest } = found;
      assert.deepEqual(rest, { plain: 1, handler: 0, script: 0, worker: true, elsewhere: true, policy: true, ran: 0 });
      assert.match(headers[0], /^default-src 'none'; .*require-trusted-types-for 'script'/);
      assert.equal(headers[1], "nosniff");

      const preview = await (await context.request.get(`${site.address}p/induction.html`)).text();
      assert.match(preview, /<meta http-equiv="Content-Security-Policy" content="default-src 'none'/);
      await again.see("help").click();
      const link = again.page.getByTestId("licences");
      await until(() => link.isVisible(), "the link to the licences");
      const [tab] = await Promise.all([context.waitForEvent("page"), link.click()]);
      await tab.waitForLoadState();
      assert.ok(tab.url().endsWith("/licences.txt"), "not the page itself, although it is kept");
      const notices = await (await context.request.get(`${site.address}licences.txt`)).text();
      assert.match(notices, /^Licences of the programs in this page/);
      for (const crate of ["burn-flex", "leptos", "wgpu", "cubecl", "plotters"]) assert.match(notices, new RegExp(`^${crate} \\d`, "m"));
    }));
}
