// The trained half of the in-context lab: it trains, its charts appear, and a person looks into a prompt.

import assert from "node:assert/strict";
import { it } from "node:test";

import { inSingle, lab, pixels, rows, stepOf, text, until, visit } from "./harness.mjs";

/** The number that a cell shows. */
const number = (shown) => Number(shown.replace("−", "-"));

/** Tests in the browser and at the address that `here` gives. */
export function inContextLab(here) {
  const open = (link, size) => visit(here().context, here().address, link, size);
  // The browser's own words when it is asked for a GPU and has none.
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);

  it("learns to predict from examples, beside methods that see one prompt", async () => {
    const { page, heard, see } = await open("#v1/in-context-learning?steps=600&speed=0&device=cpu&show=explained.examples.prompt.maps");
    await until(async () => (await rows(page)).at(-1)?.step === 600, "the last row", 120);
    const measured = await rows(page);
    const [first, last] = [measured[0], measured.at(-1)].map((row) => row.test_accuracy[0]);
    assert.ok(last > first + 0.3, `R² rises from ${first} to ${last}`);
    for (const id of ["chart-explained", "chart-examples", "chart-prompt", "chart-maps"]) {
      await until(async () => (await pixels(page, id)) > 3, `${id} is drawn`);
    }
    await until(async () => /ridge/i.test(await see("chart-examples").getAttribute("aria-label")), "the baselines");
    isQuiet(heard);
    await page.close();
  });

  it("shows a prompt with as many examples as a person wants, by mouse and by keyboard", async () => {
    const { page, heard, see } = await open("#v1/in-context-learning?start=paused", { width: 390, height: 844 });
    await until(async () => (await see("examples-shown").count()) === 1, "the slider");
    assert.match(await text(see("origin")), /^Held-out prompt 1 of 64: 17 points/);
    assert.equal(await see("examples-shown").inputValue(), "16");
    await see("examples-shown").focus();
    await page.keyboard.press("ArrowLeft");
    await until(() => page.url().includes("place=15"), "one example fewer in the link");
    await page.keyboard.press("Home");
    await until(async () => /place=1(&|$)/.test(page.url()), "one example");
    await until(async () => (await text(see("prompt-answer"))).startsWith("After 1 example the question is x = "), "what is said");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "examples-shown", "the slider keeps the focus");
    assert.equal(await see("label-2").count(), 1, "the point that is asked is in the table");
    assert.equal(await see("label-3").count(), 0, "later points are not");
    await until(async () => Number.isFinite(number(await text(see("prediction-0")))), "the network's prediction");
    const before = await text(see("label-1"));
    await see("next-example").click();
    await until(async () => (await text(see("origin"))).startsWith("Held-out prompt 2"), "the next one");
    assert.notEqual(await text(see("label-1")), before);
    assert.ok(page.url().includes("example=2"));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "nothing is wider than a phone");
    isQuiet(heard);
    await page.close();
  });

  it("shows what the network makes of other inputs without training it again", async () => {
    const { page, heard, see } = await open("#v1/in-context-learning?steps=200&halt=steps&speed=0&device=cpu&show=explained.examples.prompt");
    // A measurement is made in slices, so that the step is on the page before its row.
    await until(async () => (await rows(page)).at(-1)?.step === 200, "the last row", 120);
    await until(async () => (await see("inputs-factor").count()) === 1, "the slider");
    const before = [await text(see("label-1")), await rows(page)];
    await see("inputs-factor").focus();
    // One press after the other, as a person does: each is in the link before the next.
    for (let press = 0; press < 4; press++) {
      const link = page.url();
      await see("inputs-factor").press("ArrowRight");
      await until(() => page.url() !== link, "a larger factor", 60);
    }
    assert.match(page.url(), /shift=2(&|$)/, "the factor in the link");
    assert.match(await text(see("inputs-factor-about")), /2 times the inputs of the run's test prompts/);
    await until(async () => /inputs multiplied by 2\. Network: -?[−0-9]/.test(await see("chart-examples").getAttribute("aria-label")), "the curve on such inputs", 180);
    assert.equal(await stepOf(see), 200, "nothing began again");
    assert.deepEqual(await rows(page), before[1]);
    for (let press = 0; press < 4; press++) {
      const link = page.url();
      await see("inputs-factor").press("ArrowLeft");
      await until(() => page.url() !== link, "a smaller factor", 60);
    }
    assert.ok(!page.url().includes("shift="), "the inputs of the test again");
    await until(async () => (await text(see("label-1"))) === before[0], "the prompt as it was", 60);
    isQuiet(heard);
    await page.close();
  });

  it("is the run: the same bits in the page and on the command line", async () => {
    const links = [
      "#v1/in-context-learning?points=5&batch=8&held=64&steps=40&every=20&speed=0&replicas=2",
      "#v1/in-context-learning?points=5&batch=8&held=64&steps=40&every=20&speed=0&format=joint&attend=relu&norm=layer",
    ];
    for (const link of links) {
      const { page, see } = await open(link);
      await until(async () => (await rows(page)).at(-1)?.step === 40, "the end");
      assert.match(await text(see("status")), /./);
      assert.deepEqual(await rows(page), lab(link, "--device", "cpu").map(inSingle), link);
      await page.close();
    }
  });
}
