// The lab of a learning algorithm inside a network: a person changes the test input, chooses and writes programs, goes on with a
// search, and moves the points of lemma 5.

import assert from "node:assert/strict";
import { it } from "node:test";

import { stepOf, text, until, visit } from "./harness.mjs";
import { overlaps } from "./layout.mjs";

const LAB = "#v1/succinct-learning";
const SEARCH = "?model=cell-rules&steps=2000&every=10&show=cloud.chosen.rule";
const PHONE = { width: 390, height: 844 };

/** Tests in the browser and at the address that `here` gives. */
export function programLab(here) {
  const open = (link, size) => visit(here().context, here().address, LAB + link, size);
  // The browser's own words when it is asked for a GPU and has none.
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);
  const numbers = (page) => page.locator("[data-testid=query] button");

  it("has a test input whose numbers can be changed, and drawn again", async () => {
    const { page, heard, see } = await open("?start=paused");
    await until(async () => (await numbers(page).count()) === 6, "six numbers");
    const shown = async () => (await numbers(page).evaluateAll((all) => all.map((one) => (one.getAttribute("aria-pressed") === "true" ? "1" : "0")))).join(".");
    const before = await shown();
    assert.ok(await see("draw-query").isDisabled(), "it is the drawn one");
    await see("query-1").click();
    const after = (before[0] === "1" ? "0" : "1") + before.slice(1);
    await until(() => page.url().includes(`query=${after}`), "the test input in the link");
    await until(async () => (await shown()) === after, "the number is changed");
    assert.match(await text(see("query-1")), after[0] === "1" ? /^x1 = \+1$/ : /^x1 = −1$/);
    // By keyboard, and back in one undo.
    await see("query-2").focus();
    await page.keyboard.press("Space");
    await until(() => !page.url().includes(`query=${after}`) && page.url().includes("query="), "another test input");
    await page.keyboard.press("Control+z");
    await until(() => page.url().includes(`query=${after}`), "the number is back");
    await see("draw-query").click();
    await until(() => !page.url().includes("query="), "nothing in the link");
    await until(async () => (await shown()) === before, "the drawn test input");
    assert.equal(await text(see("network-answer")), "no answer yet");
    assert.match(await text(see("concept-label")), /^[+−]1$/);
    isQuiet(heard);
    await page.close();
  });

  it("writes rows, runs the program, marks the next line, and answers", async () => {
    const { page, heard, see } = await open("?steps=60&speed=0");
    await until(async () => (await stepOf(see)) === 60, "the last step", 60);
    await until(async () => /Layers applied51.*Rows written9 of 9/.test(await text(see("network-size"))), "the cells of the last step");
    const sentence = await until(async () => /^In state (\S+) the head reads (\S+), writes \S+ and .+; the next state is \S+\./.exec(await text(see("program-now"))), "a rule");
    const marked = page.locator("[data-testid=listing] [aria-current=step]");
    await until(async () => (await marked.count()) === 1, "one marked line");
    const line = await text(marked.locator("code"));
    assert.ok(line.startsWith(`${sentence[1]} `), `${line} is of ${sentence[1]}`);
    assert.ok(line.split(" ")[1].includes(sentence[2]), `${line} reads ${sentence[2]}`);
    assert.match(await text(see("filter-size")), /included20.*Symbols3.*included49/);
    isQuiet(heard);
    await page.close();
    const all = await open("?speed=0");
    await until(async () => (await stepOf(all.see)) === 200, "the last step", 60);
    await until(async () => /^[+−]1$/.test(await text(all.see("network-answer"))), "an answer");
    assert.match(await text(all.see("program-now")), /^The program has halted\. Its answer is [+−]1\.$/);
    assert.equal(await all.page.locator("[data-testid=listing] [aria-current=step]").count(), 0, "no line is next");
    isQuiet(all.heard);
    await all.page.close();
  });

  it("takes programs of the list in one change", async () => {
    const { page, heard, see } = await open("?start=paused&query=1.0.1.0.1.0");
    await until(async () => (await see("program-examples").count()) === 1, "the list");
    assert.equal(await see("learner-dictator").getAttribute("aria-pressed"), "true");
    await see("learner-parity").click();
    const parts = ["concept=parity", "inputs=4", "program=parity", "steps=1100"];
    await until(() => parts.every((part) => page.url().includes(part)), "parity in the link");
    assert.ok(!page.url().includes("query="), "a test input of six numbers does not fit");
    await until(async () => (await numbers(page).count()) === 4, "four numbers");
    assert.equal(await see("learner-parity").getAttribute("aria-pressed"), "true");
    assert.match(await text(see("filter-size")), /included47.*Symbols12.*included270/);
    await page.keyboard.press("Control+z");
    await until(() => page.url().includes("query=1.0.1.0.1.0") && !page.url().includes("program="), "one undo brings all back");
    isQuiet(heard);
    await page.close();
  });

  it("takes a program of one's own, and says what is wrong line by line", async () => {
    const { page, heard, see } = await open("?start=paused", PHONE);
    await until(async () => (await see("program-text").count()) === 1, "the editor");
    assert.match(await see("program-text").inputValue(), /^start \+- → \* S L0\n/);
    assert.ok(await see("run-program").isDisabled(), "nothing was written yet");
    const mistakes = () => page.locator("[data-testid=program-errors] li").allTextContents();
    await see("program-text").fill("a * → * S b\nb + = * L b\nb - → * X b\n");
    await until(async () => (await mistakes()).length === 2, "two mistakes");
    assert.match((await mistakes())[0], /^Line 2: expected state, symbols read → symbol to write, move, next state, found: b \+ = \* L b\.$/);
    assert.match((await mistakes())[1], /^Line 3: unknown move X/);
    assert.ok(await see("run-program").isDisabled());
    await see("program-text").fill("a * → * L b\nb * → * S HALT");
    await until(async () => /^Line 1: in the start state a, a head that reads/.test((await mistakes())[0] ?? ""), "the first step");
    await see("program-text").fill("a * -> * S b\nb * -> * S HALT // no answer");
    await until(async () => (await mistakes()).length === 0, "no mistake");
    await see("run-program").click();
    await until(() => page.url().includes("program=own&grid="), "the program in the link");
    await until(async () => (await page.locator("[data-testid=listing] li").count()) === 2, "two lines");
    assert.equal(await see("learner-own").getAttribute("aria-pressed"), "true");
    assert.ok(await see("run-program").isDisabled(), "it is the program on show");
    await see("program-text").fill("a");
    await see("drop-program").click();
    await until(async () => (await see("program-text").inputValue()).endsWith("HALT // no answer"), "the text is back");
    // The button that was pressed is disabled by now.
    await see("learner-own").focus();
    await page.keyboard.press("Control+z");
    await until(() => !page.url().includes("program="), "one undo brings the first program back");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the page");
    isQuiet(heard);
    await page.close();
  });

  it("shows the rule that a search has found, and goes on to other problems", async () => {
    const { page, heard, see } = await open(SEARCH);
    const entries = page.locator("[data-testid=rule-table] tbody td");
    await until(async () => (await entries.count()) === 9, "nine entries", 60);
    assert.ok((await entries.allTextContents()).every((entry) => ["−1", "0", "+1"].includes(entry)));
    assert.ok((await page.locator("[data-testid=rule-reading] li").count()) >= 3);
    assert.match(await text(see("rule-result")), /^Restart [\d,]+ found this rule\./);
    assert.match(await text(see("odds-table")), /40,000.*773.*10−115,527/);
    assert.equal(await page.locator("[data-testid=odds-table] tbody tr").count(), 4);
    await until(async () => /^For comparison: of the [\d,]+ rules tried here/.test(await text(see("odds-compared"))), "the comparison");
    assert.equal(await page.getByTestId("query").count(), 0, "a search has no test input");
    await see("twice-size").click();
    await until(() => page.url().includes("inputs=12&examples=16"), "twice the size in the link");
    await see("another-task").click();
    await until(() => page.url().includes("seed=1"), "another seed");
    for (const size of ["inputs=24&examples=32", "inputs=31&examples=64", "inputs=31&examples=100"]) {
      await see("twice-size").click();
      await until(() => page.url().includes(size), size);
    }
    await until(() => see("twice-size").isDisabled(), "nothing is larger");
    isQuiet(heard);
    await page.close();
  });

  it("draws a ReLU network through points that can be moved", async () => {
    const { page, heard, see } = await open("?start=paused");
    await until(async () => (await see("interpolation-graph").count()) === 1, "the graph");
    const graph = () => see("interpolation-graph").getAttribute("d");
    const moved = async (what) => {
      const before = await graph();
      await what();
      await until(async () => (await graph()) !== before, "another graph");
    };
    assert.equal((await graph()).split("L").length, 37);
    assert.match(await text(see("interpolation-units")), /^The network has 40 ReLUs/);
    await see("interpolation-3").focus();
    await until(async () => /^Point 3: x = 0, value 1\.2, slope 1$/.test(await text(see("interpolation-chosen"))), "the point in words");
    await moved(() => page.keyboard.press("ArrowUp"));
    assert.match(await text(see("interpolation-chosen")), /value 1\.25, slope 1$/);
    await moved(() => page.keyboard.press("Space"));
    assert.match(await text(see("interpolation-chosen")), /slope 0$/);
    await moved(() => see("interpolation-slope").click());
    assert.match(await text(see("interpolation-chosen")), /slope 1$/);
    // A drag, and the same place as another point's.
    await see("interpolation-plane").evaluate((plane) => plane.scrollIntoView({ block: "center" }));
    const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
    const from = middle(await see("interpolation-4").boundingBox());
    await moved(async () => {
      await page.mouse.move(...from);
      await page.mouse.down();
      await page.mouse.move(from[0] + 30, from[1] - 40, { steps: 4 });
      await page.mouse.up();
    });
    assert.match(await text(see("interpolation-chosen")), /^Point 4: x = 1\./);
    await see("interpolation-reset").click();
    await until(async () => /^Point 4: x = 0\.9, value 0\.4, slope 0$/.test(await text(see("interpolation-chosen"))), "the first points");
    // From 0.9 to 0, where point 3 is.
    await see("interpolation-4").focus();
    await page.keyboard.press("Shift+ArrowLeft");
    for (let presses = 0; presses < 8; presses++) await page.keyboard.press("ArrowLeft");
    await until(async () => /^Points 3 and 4 have the same position\.$/.test(await text(see("interpolation-error"))), "the reason");
    assert.equal(await graph(), "", "there is no such network");
    await page.keyboard.press("ArrowRight");
    await until(async () => /^M/.test(await graph()), "a network again");
    assert.equal(await text(see("interpolation-error")), "");
    await page.locator("[data-testid=interpolation-weights] summary").click();
    await until(async () => (await page.locator("[data-testid=interpolation-weights] table").count()) === 3, "three layers");
    assert.equal(page.url().includes("points"), false, "nothing of it is in the link");
    isQuiet(heard);
    await page.close();
  });

  it("has its buttons beside each other, and fits a phone", async () => {
    for (const link of ["?start=paused", "?start=paused&inputs=31&examples=40&program=parity", SEARCH]) {
      const { page, heard, see } = await open(link);
      await until(async () => (await see("interpolation-graph").count()) === 1, "the panel");
      if (link === SEARCH) await see("rule-table").waitFor({ timeout: 60_000 });
      assert.equal(await overlaps(page, "[data-testid=inside] button"), 0, `${link}: no button lies on another, and no word outside of its button`);
      await page.setViewportSize(PHONE);
      await until(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${link}: nothing is wider than a phone`);
      isQuiet(heard);
      await page.close();
    }
  });
}
