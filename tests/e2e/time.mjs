// Earlier steps of a run: shown again, and played on with the same numbers.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { lab, pixels, rows, stepOf, tableLines, text, until, visit } from "./harness.mjs";
import { clear, library, stored } from "./library.mjs";

/** Tests in the browser and at the address that `here` gives. */
export function timeAndComparison(here) {
  describe("earlier steps of a run", () => {
    for (const [lab, link, chart, panel] of [
      ["bits", "#v1/sparse-parity?n=12&k=2&width=24&every=10&steps=400&halt=steps&speed=0&show=loss.accuracy.weights", "chart-loss", "chart-weights"],
      ["pairs", "#v1/groups?order=5&width=16&steps=400&every=10&halt=steps&speed=0", "chart-margin", "chart-neurons"],
      ["sequences", "#v1/markov?t=24&batch=8&steps=60&every=4&halt=steps&speed=0&show=kl.map", "chart-kl", "chart-map"],
    ]) {
      it(`are shown by dragging over a curve and played on, for ${lab}`, async () => {
        const { page, heard, see } = await visit(here().context, here().address, link);
        await until(async () => /^Ended|reached|Found|All|last step/i.test(await text(see("status"))), "the end");
        // What listens to the pointer is in the second program, whose parts also move the charts.
        await see("library").waitFor({ timeout: 90_000 });
        await page.waitForTimeout(1500);
        const end = await stepOf(see);
        const whole = await rows(page);
        const picture = () => see(panel).evaluate((canvas) => canvas.toDataURL());
        const last = await picture();

        // Dragging over the curve, from the right to about its middle.
        await see(chart).scrollIntoViewIfNeeded();
        const box = await see(chart).boundingBox();
        const y = box.y + box.height / 2;
        await page.mouse.move(box.x + box.width * 0.8, y);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.4, y, { steps: 12 });
        await page.mouse.up();
        const shown = await stepOf(see);
        assert.ok(shown > end * 0.15 && shown < end * 0.6, `${shown} of ${end}`);
        await until(async () => (await text(see("status"))).startsWith(`Step ${shown} of ${end} is shown again`), "the step to be shown");
        assert.equal(await see("scrub").inputValue(), String(shown));
        assert.match(await see("scrub").getAttribute("aria-valuetext"), new RegExp(`^Step ${shown} of ${end}$`));
        const before = await rows(page);
        assert.deepEqual(before, whole.filter((row) => row.step <= shown));

        // Keys go from measurement to measurement.
        await page.keyboard.press("[");
        await until(async () => (await stepOf(see)) <= shown, "the measurement before");
        await page.keyboard.press("[");
        await until(async () => (await stepOf(see)) < shown, "a measurement before the step");
        const earlier = await stepOf(see);
        assert.ok(whole.some((row) => row.step === earlier), `${earlier}`);
        await page.keyboard.press("]");
        await until(async () => (await stepOf(see)) > earlier, "the measurement after it");

        // The way back, and the same again.
        await page.keyboard.press("Escape");
        await until(async () => (await stepOf(see)) === end, "the end");
        assert.deepEqual(await rows(page), whole);
        await see("scrub").fill("7");
        await until(async () => (await text(see("status"))).startsWith("Step 7 of"), "step 7");
        await until(async () => (await picture()) !== last, "the panel to follow");
        await see("play").click();
        await until(async () => (await stepOf(see)) === end && /^Ended|reached|Found|All/i.test(await text(see("status"))), "the end again");
        assert.deepEqual(await rows(page), whole, "the same numbers");
        assert.ok(await see("scrub-end").isDisabled());
        assert.deepEqual(heard.console, []);
        await page.close();
      });
    }
  });

  describe("kept runs", () => {
    const LINK = "#v1/sparse-parity?n=14&k=2&width=24&every=10&steps=3000&halt=steps&held=256&speed=150";
    // Runs are stored as soon as the page's second program is there.
    const isReady = (page) => page.getByTestId("library").first().waitFor({ timeout: 90_000 });
    /** A test whose pages are closed even where it fails: one that goes on writing would fail the next test as well. */
    const closing = (test) => async () => {
      const { context, address } = here();
      const others = new Set(context.pages());
      try {
        await test(context, address);
      } finally {
        const opened = context.pages().filter((page) => !others.has(page));
        // What went wrong in the test counts.
        await Promise.allSettled(opened.map((page) => page.close()));
      }
    };

    it("survive the closing of the tab, and go on where they were with the same numbers", closing(async (context, address) => {
      // A long start over the runs that begin anew below: one that has caught up leaves nothing to offer.
      // What is kept is the newest checkpoint, which is at most two seconds old: 200 steps at this speed.
      const first = await visit(context, address, LINK.replace("speed=150", "speed=100"));
      const slow = LINK.replace("speed=150", "speed=25");
      await until(async () => (await stepOf(first.see)) > 20, "steps");
      await isReady(first.page);
      await clear(first.page, address);
      await until(async () => (await stepOf(first.see)) > 700, "steps");
      // What was measured last is written down as the page is left.
      await first.page.goto("about:blank");
      await first.page.close();
      for (const link of [slow, ""]) {
        const { page, heard, see } = await visit(context, address, link);
        await see("continue-run").waitFor({ timeout: 60_000 });
        const step = Number(/step ([\d,]+)/.exec(await text(see("continue-run")))[1].replace(",", ""));
        assert.ok(step > 400, `${step}`);
        await see("continue-run").getByRole("button").click();
        // Until the kept run is read, the other one goes on.
        await until(() => /n=14&k=2&width=24/.test(page.url()), "the kept run");
        await until(async () => (await stepOf(see)) > step, "more steps");
        assert.ok((await stepOf(see)) < step + 600, "it did not begin again");
        assert.match(page.url(), /n=14&k=2&width=24/);
        const again = lab("#v1/sparse-parity?n=14&k=2&width=24&every=10&steps=3000&halt=steps&held=256");
        await until(async () => (await stepOf(see)) > step + 50, "measurements");
        const mine = (await rows(page)).filter((row) => row.step > step);
        assert.ok(mine.length > 2);
        for (const row of mine) {
          const other = again.find(({ step }) => step === row.step);
          assert.ok(Math.abs(row.test_loss[0] - other.test_loss[0]) < 1e-5, `step ${row.step}`);
        }
        assert.deepEqual(heard.console, []);
        await page.close();
      }
    }));

    it("are listed, called, pinned, deleted and drawn over the charts, from two tabs at once", closing(async (context, address) => {
      // Both train until they are closed: a run that has ended is written no more.
      const long = LINK.replace("steps=3000", "steps=60000");
      const a = await visit(context, address, long);
      await isReady(a.page);
      await clear(a.page, address);
      const b = await visit(context, address, long.replace("width=24", "width=48"));
      await until(async () => (await stepOf(a.see)) > 100 && (await stepOf(b.see)) > 100, "steps");
      // What another tab writes after the page is opened is in its list when it has the focus again, which no test gives it.
      await until(async () => (await stored(a.page, address)).length === 2, "both runs to be kept", 90);
      await a.page.reload();
      const list = await library(a.see);
      // A list that was unfolded before its runs arrived may be folded again.
      await until(async () => (await (await library(a.see)).locator("li").count()) === 2, "both in the list");
      assert.match(await text(list.locator("li").filter({ hasText: "width" })), /width 24 → 48/);
      const other = list.locator("li").filter({ hasText: "width 24" });
      await other.getByRole("textbox").fill("The wide one");
      await other.getByRole("textbox").press("Enter");
      await until(async () => (await stored(a.page, address)).some((run) => run.name === "The wide one"), "the name to be stored", 90);
      await other.getByRole("button", { name: "Pin" }).click();
      // The other tab goes on writing that run down.
      const before = (await stored(a.page, address)).find((run) => run.name === "The wide one")?.step ?? 0;
      await until(async () => (await stored(a.page, address)).some((run) => run.name === "The wide one" && run.pinned && run.step > before), "the other tab to write", 90);
      const colours = await pixels(a.page, "chart-loss");
      await other.getByRole("button", { name: "Draw the curves of this run in the charts" }).click();
      await until(async () => (await pixels(a.page, "chart-loss")) !== colours, "another curve");
      await a.page.screenshot({ path: process.env.SHOT ?? "/dev/null", type: "png", fullPage: true }).catch(() => {});
      await other.getByRole("button", { name: "Delete" }).click();
      await until(async () => (await list.locator("li").count()) === 1, "it to go");
      await a.see("undo").click();
      await until(async () => (await list.locator("li").count()) === 2, "it to be back");
      assert.deepEqual([...a.heard.console, ...b.heard.console], []);
    }));

    it("are compared: both curves under their own values, one table, and an end that deletes nothing", closing(async (context, address) => {
      const short = "#v1/sparse-parity?n=12&k=2&width=24&every=10&steps=300&halt=steps&held=256&speed=0&show=loss.accuracy";
      // Before the page: a run that ends and is stored before the storage is cleared is not stored again.
      const bare = await context.newPage();
      await bare.goto(`${address}build.txt`);
      await clear(bare, address);
      const { page, heard, see } = await visit(context, address, short);
      await isReady(page);
      const ended = () => until(async () => /Ended at step 300/.test(await text(see("status"))), "the end");
      const legend = (chart) => see(`legend-${chart}`).locator("button").allTextContents();
      await ended();
      assert.equal(await page.getByTestId("compared-runs").count(), 0);
      await see("compare").click();
      await see("compared-runs").waitFor();
      assert.match(await text(see("message")), /^The curves of this run are kept up to step 300\. Change a setting and train: then the curves of both runs are drawn\.$/);
      assert.ok(!(await legend("loss")).some((name) => name.includes("η")), "the run is not drawn over itself");

      // The rate of the next run; it begins by itself, as the run before had ended.
      await see("setting-lr").fill("0.3");
      await see("setting-lr").press("Enter");
      await until(async () => page.url().includes("lr=0.3"), "the new rate in the address");
      await ended();
      for (const chart of ["loss", "accuracy"]) {
        await until(async () => (await legend(chart)).includes("held-out, η = 0.3"), () => legend(chart));
        assert.ok((await legend(chart)).includes("held-out, η = 0.1"), `${await legend(chart)}`);
      }
      assert.match(await text(see("compared-runs")), /^η = 0\.1/);

      // One table, from the row and from the dialog, and the table of this run as it was.
      const download = async (id) => {
        const [file] = await Promise.all([page.waitForEvent("download"), see(id).click()]);
        const parts = [];
        for await (const part of await file.createReadStream()) parts.push(part);
        return { name: file.suggestedFilename(), text: Buffer.concat(parts).toString() };
      };
      const table = await download("compared-csv");
      assert.equal(table.name, "sparse-parity-mlp-seed0-step300-compared.csv");
      assert.match(table.text, /^# run: [^]*\n# run: η = 0\.1\n# program: Vivarium /);
      const [head, ...lines] = tableLines(table.text);
      assert.equal(head, "run,step,replica,train_loss,train_accuracy,test_loss,test_accuracy");
      const of = (name) => lines.filter((line) => line.startsWith(`${name},`));
      assert.deepEqual([of("η = 0.3").length, of("η = 0.1").length, lines.length], [31, 31, 62]);
      const measured = (await rows(page)).map((row) => row.test_loss[0]);
      assert.deepEqual(of("η = 0.3").map((line) => Math.fround(line.split(",")[5])), measured);
      assert.notDeepEqual(of("η = 0.1").map((line) => Math.fround(line.split(",")[5])), measured);
      await see("files").click();
      await see("files-dialog").waitFor();
      assert.equal((await download("save-compared")).text, table.text);
      const own = (await download("save-csv")).text;
      assert.match(own, /^# program: Vivarium /);
      assert.match(tableLines(own)[0], /^step,replica,train_loss/);
      const svg = (await download("save-svg-loss")).text;
      assert.ok(svg.includes("held-out, η = 0.1") && svg.includes("held-out, η = 0.3"), "the names are in the picture");
      await page.keyboard.press("Escape");

      // After a reload the same runs are compared.
      await page.reload();
      await until(async () => /^η = 0\.1/.test(await text(see("compared-runs"))), "the compared run", 90);
      await ended();
      await until(async () => (await legend("loss")).includes("held-out, η = 0.1"), () => legend("loss"));

      await see("stop-comparing").click();
      await until(async () => !(await page.getByTestId("compared-runs").count()), "the row to go");
      await until(async () => (await page.evaluate(() => document.activeElement?.dataset.testid)) === "compare", "the focus on the button");
      await until(async () => !(await legend("loss")).some((name) => name.includes("η")), () => legend("loss"));
      assert.ok((await stored(page, address)).some((run) => run.id.includes("n=12") && !run.id.includes("lr=") && !run.deleted), "the run is kept");
      await see("undo").click();
      await until(async () => (await legend("loss")).includes("held-out, η = 0.1"), () => legend("loss"));
      assert.deepEqual(heard.console, []);
    }));

    it("delete nothing where there is no room, and the page works where nothing can be kept", closing(async (context, address) => {
      const page = await context.newPage();
      await page.addInitScript(() => {
        const put = IDBObjectStore.prototype.put;
        IDBObjectStore.prototype.put = function (...what) {
          if (globalThis.isFull) throw new DOMException("no room", "QuotaExceededError");
          return put.apply(this, what);
        };
        if (location.hash.includes("n=15")) Object.defineProperty(globalThis, "indexedDB", { value: undefined });
      });
      const see = (id) => page.getByTestId(id).first();
      await page.goto(address + LINK);
      await until(async () => (await stored(page, address)).length > 0, "a kept run", 90);
      await page.evaluate(() => (globalThis.isFull = true));
      await see("new-seed").click();
      // A run that a person has deleted goes at some later time.
      const names = async () => (await stored(page, address)).filter((run) => !run.deleted).map((run) => run.id).sort();
      const before = await names();
      assert.ok(before.length > 0);
      await until(async () => /no room left to store/.test(await text(see("library-error"))), "a sentence", 90);
      assert.deepEqual(await names(), before, "what was kept is there");
      await page.close();
      const none = await context.newPage();
      await none.addInitScript(() => Object.defineProperty(globalThis, "indexedDB", { value: undefined }));
      await none.goto(address + LINK);
      const seen = (id) => none.getByTestId(id).first();
      await until(async () => /stores nothing/.test(await text(seen("library-error"))), "a sentence");
      await until(async () => (await stepOf(seen)) > 20, "training");
    }));
  });
}
