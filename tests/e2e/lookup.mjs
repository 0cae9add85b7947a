// The look-up lab: it trains, its charts appear, and a person changes a prompt and sees what the network answers.

import assert from "node:assert/strict";
import { it } from "node:test";

import { inSingle, lab, pixels, rows, stepOf, text, until, visit } from "./harness.mjs";

/** The number that a cell or a box shows. */
const number = (shown) => Number(shown.replace("−", "-"));

/** Tests in the browser and at the address that `here` gives. */
export function lookupLab(here) {
  const open = (link, size) => visit(here().context, here().address, link, size);
  // The browser's own words when it is asked for a GPU and has none.
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);

  it("learns to look names up, and says what theory allows", async () => {
    const { page, heard, see } = await open("#v1/sparse-token-regression?speed=0&device=cpu&steps=4000&show=error.qk.glances.answered.positions");
    await until(async () => (await rows(page)).at(-1)?.step === 4000, "the last row", 120);
    const measured = await rows(page);
    assert.ok(measured.at(-1).test_accuracy[0] > 0.9, `R² is ${measured.at(-1).test_accuracy[0]}`);
    for (const id of ["chart-error", "chart-qk", "chart-glances", "chart-answered", "chart-positions"]) {
      await until(async () => (await pixels(page, id)) > 3, `${id} is drawn`);
    }
    const said = await see("chart-glances").getAttribute("aria-label");
    assert.match(said, /^Names at position 8: \d and \d; head 1 has its largest attention weight at position \d \(\d+\.\d %\) and head 2 has its largest attention weight at position \d/);
    await until(async () => /of the variance is explained at step|Ended at step 4,000/.test(await text(see("status"))), "the end");
    isQuiet(heard);
    await page.close();
  });

  it("has floors for fewer heads than names, and counts sequences instead of steps", async () => {
    const { page, heard, see } = await open("#v1/sparse-token-regression?h=1&steps=300&speed=0&device=cpu&show=error");
    await until(async () => (await stepOf(see)) === 300, "the last step");
    await until(async () => /The theoretical lower bound with 1 head is 0\.500\.$/.test(await see("chart-error").getAttribute("aria-label")), "the bound");
    await see("count-examples").click();
    await until(() => page.url().includes("count=examples"), "the link");
    assert.equal(await see("count-examples").getAttribute("aria-pressed"), "true");
    await see("add-head").click();
    await until(() => !page.url().includes("h=1"), "another head");
    await until(async () => (await stepOf(see)) === 300, "the run with it");
    isQuiet(heard);
    await page.close();
  });

  it("answers a prompt whose names and numbers a person has changed", async () => {
    const { page, heard, see } = await open("#v1/sparse-token-regression?begin=construction&lr=0&start=paused", { width: 390, height: 844 });
    await until(async () => (await see("prompt").count()) === 1, "the table");
    await until(async () => /^[−\d]/.test(await text(see("answer-8"))), "an answer");
    const near = async (at) => Math.abs(number(await text(see(`label-${at}`))) - number(await text(see(`answer-${at}`))));
    assert.ok((await near(8)) < 0.1, "the construction answers with the label");
    const before = await text(see("answer-8"));
    const first = Number(await see("name-8-1").inputValue());
    const other = [1, 2, 3, 4, 5, 6, 7, 8].find((at) => at !== first && String(at) !== "8");
    await see("name-8-1").fill(String(other));
    await page.keyboard.press("Enter");
    await until(() => page.url().includes(`named=15:${other}`), "the name in the link");
    await until(async () => (await text(see("answer-8"))) !== before, "another answer");
    assert.ok((await near(8)) < 0.1, "the answer follows the name");
    const named = await text(see("answer-8"));
    await see(`token-${other}-1`).fill("1.5");
    await see(`token-${other}-1`).blur();
    await until(() => page.url().includes(`tokens=${other}:1.5`), "the number in the link");
    await until(async () => (await text(see("answer-8"))) !== named, "the answer follows the number");
    assert.ok((await near(8)) < 0.1);
    await see("name-8-1").fill("9");
    await page.keyboard.press("Enter");
    await until(async () => /a position from 1 to 8/.test(await text(see("prompt-error"))), "the reason");
    assert.equal(await see("name-8-1").inputValue(), String(other), "the last name stays");
    // The keyboard chooses whose names are looked up.
    await see("position-8").focus();
    await page.keyboard.press("ArrowUp");
    await until(() => page.url().includes("place=7"), "the position in the link");
    await until(() => page.evaluate(() => document.activeElement?.id === "position-7"), "the focus follows");
    assert.match(await text(see("prompt-answer")), /^Position 7 contains the names \d and \d\. The label of this position is [−\d]/);
    await see("as-drawn").click();
    await until(() => !/named=|tokens=/.test(page.url()), "as it was drawn");
    assert.equal(Number(await see("name-8-1").inputValue()), first);
    await see("next-example").click();
    await until(async () => (await text(see("origin"))).startsWith("Held-out prompt 2"), "the next one");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "nothing is wider than a phone");
    isQuiet(heard);
    await page.close();
  });

  it("goes on where prompts get shorter, by link, by form and by undo", async () => {
    const { page, heard, see } = await open("#v1/sparse-token-regression?n=12&dim=3&q=3&start=paused");
    const cells = async () => [await page.getByTestId(/^token-/).count(), await page.getByTestId(/^name-/).count()].join();
    await until(async () => (await cells()) === "36,36", "the long table");
    for (const [key, link, expected] of [["n", "6", "18,18"], ["dim", "1", "6,18"], ["q", "1", "6,6"]]) {
      await see(`setting-${key}`).fill(link);
      await page.keyboard.press("Enter");
      await until(async () => (await cells()) === expected, `the table with ${key} = ${link}`);
    }
    await page.evaluate(() => (location.hash = "#v1/sparse-token-regression?n=9&start=paused"));
    await until(async () => (await cells()) === "9,18", "the table of the link");
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("Control+z");
    await until(async () => (await cells()) === "6,6", "the table before");
    assert.equal(await see("code-pairs").count(), 0, "one-hot codes are never alike");
    await page.evaluate(() => (location.hash = "#v1/sparse-token-regression?n=9&codes=random&start=paused"));
    await until(async () => /For \d+ of 36 pairs of positions/.test((await see("code-pairs").allTextContents()).join()), "the pairs of codes that are alike");
    isQuiet(heard);
    await page.close();
  });

  it("is the run: the same bits in the page and on the command line", async () => {
    const links = [
      "#v1/sparse-token-regression?n=5&batch=8&held=64&steps=60&every=20&speed=0&replicas=2",
      "#v1/sparse-token-regression?model=token-mlp&n=5&dim=2&widths=16&batch=8&held=64&steps=40&every=20&speed=0",
      "#v1/sparse-token-regression?model=gru&n=5&width=8&batch=8&held=64&steps=40&every=20&speed=0",
    ];
    for (const link of links) {
      const { page, see } = await open(link);
      await until(async () => (await rows(page)).at(-1)?.step === Number(/steps=(\d+)/.exec(link)[1]), "the end");
      assert.match(await text(see("status")), /./);
      assert.deepEqual(await rows(page), lab(link, "--device", "cpu").map(inSingle), link);
      await page.close();
    }
  });
}
