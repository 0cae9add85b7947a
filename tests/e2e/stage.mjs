// The first screen: a moving picture of each lab that can be touched, in the browser of somebody who is here for the first time.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";

import { open, pixels, stepOf, text, until, visit } from "./harness.mjs";
import { violations } from "./product.mjs";

const PHONE = { width: 390, height: 844 };
const LAB = process.env.LAB ?? join(process.env.CARGO_TARGET_DIR ?? "target", "debug", "lab");

/** A small parity that is found after some four seconds. */
const SMALL = "#v1/sparse-parity?n=12&k=2&width=24&seed=3&steps=2000&every=10&speed=20";

/** The default run of every lab. */
const LABS = [
  "sparse-parity", "groups", "markov", "sparse-boolean", "tabular", "teacher-student", "sparse-token-regression",
  "in-context-learning", "in-context-regression", "turing-machine", "boolean-circuit", "machine-traces", "succinct-learning",
];

/** A number as the page writes it, with a typographic minus. */
const signed = (words) => Number(words.replace("−", "-").replace("+", ""));

/** What the network of a run answers in the end to inputs, as the command line computes it. */
function answers(link, inputs) {
  const folder = mkdtempSync(join(tmpdir(), "vivarium-inputs-"));
  try {
    const file = join(folder, "inputs.csv");
    writeFileSync(file, inputs.map((bits) => bits.join(",")).join("\n") + "\n");
    const given = ["probe", link, "--arrays", "outputs", "--inputs", file, "--format", "json", "--quiet"];
    const all = JSON.parse(execFileSync(LAB, given, { encoding: "utf8" }));
    return all.arrays.find((array) => array.array === "outputs").values;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Tests in a browser of their own, at the address that `address` gives. */
export function stage(address) {
  let browser;
  before(async () => {
    browser = await open({ details: false });
  });
  after(() => browser?.close());

  const visitStage = async (link = "", size = undefined) => {
    const opened = await visit(browser.context, address(), link, size);
    await until(async () => (await text(opened.see("stage-headline"))).length > 0, "a sentence above the picture");
    return opened;
  };
  const spoken = (see) => text(see("stage-spoken"));
  const shownStep = async (see) => Number(/^Step ([\d,]+) of/.exec(await see("stage-slider").getAttribute("aria-valuetext"))?.[1].replaceAll(",", ""));

  it("is a picture of the run, which fits a laptop and a phone without scrolling and has few controls", async () => {
    for (const [size, most] of [[{ width: 1440, height: 900 }, 12], [{ width: 1280, height: 720 }, 12], [PHONE, 12]]) {
      const { page, heard, see } = await visitStage("", size);
      assert.match(await text(see("stage-headline")), /^64 neurons search for 3 secret bits\. Flip one\.$/);
      await until(async () => (await pixels(page, "stage-picture")) > 4, "a picture");
      await until(async () => (await shownStep(see)) > 5, "new weights in the picture");
      const [wide, high] = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
      assert.ok(wide <= 0 && high <= 0, `${wide} pixels too wide and ${high} too high at ${size.width}`);
      const controls = await page.locator("a[href]:visible, button:visible:not(.target), select:visible, input:visible").count();
      assert.ok(controls <= most, `${controls} controls at ${size.width}`);
      assert.equal(await page.locator(".target").count(), 20);
      assert.deepEqual(heard.console, []);
      await page.close();
    }
  });

  it("answers a touch with the weights of the run, as the command line computes them", async () => {
    const { page, heard, see } = await visitStage(SMALL);
    await until(async () => /^Flip bit \d+: the answer turns\. Flip bit \d+: it does not\.$/.test(await text(see("stage-headline"))), "the end of the run");
    const bits = () => page.locator(".target").evaluateAll((all) => all.map((one) => (one.getAttribute("aria-pressed") === "true" ? 1 : -1)));
    const seen = [];
    let turned = 0;
    for (let bit = 0; bit < 12; bit++) {
      const before = await spoken(see);
      await see(`target-bit-${bit}`).click();
      await until(async () => (await spoken(see)) !== before, "the effect of a touch");
      const [, from, to] = /The answer changed from (\S+) to (\S+)\.$/.exec(await spoken(see)) ?? [];
      seen.push({ bits: await bits(), answer: signed(to) });
      turned += Number(signed(from) * signed(to) < 0);
    }
    assert.equal(turned, 2, "the two secret bits turn the answer");
    const computed = answers(SMALL, seen.map((one) => one.bits));
    seen.forEach((one, at) => assert.ok(Math.abs(one.answer - computed[at]) < 0.006, `${one.answer} and ${computed[at]}`));
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("goes back to any step with the slider, replays the run, and shows its end again", async () => {
    const { page, heard, see } = await visitStage(SMALL);
    await see("stage-replay").waitFor({ timeout: 60_000 });
    const end = await until(() => shownStep(see), "the last step");
    await see("stage-slider").focus();
    await page.keyboard.press("Home");
    await until(async () => (await shownStep(see)) === 0, "the first step");
    await until(async () => /^Step 0\./.test(await text(see("stage-description"))), "its description");
    await see("stage-replay").click();
    await until(async () => { const step = await shownStep(see); return step > 0 && step < end; }, "the replay to move", 20);
    await see("stage-replay").click();
    await until(async () => (await shownStep(see)) === end, "the end");
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("can be used with the keyboard alone", async () => {
    const { page, see } = await visitStage(SMALL);
    await see("stage-replay").waitFor({ timeout: 60_000 });
    await see("target-bit-0").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await until(async () => /^Bit 2 is (plus|minus) 1\./.test(await spoken(see)), "a bit that is flipped by Space");
    await page.close();
  });

  it("has a moving picture of every lab, whose first target answers, and of which axe-core knows no fault", async () => {
    for (const lab of LABS) {
      for (const size of [{ width: 1440, height: 900 }, PHONE]) {
        const { page, heard, see } = await visitStage(`#v1/${lab}`, size);
        await until(async () => (await pixels(page, "stage-picture")) > 3, `a picture of ${lab}`);
        const high = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
        assert.ok(high <= 0, `${lab}: ${high} pixels too high at ${size.width}`);
        const target = page.locator(".target").first();
        await target.waitFor();
        const handle = await target.evaluate((node) => node.classList.contains("target--handle"));
        await until(async () => {
          await target.focus();
          // A handle at the end of its way moves to the other side.
          for (const key of handle ? ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"] : ["Space"]) await page.keyboard.press(key);
          return (await spoken(see)).length > 5;
        }, `an answer of ${lab}`, 10);
        assert.ok((await text(see("stage-description"))).length > 20, lab);
        if (size !== PHONE) assert.deepEqual(await violations(page), [], lab);
        // A browser without a GPU says so once.
        assert.deepEqual(heard.console.filter((line) => !/No available adapters/.test(line)), [], lab);
        await page.close();
      }
    }
  });

  it("changes a setting in a drawer beside the picture, which follows at once", async () => {
    const { page, heard, see } = await visitStage(SMALL);
    await see("stage-settings").click();
    const bits = see("stage-drawer").getByTestId("setting-n");
    await bits.fill("8");
    await bits.press("Enter");
    await until(async () => (await page.locator(".target").count()) === 8, "a picture with eight bits");
    assert.match(page.url(), /n=8/);
    await page.keyboard.press("Escape");
    await until(async () => !(await see("stage-drawer").count()), "the drawer to close");
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("opens the details, which are remembered, and comes back", async () => {
    const { page, see } = await visitStage(SMALL);
    await see("show-details").click();
    await see("chart-loss").waitFor();
    await until(async () => (await stepOf(see)) > 0, "steps");
    assert.ok(!(await see("stage").isVisible()));
    await page.reload();
    await see("chart-loss").waitFor();
    await see("show-picture").click();
    await until(async () => (await pixels(page, "stage-picture")) > 4, "the picture");
    assert.ok(!(await see("chart-loss").isVisible()));
    // The choice is that of this browser: the next test is another visitor again.
    assert.equal(await page.evaluate(() => localStorage.getItem("vivarium.view")), "picture");
    await page.close();
  });

  it("does not move by itself for a visitor who wants no motion", async () => {
    const page = await browser.context.newPage();
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto(address() + SMALL);
    const see = (id) => page.getByTestId(id).first();
    await see("stage-replay").waitFor({ timeout: 60_000 });
    const pressed = () => page.locator(".target").evaluateAll((all) => all.map((one) => one.getAttribute("aria-pressed")).join());
    const [before, end] = [await pressed(), await shownStep(see)];
    await new Promise((resolve) => setTimeout(resolve, 8000));
    assert.equal(await pressed(), before, "the example stays");
    assert.equal(await shownStep(see), end, "nothing is replayed");
    await page.close();
  });
}
