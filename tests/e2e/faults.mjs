// What may go wrong while the page is open: its worker ends, falls silent or has no memory left, the GPU is lost again,
// the browser freezes the tab, has no room, or deletes everything. The same curve goes on, one sentence says what was
// wrong, and nothing that was kept is lost. A damaged entry, two tabs and a table that is gone are in library.mjs; what a
// deployment or a missing file does is in deploy.mjs.

import assert from "node:assert/strict";
import { it } from "node:test";

import { inSingle, lab, open, openAsPeopleDo, rows, stepOf, text, until, visit } from "./harness.mjs";
import { library, stored } from "./library.mjs";

const LINK = "#v1/sparse-parity?n=12&k=2&width=16&every=10&held=128&steps=1000000&halt=steps&speed=150&device=cpu";

/** How much faster than a clock's the page's seconds are, by which it judges whether a worker is silent. */
const HASTE = 3;

/** What the list of kept runs says is wrong, if anything. */
const trouble = (page) => page.evaluate(() => document.querySelector("[data-testid=library-error]")?.textContent.trim() ?? "");

/** In a page: whether the browser refuses to store anything more for its origin. */
const isFull = () =>
  new Promise((resolve) => {
    const request = indexedDB.open("full");
    request.onupgradeneeded = () => request.result.createObjectStore("some");
    // Where even that is refused.
    request.onerror = () => resolve(true);
    request.onsuccess = () => {
      const database = request.result;
      const work = database.transaction(["some"], "readwrite");
      work.objectStore("some").put("a word", "a key");
      const end = (full) => () => (database.close(), resolve(full));
      [work.oncomplete, work.onabort] = [end(false), end(true)];
    };
  });

/**
 * The page has every measurement from the start on, once, and each is what the command line measures of `link`.
 * Its worker's last words may be behind what it shows; whatever is there is compared.
 */
async function isTheSameCurve(page, link, device = 0) {
  const mine = await rows(page);
  const native = lab(link, "--device", "cpu", "--steps", String(mine.at(-1).step)).map(inSingle);
  assert.ok(mine.length > 5);
  mine.forEach((row, i) => {
    assert.equal(row.step, native[i].step, "none is missing and none is there twice");
    // Single precision of another device rounds otherwise.
    if (device) assert.ok(Math.abs(row.test_loss[0] - native[i].test_loss[0]) < device, `step ${row.step}`);
    else assert.deepEqual([row.train_loss, row.test_loss], [native[i].train_loss, native[i].test_loss], `step ${row.step}`);
  });
}

/** Tests in the browsers and at the address that `here` gives. */
export function faults(here) {
  /** A page whose seconds are short, once it has made some steps. */
  async function hasty({ context, steps = 400, haste = HASTE } = {}) {
    const page = await (context ?? here().context).newPage();
    await page.addInitScript((haste) => {
      const set = globalThis.setInterval;
      globalThis.setInterval = (deed, ms, ...more) => set(deed, ms / haste, ...more);
    }, haste);
    await page.goto(here().address + LINK);
    const see = (id) => page.getByTestId(id).first();
    // A checkpoint is sent every two seconds.
    await until(async () => (await stepOf(see)) > steps, "steps");
    return { page, see };
  }

  const goesOn = async (see, more = 100) => {
    const at = await stepOf(see);
    await until(async () => (await stepOf(see)) > at + more, "the run to go on");
  };

  // What is done to the worker, and what the page says of it.
  const ENDS = [
    ["ends without a word", (worker) => worker.evaluate("self.close()"), /^Training stopped: the worker sent nothing for \d+ seconds\. The run goes on from step [\d,]+ with a new worker\.$/],
    ["falls silent", (worker) => worker.evaluate("void setTimeout(() => { for (;;); })"), /^Training stopped: the worker sent nothing for \d+ seconds\. The run goes on from step [\d,]+ with a new worker\.$/],
    ["throws", (worker) => worker.evaluate("void setTimeout(() => { throw new Error('a test has hurt it'); })"), /^Training stopped: .*a test has hurt it\. The run goes on from step [\d,]+ with a new worker\.$/],
  ];
  for (const [what, hurt, sentence] of ENDS) {
    it(`goes on with the same curve where its worker ${what}`, async () => {
      const { page, see } = await hasty();
      const [worker] = page.workers();
      await hurt(worker);
      await until(async () => sentence.test(await text(see("message"))), "the sentence");
      await goesOn(see);
      await until(() => !page.workers().includes(worker), "the old one to go");
      await isTheSameCurve(page, LINK);
      await page.close();
    });
  }

  it("goes on with a new worker where one has no memory left", async () => {
    const { page, see } = await hasty();
    const [worker] = page.workers();
    // All that there may be is taken; what it has already goes on.
    const taken = await worker.evaluate(() => {
      const memory = self.lentMemory;
      for (let pages = 1 << 15; pages >= 1; pages >>= 1) {
        try {
          for (;;) memory.grow(pages);
        } catch {
          // Then less of it.
        }
      }
      return memory.buffer.byteLength;
    });
    assert.ok(taken > 1e9, `${taken}`);
    // A network that its old room does not hold.
    const wide = LINK.replace("width=16", "width=4096").replace("n=12", "n=100");
    await page.evaluate((link) => (location.hash = link), wide.replace("speed=150", "speed=20"));
    await until(async () => /^Training stopped: /.test(await text(see("message"))), "the sentence");
    console.log(`  ${await text(see("message"))}`);
    assert.match(await text(see("message")), /memory.*The run restarts from its beginning with a new worker\.$/);
    await until(async () => (await rows(page)).length > 6, "the run", 60);
    assert.ok(!page.workers().includes(worker), "it is another one");
    await isTheSameCurve(page, wide);
    await page.close();
  });

  it("is not taken for silent when the browser has frozen the tab, and goes on when it thaws", async () => {
    const { context, close } = await openAsPeopleDo();
    try {
      // Less haste: a loaded machine may keep a healthy worker silent for two seconds.
      const { page, see } = await hasty({ context, steps: 100, haste: 3 });
      await page.evaluate(() => ["freeze", "resume"].forEach((name) => document.addEventListener(name, () => (window[name] = true))));
      const [worker] = page.workers();
      const session = await context.newCDPSession(page);
      // A tab that nobody sees is frozen by a browser that wants to save.
      const other = await context.newPage();
      await other.bringToFront();
      await until(() => page.evaluate(() => document.hidden), "the tab to be hidden");
      await session.send("Page.setWebLifecycleState", { state: "frozen" });
      // Longer than a worker may be silent.
      await new Promise((resolve) => setTimeout(resolve, 6000));
      await session.send("Page.setWebLifecycleState", { state: "active" });
      await page.bringToFront();
      await until(() => page.evaluate(() => window.freeze && window.resume), "the tab to have been frozen and thawed");
      await goesOn(see);
      assert.ok(page.workers().includes(worker), "nothing was wrong with it");
      assert.doesNotMatch(await text(see("message")), /stopped/);
      await isTheSameCurve(page, LINK);
    } finally {
      await close();
    }
  });

  it("goes on on the CPU when the GPU is lost, and lost again after it was wished once more", async () => {
    const { simulated, address } = here();
    const link = LINK.replace("device=cpu", "device=gpu");
    const { page, see } = await visit(simulated, address, link);
    const lose = async () => {
      await until(async () => (await stepOf(see)) > 20 && /^WebGPU/.test(await text(see("device"))), "the GPU", 120);
      const worker = await until(() => page.workers().find((w) => w.url().includes("worker_fused")), "the worker");
      await worker.evaluate(() => self.lentDevice.destroy());
      await until(async () => /^CPU: WebGPU cannot be used, because/.test(await text(see("device"))), "the CPU", 60);
      assert.match(await text(see("message")), /^WebGPU cannot be used, because .*\. The run (restarts from its beginning|goes on from step [\d,]+) on the CPU\.$/);
      await goesOn(see);
      await isTheSameCurve(page, link, 1e-3);
    };
    await lose();
    // Another wish for a device is a new chance.
    for (const device of ["cpu", "gpu"]) await see("setting-device").selectOption(device);
    await lose();
    await page.close();
  });

  /** A browser of its own, in which a run is kept and another one trains. */
  async function apart(deed) {
    const browser = await open();
    try {
      const { address } = here();
      const visited = await visit(browser.context, address, LINK.replace("steps=1000000", "steps=300").replace("speed=150", "speed=0"));
      const { page, see } = visited;
      await until(async () => (await stored(page, address)).some((run) => run.ended), "a kept run");
      await deed({ ...visited, context: browser.context, address, origin: new URL(address).origin });
    } finally {
      await browser.close();
    }
  }

  it("deletes nothing where the browser has no room, says so, and stores the rest when there is room again", () =>
    apart(async ({ page, see, context, address, origin, heard }) => {
      const before = await stored(page, address);
      // Room is counted when a storage is opened that nobody has had open for some seconds.
      const beside = await context.newPage();
      await beside.goto(new URL("p/deep.png", address).href);
      await page.goto("about:blank");
      const session = await context.newCDPSession(beside);
      await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
      await until(async () => {
        await beside.waitForTimeout(3000);
        return beside.evaluate(isFull);
      }, "the storage to be full");
      await page.goto(address + LINK);
      await until(async () => /There is no room left to store 1 kept run/.test(await trouble(page)), "a sentence");
      assert.deepEqual(await stored(page, address), before, "what was kept is there");
      assert.equal(await (await library(see)).locator("li").count(), 2, "and the run under way, on the page");
      await goesOn(see);
      await session.send("Storage.overrideQuotaForOrigin", { origin });
      // A run under way is not tried again at every measurement.
      await see("play").click();
      await until(async () => (await stored(page, address)).length === 2, "the run under way to be stored");
      await until(async () => (await trouble(page)) === "", "nothing more to say");
      await isTheSameCurve(page, LINK);
      assert.deepEqual(heard.console, []);
    }));

  it("says so where the browser's storage never answers, and trains", async () => {
    const page = await here().context.newPage();
    await page.addInitScript(() => {
      // A request to which nothing happens, as of a browser whose database hangs.
      IDBFactory.prototype.open = () => new EventTarget();
    });
    await page.goto(here().address + LINK);
    const see = (id) => page.getByTestId(id).first();
    await until(async () => /^The browser's storage of kept runs has not answered for 10 seconds\./.test(await trouble(page)), "the sentence", 60);
    await goesOn(see);
    await page.close();
  });

  it("goes on where the browser deletes all that it has of the page, and opens again", () =>
    apart(async ({ page, see, context, address, origin, heard }) => {
      const [session, list] = [await context.newCDPSession(page), await library(see)];
      await page.evaluate((link) => (location.hash = link), LINK);
      await until(async () => (await stored(page, address)).length === 2, "the second run");
      await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
      await until(async () => /has deleted the stored data of this page/.test(await trouble(page)), "a sentence");
      assert.equal(await list.locator("li").count(), 2, "nothing is lost of the page");
      await goesOn(see);
      await isTheSameCurve(page, LINK);
      await until(async () => (await stored(page, address)).length === 1, "the run under way");
      await page.reload();
      await until(async () => (await stepOf(see)) > 20, "the page again");
      assert.deepEqual(heard.console, []);
    }));
}
