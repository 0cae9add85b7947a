// What people keep: two tabs, a damaged entry, an older version's runs, a table that is not there, and what a browser
// does to a storage while the page is open.

import assert from "node:assert/strict";
import { it } from "node:test";

import { open, stepOf, text, until, visit } from "./harness.mjs";

const LINK = "#v1/sparse-parity?n=14&k=2&width=24&every=10&steps=3000&halt=steps&held=256&speed=150";

/** What the place is called where the page at `address` stores its runs. */
export const place = (address) => `vivarium ${new URL(address).pathname.replace(/[^/]*$/, "")}`;

/** Does `work` in the page with a connection of its own, and gives what it gives; `work` is written with `stores`. */
const inStorage = (page, name, stores, work, given = null) =>
  // As text from here: the page's content policy lets nothing in the page become a program.
  page.evaluate(`new Promise((resolve, reject) => {
    const request = indexedDB.open(${JSON.stringify(name)});
    // Where the page has stored nothing yet, nothing is made of it.
    request.onupgradeneeded = () => request.transaction.abort();
    request.onerror = () => (request.error.name === "AbortError" ? resolve(null) : reject(request.error));
    request.onsuccess = async () => {
      try {
        const database = request.result;
        const transaction = database.transaction(${JSON.stringify(stores)}, "readwrite");
        const completed = new Promise((fine) => (transaction.oncomplete = fine));
        const done = (asked) => new Promise((fine, wrong) => ((asked.onsuccess = () => fine(asked.result)), (asked.onerror = () => wrong(asked.error))));
        const shelves = Object.fromEntries(${JSON.stringify(stores)}.map((store) => [store, transaction.objectStore(store)]));
        const result = await (${work})(shelves, done, ${JSON.stringify(given)});
        await completed;
        database.close();
        resolve(result ?? null);
      } catch (error) {
        reject(error);
      }
    };
  })`);

/** Every kept run with what is said of it. */
export const stored = async (page, address) =>
  (await inStorage(page, place(address), ["runs", "marks"], async ({ runs, marks }, done) => {
    const [all, keys] = [await done(runs.getAll()), await done(marks.getAllKeys())];
    const said = await done(marks.getAll());
    return all.map((run) => {
      const { name, pinned, deleted } = said[keys.indexOf(run.id)] ?? run;
      return { id: run.id, step: run.step, ended: run.ended, name, pinned, deleted };
    });
  })) ?? [];

/** Forgets everything. */
export const clear = (page, address) =>
  inStorage(page, place(address), ["runs", "marks", "states", "left", "tables"], (all) => Object.values(all).forEach((store) => store.clear()));

/** The list of kept runs, unfolded. */
export async function library(see) {
  const details = see("library");
  await details.waitFor({ timeout: 90_000 });
  // What is still mounted above moves the list, and a click may get lost.
  await until(async () => {
    const isOpen = await details.evaluate((node) => node.open);
    if (!isOpen) await details.locator("summary").click();
    return isOpen;
  }, "the list to be unfolded");
  return details;
}

/** What the runs of the list are called. */
const names = (list) => list.getByRole("textbox").evaluateAll((all) => all.map((field) => field.value));

/** A page of the same origin that is not ours. */
const beside = async (context, address) => {
  const page = await context.newPage();
  await page.goto(new URL("p/deep.png", address).href);
  return page;
};

/** Tests in a browser of their own, at the address that `here` gives. */
export function keptRuns(here) {
  /** A browser in which nothing is kept yet. */
  const fresh = (test) => async () => {
    const browser = await open();
    try {
      await test(browser.context, here().address);
    } finally {
      await browser.close();
    }
  };
  const started = async (context, address, link = LINK, seconds = 60) => {
    const visited = await visit(context, address, link);
    await until(async () => (await stepOf(visited.see)) > 20, "steps", seconds);
    return visited;
  };
  const isKept = (page, address, that) => until(async () => (await stored(page, address)).some(that), "the run to be stored", 90);

  it("lets a stale tab that closes overwrite neither a finished run nor its pin", fresh(async (context, address) => {
    const stale = await started(context, address);
    await isKept(stale.page, address, (run) => run.step > 0);
    await stale.see("play").click();
    const other = await started(context, address, LINK.replace("speed=150", "speed=0"));
    await isKept(other.page, address, (run) => run.step === 3000 && run.ended);
    const list = await library(other.see);
    await list.locator("li").first().getByRole("button", { name: "Pin" }).click();
    await isKept(other.page, address, (run) => run.pinned);
    // One step more, so that there is something to write, and gone.
    await stale.see("single-step").click();
    await stale.page.waitForTimeout(500);
    await stale.page.goto("about:blank");
    await stale.page.close();
    await other.page.reload();
    await library(other.see);
    const [run, ...more] = await until(async () => { const all = await stored(other.page, address); return all.length && all; }, "the list");
    assert.deepEqual([run.step, run.ended, run.pinned, more.length], [3000, true, true, 0]);
    assert.deepEqual(other.heard.console, []);
    await other.page.close();
  }));

  it("shows in one tab what another one keeps, calls and deletes", fresh(async (context, address) => {
    const a = await started(context, address);
    const list = await library(a.see);
    const b = await started(context, address, LINK.replace("width=24", "width=48"));
    // Only a tab that is seen reads the news at once.
    await a.page.bringToFront();
    await until(async () => (await list.locator("li").count()) === 2, "the run of the other tab");
    await b.page.bringToFront();
    const other = (await library(b.see)).locator("li").filter({ hasText: "width 48 → 24" });
    await other.getByRole("textbox").fill("Seen in both");
    await other.getByRole("textbox").press("Enter");
    await a.page.bringToFront();
    await until(async () => (await names(list)).includes("Seen in both"), "the name");
    // The button goes with its run, and the button of another run does not get the focus.
    await b.page.bringToFront();
    await other.getByRole("button", { name: "Delete" }).press("Enter");
    await until(async () => (await other.count()) === 0, "the run to go");
    const focused = await until(() => b.page.evaluate(() => document.activeElement !== document.body && document.activeElement.tagName), "the focus");
    assert.notEqual(focused, "BUTTON");
    assert.deepEqual([...a.heard.console, ...b.heard.console], []);
    await a.page.close();
    await b.page.close();
  }));

  it("says of a damaged entry why it cannot be opened, leaves it alone and deletes it when asked", fresh(async (context, address) => {
    const first = await started(context, address);
    await isKept(first.page, address, (run) => run.step > 0);
    await first.page.goto("about:blank");
    await first.page.close();
    const { page, heard, see } = await started(context, address, "#v1/groups?order=5&width=16&speed=60");
    const list = await library(see);
    await until(async () => (await list.locator("li").count()) > 0, "the first run");
    const { id } = (await stored(page, address)).find((run) => run.id.includes("n=14"));
    // What once stopped the page: a replica that the run does not have.
    const damage = async ({ runs }, done, id) => void runs.put({ ...(await done(runs.get(id))), solved: [[7, 400]] }, id);
    await inStorage(page, place(address), ["runs"], damage, id);
    await page.reload();
    await library(see);
    await until(async () => (await page.getByTestId("damaged-runs").count()) === 1, "the entry");
    assert.match(await text(see("damaged-runs")), /solved should be a step or null for each of 1 replicas/);
    assert.ok((await stored(page, address)).some((run) => run.id === id), "it is left alone");
    await see("damaged-runs").getByRole("button", { name: "Delete" }).click();
    await until(async () => !(await stored(page, address)).some((run) => run.id === id), "it to go");
    assert.equal(await page.getByTestId("damaged-runs").count(), 0);
    assert.deepEqual(heard.console, []);
    await page.close();
  }));

  it("takes over what was kept before the storage's name held the page's path, and leaves it there", fresh(async (context, address) => {
    const id = LINK.replace("&speed=150", "");
    const page = await beside(context, address);
    const write = ([id, link]) =>
      new Promise((resolve) => {
        const request = indexedDB.open("vivarium", 1);
        request.onupgradeneeded = () => ["runs", "states"].forEach((store) => request.result.createObjectStore(store));
        request.onsuccess = () => {
          const work = request.result.transaction(["runs"], "readwrite");
          work.objectStore("runs").put({ id, link, name: "From before", pinned: true, deleted: 0, at: 1.7e12, step: 500, ended: true, bytes: 100, solved: [], rows: [], colour: 1 }, id);
          work.oncomplete = () => (request.result.close(), resolve());
        };
      });
    await page.evaluate(write, [id, LINK]);
    await page.close();
    const visited = await started(context, address, "#v1/sparse-parity?n=12&k=2&width=16&speed=60");
    const list = await library(visited.see);
    await until(async () => (await names(list)).includes("From before"), "the run from before");
    const [run] = (await stored(visited.page, address)).filter((run) => run.id === id);
    assert.deepEqual([run.step, run.pinned], [500, true]);
    // Deleted here, it does not come again, and it is still there for another copy of the page.
    await list.locator("li").filter({ has: visited.page.locator("button[aria-pressed=true]", { hasText: "Pin" }) }).getByRole("button", { name: "Delete" }).click();
    await isKept(visited.page, address, (run) => run.id === id && run.deleted > 0);
    await visited.page.reload();
    await library(visited.see);
    await until(async () => (await stepOf(visited.see)) > 20, "steps");
    assert.ok((await stored(visited.page, address)).find((run) => run.id === id).deleted > 0);
    const databases = await visited.page.evaluate(async () => (await indexedDB.databases()).map((database) => database.name).sort());
    assert.deepEqual(databases, ["vivarium", place(address)]);
    assert.deepEqual(visited.heard.console, []);
    await visited.page.close();
  }));

  it("lets a newer version of the page have the storage, says so, and goes on", fresh(async (context, address) => {
    const { page, heard, see } = await started(context, address);
    await isKept(page, address, (run) => run.step > 0);
    const upgrade = await page.evaluate(
      (name) =>
        new Promise((resolve) => {
          const request = indexedDB.open(name, 2);
          request.onblocked = () => resolve("blocked");
          request.onerror = () => resolve("error");
          request.onupgradeneeded = () => request.result.createObjectStore("new");
          request.onsuccess = () => (request.result.close(), resolve("open"));
        }),
      place(address),
    );
    assert.equal(upgrade, "open", "the page has let go of it");
    await until(async () => /newer version of this page/.test(await text(see("library-error"))), "a sentence");
    const at = await stepOf(see);
    await until(async () => (await stepOf(see)) > at + 20, "the run to go on");
    const list = await library(see);
    await until(async () => /not stored/.test(await text(list)), "the run on the page alone");
    // A page that is opened anew is as old, and says the same.
    const second = await started(context, address, LINK.replace("width=24", "width=25"));
    await until(async () => /newer version of this page|stores nothing/.test(await text(second.see("library-error"))), "the same sentence");
    assert.deepEqual([...heard.console, ...second.heard.console], []);
    await page.close();
    await second.page.close();
  }));

  it("trains while another tab does not let go of the storage, and stores when it does", fresh(async (context, address) => {
    const holder = await beside(context, address);
    // It is to be deleted, and somebody still holds it.
    await holder.evaluate(
      (name) =>
        new Promise((resolve) => {
          const request = indexedDB.open(name, 1);
          request.onupgradeneeded = () => ["runs", "marks", "states", "left", "tables", "about"].forEach((store) => request.result.createObjectStore(store));
          request.onsuccess = () => {
            globalThis.held = request.result;
            indexedDB.deleteDatabase(name);
            resolve();
          };
        }),
      place(address),
    );
    const { page, heard, see } = await started(context, address);
    await page.waitForTimeout(4000);
    await until(async () => (await stepOf(see)) > 100, "training, which waits for nothing");
    await holder.evaluate(() => globalThis.held.close());
    await isKept(page, address, (run) => run.step > 0);
    assert.deepEqual(heard.console, []);
    await page.close();
    await holder.close();
  }));

  it("keeps on the page what the browser deletes while it is open, says so, and stores the run under way again", fresh(async (context, address) => {
    const { page, heard, see } = await started(context, address, LINK.replace("steps=3000", "steps=300").replace("speed=150", "speed=0"));
    await isKept(page, address, (run) => run.ended);
    await see("new-seed").click();
    await until(async () => (await stored(page, address)).length === 2, "the second run");
    const list = await library(see);
    await until(async () => (await list.locator("li").count()) === 2, "both in the list");
    await page.evaluate(() => (location.hash = "#v1/sparse-parity?n=14&k=2&width=26&every=10&steps=100000&halt=steps&held=256&speed=100"));
    await until(async () => (await stored(page, address)).length === 3, "the third run");
    const session = await context.newCDPSession(page);
    await session.send("Storage.clearDataForOrigin", { origin: new URL(address).origin, storageTypes: "indexeddb" });
    await until(async () => /has deleted the stored data of this page/.test(await text(see("library-error"))), "a sentence");
    assert.equal(await list.locator("li").count(), 3, "nothing is lost of the page");
    await until(async () => (await stored(page, address)).length === 1, "the run under way");
    assert.match((await stored(page, address))[0].id, /width=26/);
    assert.deepEqual(heard.console, []);
    await page.close();
  }));

  it("asks for the CSV file of a kept run that is not there, and trains nothing else in its place", fresh(async (context, address) => {
    const csv = (salt) => ["size,age,verdict", ...Array.from({ length: 120 }, (_, i) => `${(i * 37 + salt) % 101},${(i * i) % 89},${(i * 37) % 101 > 50 ? "large" : "small"}`)].join("\n");
    const file = (name, salt) => ({ name, mimeType: "text/csv", buffer: Buffer.from(csv(salt)) });
    const { page, heard, see } = await visit(context, address, "#v1/tabular?m=60&batch=32&steps=4000&every=20&replicas=2&widths=16.16&speed=100&device=cpu");
    await until(async () => (await page.getByTestId("table-input").count()) === 1, "the table's card");
    await see("table-input").setInputFiles(file("houses.csv", 0));
    await until(async () => /^houses\.csv/.test(await text(see("table"))), "the file");
    await isKept(page, address, (run) => /data=own/.test(run.id) && run.step > 0);
    await page.goto("about:blank");
    const link = "#v1/sparse-parity?n=12&k=2&width=16&speed=60";
    await page.goto(address + link);
    await until(async () => (await stepOf(see)) > 5, "another run");
    // With the file, which the browser keeps beside the run, it goes on.
    const entry = async () => {
      // Not by its place: a run that is stored for the first time comes before it.
      // On a busy machine the run before the file was chosen is kept too; it is older and comes after.
      return (await library(see)).locator("li", { has: page.locator('input[title*="tabular" i]') }).first();
    };
    await (await entry()).getByRole("button", { name: "Open" }).click();
    await until(async () => /^houses\.csv/.test(await text(see("table"))), "the table that is kept");
    assert.match(page.url(), /data=own/);
    await page.goto("about:blank");
    await page.goto(address + link);
    await until(async () => (await stepOf(see)) > 5, "another run");
    await inStorage(page, place(address), ["tables"], ({ tables }) => void tables.clear());
    await (await entry()).getByRole("button", { name: "Open" }).click();
    await until(async () => /houses\.csv \(\d+ bytes; checksum of the table: \d+\)/.test(await text(see("file-needed"))), "the question");
    assert.ok(page.url().endsWith(link), "nothing else begins");
    await see("file-needed-input").setInputFiles(file("other.csv", 5));
    await until(async () => /was trained on another table/.test(await text(see("message"))), "a sentence");
    assert.ok(page.url().endsWith(link));
    await see("file-needed-input").setInputFiles(file("renamed.csv", 0));
    await until(() => /data=own/.test(page.url()), "the run");
    await until(async () => (await stepOf(see)) > 20, "it to go on where it was");
    assert.equal(await page.getByTestId("file-needed").count(), 0);
    assert.deepEqual(heard.console, []);
    await page.close();
  }));

  it("takes nothing from the local storage that makes no sense", fresh(async (context, address) => {
    const page = await beside(context, address);
    await page.evaluate(() => ["vivarium.language", "vivarium.theme"].forEach((key) => localStorage.setItem(key, "../../<img src=x>".repeat(500))));
    await page.close();
    const visited = await started(context, address);
    assert.equal(await visited.page.locator("img[src=x]").count(), 0);
    assert.match(await visited.page.evaluate(() => document.documentElement.lang), /^en$/);
    assert.deepEqual(visited.heard.console, []);
    await visited.page.close();
  }));

  it("spares pinned runs when all others are deleted", fresh(async (context, address) => {
    const { page, heard, see } = await started(context, address, LINK.replace("steps=3000", "steps=100").replace("speed=150", "speed=0"));
    for (let runs = 1; runs < 3; runs++) {
      await until(async () => (await stored(page, address)).length === runs, "a kept run");
      await see("new-seed").click();
    }
    await until(async () => (await stored(page, address)).length === 3, "three of them");
    const list = await library(see);
    await until(async () => (await list.locator("li").count()) === 3, "the list");
    await list.locator("li").last().getByRole("button", { name: "Pin" }).click();
    const isPinned = () => list.locator("li").first().getByRole("button", { name: "Pin" }).getAttribute("aria-pressed");
    await until(async () => (await isPinned()) === "true", "the pinned one to stand first");
    await see("delete-unpinned").click();
    await until(async () => (await list.locator("li").count()) === 2, "the pinned one and the one on the page");
    await see("undo").click();
    await until(async () => (await list.locator("li").count()) === 3, "all of them");
    assert.deepEqual(heard.console, []);
    await page.close();
  }));
}
