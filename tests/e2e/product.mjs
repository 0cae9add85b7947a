// What holds for the page in every lab: everybody can use it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { it } from "node:test";

import { rows, stepOf, until, visit } from "./harness.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core finds: a line for each rule that does not hold, with where. */
export async function violations(page) {
  // Colours that are still changing, as after a switch between light and dark, are those of neither.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished)));
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map((v) => `${v.id} (${v.impact}): ${v.nodes.map((n) => n.target.join(" ")).slice(0, 4).join(", ")}`);
}

const VIEWS = [
  ["the first view", ""],
  ["groups", "#v1/groups"],
  ["sequences", "#v1/markov?show=kl.strategies.scores.map.next"],
  ["the theory", "#v1/markov?model=minimal-markov&opt=sgd&t=100&w0=0.02&lr=0.002&batch=64&show=kl.kernel.lags.theory"],
  ["Boolean functions", "#v1/sparse-boolean?n=50&m=200&heads=4&show=accuracy.looks"],
  ["a sweep", "#v1/sparse-parity?n=12&k=2&width=16&steps=200&sweep=lr:0.05_0.1&show=times.sweep"],
  ["a map of a sweep", "#v1/sparse-parity?k=2&width=16&steps=200&replicas=2&sweep=n:8_10_12&series=lr:0.05_0.1&speed=0&cells=steps"],
  ["width and luck", "#v1/sparse-parity?n=12&k=2&width=20&init=sparse&held=128&steps=400&halt=steps&show=accuracy.luck"],
  ["a map with a floor", "#v1/sparse-parity?n=100&width=3&steps=10&every=5&replicas=2&sweep=m:5_500&series=k:2_6&speed=0"],
  ["a bad link", "#v1/sparse-parity?n=4000&colour=red"],
  ["a lesson", "#v1/sparse-parity?n=12&k=2&width=16&hide=claim&lock=n"],
];

/** Tests in the browser and at the address that `here` gives. */
export function everyView(here) {
  for (const [name, link] of VIEWS) {
    it(`has no violation that axe-core knows: ${name}`, async () => {
      const { context, address } = here();
      for (const [colours, width] of [["light", 1440], ["dark", 390]]) {
        const { page, see } = await visit(context, address, link, { width, height: 900 });
        await page.emulateMedia({ colorScheme: colours });
        await until(async () => (await stepOf(see)) > 0, "a step");
        // It comes with the second program, and all else of that with it.
        await see("library").locator("summary").click();
        assert.deepEqual(await violations(page), [], `${name}, ${colours}, ${width} pixels`);
        await page.close();
      }
    });
  }

  it("has no violation that axe-core knows: every dialog", async () => {
    const { page, see } = await visit(here().context, here().address);
    await until(async () => (await stepOf(see)) > 0, "a step");
    for (const dialog of ["help", "files", "stories", "teach", "sweep"]) {
      await see(dialog).click();
      await until(() => page.locator("dialog[open]").isVisible(), dialog);
      if (dialog === "teach") {
        await page.locator(".teacher__hidden summary").click();
        await page.locator('.teacher select[name="lock"]').selectOption("except");
      }
      assert.deepEqual(await violations(page), [], dialog);
      await page.keyboard.press("Escape");
      await until(async () => !(await page.locator("dialog[open]").count()), `${dialog} to close`);
    }
    await page.close();
  });

  it("shows the numbers behind every chart in a table, which axe-core finds nothing wrong with", async () => {
    const { page, see, heard } = await visit(here().context, here().address, "#v1/sparse-parity?n=12&k=2&width=16&steps=300&halt=steps&every=10&speed=0&show=loss.weights.times");
    await until(async () => (await stepOf(see)) === 300, "the end");
    await see("numbers-loss").focus();
    await page.keyboard.press("Enter");
    const cells = await until(async () => {
      const all = await see("numbers").locator("tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
      return all.length > 1 && all;
    }, "the table");
    assert.deepEqual(cells[0].slice(0, 1), ["step"]);
    const measured = await rows(page);
    assert.equal(cells.length, 1 + measured.length);
    // Every number of the table is what was measured.
    for (const row of measured) {
      const shown = cells.slice(1).find(([step]) => Number(step) === row.step).slice(1).map(Number);
      assert.ok([row.train_loss[0], row.test_loss[0]].every((loss) => shown.some((n) => Math.abs(n - loss) < 1e-6)), `step ${row.step}: ${shown}`);
    }
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    await until(async () => !(await page.locator("dialog[open]").count()), "the dialog to close");
    await see("numbers-weights").click({ force: true });
    await until(async () => (await see("numbers").locator("tr").count()) === 13, "a row for each input");
    assert.deepEqual(heard.console.filter((said) => !said.includes("No available adapters")), []);
    await page.close();
  });
}
