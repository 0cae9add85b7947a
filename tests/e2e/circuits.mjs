// The lab of circuits as networks: its search goes on, a person changes bits, chooses circuits and writes their own.

import assert from "node:assert/strict";
import { it } from "node:test";

import { lab, pixels, rows, stepOf, text, until, visit } from "./harness.mjs";
import { overlaps } from "./layout.mjs";

const LAB = "#v1/boolean-circuit";
const PHONE = { width: 390, height: 844 };
/** Places of further measures in a row. */
const [LEAST, BOUND, HELD] = [0, 2, 3];

/** Tests in the browser and at the address that `here` gives. */
export function circuitsLab(here) {
  const open = (link, size) => visit(here().context, here().address, LAB + link, size);
  // The browser's own words when it is asked for a GPU and has none.
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);

  it("searches for the smallest perturbation, which stays above the bounds", async () => {
    const { page, heard, see } = await open("?steps=60&speed=0");
    await until(async () => (await rows(page)).at(-1)?.step === 60, "the last row", 60);
    for (const id of ["chart-norms", "chart-gates", "chart-where", "chart-strays"]) {
      await until(async () => (await pixels(page, id)) > 3, `${id} is drawn`);
    }
    const measured = await rows(page);
    const of = (which) => measured.map((row) => row.measures[which][0]);
    const least = of(LEAST);
    least.forEach((norm, at) => assert.ok(at === 0 || norm <= least[at - 1], "it only falls"));
    assert.ok(least.at(-1) < 0.9 * least[0], `it falls: ${least[0]} to ${least.at(-1)}`);
    assert.ok(of(BOUND)[0] < of(HELD)[0] && of(HELD)[0] < least.at(-1), "the bounds are below");
    assert.ok(measured.every((row) => row.test_accuracy[0] === 1), "all inputs are answered correctly without noise");
    isQuiet(heard);
    await page.close();
  });

  it("is the run: the same bits in the page and on the command line", async () => {
    const links = ["?steps=60&every=20&speed=0&replicas=2", "?circuit=own&text=s=a~and~b;out=not~s&round=no&sigma=0.1&steps=40&every=20&speed=0"];
    for (const link of links) {
      const { page } = await open(link);
      const last = Number(/steps=(\d+)/.exec(link)[1]);
      const measured = await until(async () => { const all = await rows(page); return all.at(-1)?.step === last && all; }, "the end");
      const native = lab(LAB + link, "--device", "cpu");
      assert.equal(measured.length, native.length);
      measured.forEach((row, i) => {
        for (const key of ["train_loss", "train_accuracy", "test_loss", "test_accuracy"]) {
          assert.deepEqual(row[key], native[i][key].map(Math.fround), `${link}: step ${row.step}, ${key}`);
        }
      });
      await page.close();
    }
  });

  it("shows the circuit, whose gates follow the bits of the input", async () => {
    const { page, heard, see } = await open("?n=3&start=paused", PHONE);
    await until(async () => (await see("circuit-drawing").count()) === 1, "the diagram");
    assert.equal(await page.locator("[data-testid=bits] button").count(), 3);
    assert.match(await text(see("circuit-about")), /^For the input 111 the circuit gives 1, and all gates of the network agree with the circuit\.$/);
    const gate = page.locator(".gate__box").first();
    assert.equal(await gate.evaluate((box) => getComputedStyle(box).cursor), "default", "a gate is no button");
    const lit = () => page.locator(".gate--on").count();
    const before = await lit();
    await see("bit-2").click();
    await until(() => page.url().includes("in=1.0.1"), "the input in the link");
    await until(async () => /^For the input 101 the circuit gives 0, /.test(await text(see("circuit-about"))), "another answer");
    assert.equal(await see("bit-2").getAttribute("aria-pressed"), "false");
    assert.notEqual(await lit(), before);
    // By keyboard, and back in one undo.
    await see("bit-3").focus();
    await page.keyboard.press("Space");
    await until(() => page.url().includes("in=1.0.0"), "another bit");
    await page.keyboard.press("Control+z");
    await until(() => page.url().includes("in=1.0.1"), "the bit is back");
    assert.equal(await page.locator(".gate--wrong").count(), 0);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the page");
    const over = await overlaps(page, "[data-testid=circuit-examples] button, [data-testid=bits] button");
    assert.equal(over, 0, "no button lies on another, and no word outside of its button");
    isQuiet(heard);
    await page.close();
  });

  it("marks gates that noise has made wrong, without rounding", async () => {
    const { page, heard, see } = await open("?n=8&round=no&sigma=0.2&steps=20&speed=0");
    await until(async () => (await stepOf(see)) === 20, "the last step", 60);
    await until(async () => (await page.locator(".gate--wrong").count()) > 0, "wrong gates");
    assert.match(await text(see("circuit-about")), /In the network, \d+ gates? (has a wrong value|have wrong values)\.$/);
    isQuiet(heard);
    await page.close();
  });

  it("takes circuits of the list in one change", async () => {
    const { page, heard, see } = await open("?start=paused");
    await until(async () => (await see("circuit-examples").count()) === 1, "the list");
    assert.equal(await see("example-parity").getAttribute("aria-pressed"), "true");
    await see("example-majority").click();
    await until(() => page.url().includes("circuit=majority") && page.url().includes("n=5"), "the circuit in the link");
    await until(async () => (await page.locator("[data-testid=bits] button").count()) === 5, "five bits");
    await page.keyboard.press("Control+z");
    await until(() => !page.url().includes("circuit="), "one undo brings the first back");
    isQuiet(heard);
    await page.close();
  });

  it("takes a circuit of one's own, and says what is wrong line by line", async () => {
    const { page, heard, see } = await open("?start=paused", PHONE);
    await until(async () => (await see("circuit-text").count()) === 1, "the editor");
    assert.match(await see("circuit-text").inputValue(), /^g1 = x1 or x2\n/);
    assert.ok(await see("run-circuit").isDisabled(), "nothing was written yet");
    await see("circuit-text").fill("s = a xor b\nt = s and a\nu a\n");
    const mistakes = () => page.locator("[data-testid=circuit-errors] li").allTextContents();
    await until(async () => (await mistakes()).length === 2, "two mistakes");
    assert.match((await mistakes())[0], /^Line 1: there is no gate “xor”/);
    assert.match((await mistakes())[1], /^Line 3 is not a gate/);
    assert.ok(await see("run-circuit").isDisabled());
    await see("circuit-text").fill("s = t and a\nt = not s");
    await until(async () => /^Line 1: s depends on its own value\.$/.test((await mistakes())[0] ?? ""), "a circle");
    await see("circuit-text").fill("s = a and b\nout = not s");
    await until(async () => (await mistakes()).length === 0, "no mistake");
    await see("run-circuit").click();
    await until(() => page.url().includes("circuit=own&text=s~=~a~and~b;out~=~not~s"), "the circuit in the link");
    await until(async () => (await page.locator("[data-testid=bits] button").count()) === 2, "its two inputs");
    assert.ok(await see("run-circuit").isDisabled(), "it is the circuit on show");
    await see("circuit-text").fill("out = a");
    await see("drop-circuit").click();
    await until(async () => (await see("circuit-text").inputValue()) === "s = a and b\nout = not s", "the text is back");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "nothing is wider than a phone");
    isQuiet(heard);
    await page.close();
  });

  it("says what is wrong with a link, and runs all the same", async () => {
    const many = "g=x;".repeat(2000);
    for (const [link, said] of [
      ["?circuit=own&text=s=a~xor~b", /no gate “xor”/],
      ["?circuit=own&text=s=t;t=not~s", /depends on its own value/],
      [`?circuit=own&text=${many}`, /at most 4096 characters/],
      ["?circuit=own&text=inputs~a;s=a~and~b", /neither in the list of inputs nor assigned/],
      ["?n=32", /parameters/],
      ["?in=1.0", /bits, one for each input of the circuit/],
    ]) {
      const { page, heard, see } = await open(`${link}&speed=0&steps=20`);
      await until(async () => said.test(await text(see("notice"))), `a notice for ${link.slice(0, 40)}`);
      await until(async () => (await rows(page)).length > 1, "a run all the same");
      isQuiet(heard);
      await page.close();
    }
  });
}
