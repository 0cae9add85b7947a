// Sweeps made on the page: the dialog, the map that fills in, cancelling, and opening a cell.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";

import { text, until, visit } from "./harness.mjs";

/** Tests in the browser and at the address that `here` gives. */
export function sweeps(here) {
  const open = (link, size) => visit(here().context, here().address, link, size);
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);
  const SMALL = "#v1/sparse-parity?n=10&k=2&width=24&lr=0.5&held=128&every=5&steps=2000&device=cpu";

  it("shares a sweep among the cores there are, with the same results, and gives them back", async () => {
    const link = `${SMALL.replace("&lr=0.5", "")}&replicas=4&sweep=n:8_9_10_11_12_13&series=lr:0.3_1&speed=0&cells=steps`;
    const made = async (cores) => {
      const page = await here().context.newPage();
      await page.addInitScript((cores) => {
        Object.defineProperty(Navigator.prototype, "hardwareConcurrency", { get: () => cores });
      }, cores);
      const said = [];
      page.on("console", (message) => ["error", "warning"].includes(message.type()) && said.push(message.text()));
      page.on("pageerror", (error) => said.push(error.message));
      let workers = 0;
      page.on("worker", () => (workers = Math.max(workers, page.workers().length)));
      await page.goto(here().address + link);
      const see = (id) => page.getByTestId(id).first();
      await until(async () => /^All 12 runs have ended$/.test(await text(see("sweep-progress"))), `the end with ${cores} cores`);
      const cells = await page.locator("[id^=cell-]").evaluateAll((cells) => cells.map((cell) => [cell.id, cell.innerText, cell.title]));
      await until(() => page.workers().length === 1, "the trainer alone");
      const programs = () => performance.getEntriesByType("resource").filter(({ name }) => name.includes("worker") && name.endsWith(".wasm"));
      assert.equal((await page.evaluate(programs)).length, 1, "one program for all workers");
      assert.match(await text(see("status")), /^The sweep is complete: 12 runs\. The other charts show the last run: n = 13, η = 1$/);
      assert.deepEqual(said.filter((said) => said !== "No available adapters."), []);
      await page.close();
      return { cells, workers };
    };
    const [alone, shared] = [await made(1), await made(5)];
    assert.equal(alone.cells.length, 12);
    assert.deepEqual(shared.cells, alone.cells);
    assert.equal(alone.workers, 1);
    assert.ok(shared.workers > 2, `${shared.workers} workers`);
  });

  it("makes a sweep over two settings with a form, fills its map in, and opens a cell and comes back", async () => {
    const { page, heard, see } = await open(SMALL);
    await see("sweep").click();
    await until(() => page.locator("dialog[open]").isVisible(), "the dialog");
    await see("sweep-key-0").selectOption("n");
    await see("sweep-from-0").fill("ten");
    await until(async () => /“From” and “To” must be numbers/.test(await text(see("sweep-status"))), "what is wrong");
    assert.ok(await see("sweep-start").isDisabled());
    await see("sweep-from-0").fill("8");
    await see("sweep-to-0").fill("12");
    await see("sweep-many-0").fill("3");
    await see("sweep-key-1").selectOption("loss");
    for (const word of await page.locator(".sweep-axis__options input").all()) await word.uncheck();
    await until(async () => /at least one value/.test(await text(see("sweep-status"))), "words that are missing");
    await see("sweep-key-1").selectOption("lr");
    await see("sweep-mode-1").selectOption("list");
    await see("sweep-list-1").fill("0.3, 1");
    await see("sweep-seeds").fill("4");
    await until(async () => /^6 runs of 4 networks each; the whole sweep takes at most about /.test(await text(see("sweep-status"))), "an estimate");
    // Enter is enough.
    await see("sweep-seeds").press("Enter");
    await until(async () => /sweep=n:8_10_12&series=lr:0\.3_1/.test(page.url()), "the sweep's link");
    const sweep = page.url();
    await until(async () => /^All 6 runs have ended$/.test(await text(see("sweep-progress"))), "the end", 60);
    const cells = page.locator("#cell-0, #cell-1, #cell-2, #cell-3, #cell-4, #cell-5");
    assert.equal(await cells.count(), 6);
    const titles = await cells.evaluateAll((all) => all.map((cell) => cell.title));
    const shares = new Set(titles.map((title) => /reached with (\d+) of 4/.exec(title)[1]));
    // Where all runs have one share, the map shows another quantity.
    const shown = shares.size === 1 ? /^(?!\d\/4$)\S+$/ : /^\d\/4$/;
    for (const cell of await cells.all()) {
      assert.match(await cell.innerText(), shown);
      assert.ok((await cell.getAttribute("aria-label")).startsWith(`${await cell.innerText()} n = `), "its name begins with what is seen");
      assert.match(await cell.getAttribute("title"), /^n = \d+, .*: the target was reached with \d+ of 4 seeds, 95 % interval /);
    }
    await see("sweep-cells").selectOption("steps");
    await until(async () => /^\d+$|k$|–/.test(await page.locator("#cell-0").innerText()), "steps");
    await until(async () => page.url().endsWith("cells=steps"), "the link says so");
    // By keyboard: one cell is in the order, arrows go to the others, Enter opens.
    await page.locator("#cell-0").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.id), "cell-2");
    assert.match(await text(see("map-about")), /^n = 10, /);
    await page.keyboard.press("Enter");
    await until(async () => /n=10/.test(page.url()) && !/sweep=/.test(page.url()), "the cell's run");
    assert.equal(await see("map").count(), 0);
    await see("undo").click();
    await until(async () => page.url() === `${sweep}&cells=steps`, "the sweep again");
    await until(async () => /^All 6 runs have ended$/.test(await text(see("sweep-progress"))), "with all that was found");
    isQuiet(heard);
    await page.close();
  });

  it("shows in what runs differ that all succeed, and saves the metrics of all of them", async () => {
    const { page, heard, see } = await open(`${SMALL.replace("n=10&k=2", "k=1")}&replicas=2&speed=0&sweep=n:8_16_40`);
    await until(async () => /^All 3 runs have ended$/.test(await text(see("sweep-progress"))), "the end", 60);
    const sentence = /^Every run reached the target with all its seeds, so the map shows another quantity\. Median /;
    await until(async () => sentence.test(await text(see("map-about"))), "the reason for another quantity");
    const cells = await page.locator("[id^=cell-]").evaluateAll((all) => all.map((cell) => [cell.innerText, cell.title]));
    for (const [shown, title] of cells) {
      assert.match(title, /reached with 2 of 2 seeds/);
      assert.ok(!shown.includes("/"), shown);
    }
    await see("files").click();
    const metrics = see("save-sweep-metrics");
    await metrics.waitFor();
    assert.equal(await text(metrics), "Metrics of all runs (CSV)");
    assert.equal(await text(see("save-csv")), "Results of the sweep (CSV)");
    const [file] = await Promise.all([page.waitForEvent("download"), metrics.click()]);
    assert.match(file.suggestedFilename(), /-sweep-step\d+-metrics\.csv$/);
    const table = readFileSync(await file.path(), "utf8").split("\n").filter((line) => line && !line.startsWith("#"));
    assert.equal(table[0], "n,step,replica,train_loss,train_accuracy,test_loss,test_accuracy");
    for (const n of [8, 16, 40]) {
      const own = table.filter((line) => line.startsWith(`${n},`));
      assert.ok(own.length > 2 && own.some((line) => line.startsWith(`${n},0,1,`)), `${own.length} lines of n = ${n}`);
    }
    isQuiet(heard);
    await page.close();
  });

  it("cancels at once, keeps what was found, and goes on", async () => {
    const { page, heard, see } = await open(`${SMALL}&halt=steps&replicas=4&speed=800&sweep=n:8_10_12`, { width: 390, height: 844 });
    await until(async () => /^1 of 3 runs, about /.test(await text(see("sweep-progress"))), "the first run", 60);
    const found = await page.locator("#cell-0").innerText();
    const frames = await page.evaluate(async () => {
      let frames = 0;
      document.querySelector("[data-testid=sweep-cancel]").click();
      while (!/^Cancelled/.test(document.querySelector("[data-testid=sweep-progress]").innerText)) {
        await new Promise(requestAnimationFrame);
        frames += 1;
      }
      return frames;
    });
    assert.ok(frames <= 3, `${frames} frames`);
    assert.match(await text(see("sweep-progress")), /^Cancelled after 1 of 3 runs; the results so far are kept$/);
    assert.equal(await page.locator("#cell-0").innerText(), found);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "nothing is wider than the phone");
    await see("play").click();
    await until(async () => /^2 of 3 runs/.test(await text(see("sweep-progress"))), "the second run", 60);
    isQuiet(heard);
    await page.close();
  });

  it("says that more than two settings are swept on the command line", async () => {
    const { page, heard, see } = await open(`${SMALL}&start=paused&sweep=n:8_10&series=lr:0.3_1&further=seed:1_2,width:16_24`);
    await until(async () => /at most two settings of a sweep; .*lab sweep/.test(await text(see("notice"))), "the notice");
    assert.ok(/sweep=n:8_10&series=lr:0\.3_1/.test(page.url()) && !/further=/.test(page.url()), page.url());
    assert.equal(await page.getByTestId("setting-further").count(), 0, "no field for what the page does not show");
    isQuiet(heard);
    await page.close();
  });

  it("refuses a hundred thousand runs with their time and a way to go on", async () => {
    const { page, heard, see } = await open("#v1/sparse-parity?n=12&sweep=lr:log:0.001..1:400&series=seed:lin:1..250:250");
    await until(async () => /at most 1,024 runs; this sweep has 100,000 runs, which take up to .* fewer values, or .*lab sweep/.test(await text(see("notice"))), "the notice");
    assert.ok(!/sweep=/.test(page.url()), page.url());
    isQuiet(heard);
    await page.close();
  });
}
