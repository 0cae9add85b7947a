// The parity lab's own charts, sweeps and networks, in a browser without WebGPU.

import assert from "node:assert/strict";
import { it } from "node:test";

import { pixels, rows, stepOf, text, until, visit } from "./harness.mjs";

const summary = (see, chart) => see(`chart-${chart}`).getAttribute("aria-label");
const titleOf = (page, chart) => page.locator("figure", { has: page.getByTestId(`chart-${chart}`) }).locator("figcaption").textContent();

/** The first number in a chart's summary; NaN as long as there is none. */
const number = async (see, chart) => Number(/-?\d[\d,]*(\.\d+)?/.exec((await summary(see, chart)).replaceAll("−", "-"))?.[0].replaceAll(",", ""));

/** Tests in the browser and at the address that `here` gives. */
export function parityLab(here) {
  /** Opens a link, or the start and from there a preset by its name in the menu. */
  async function open(link) {
    const { context, address } = here();
    const opened = await visit(context, address, link.startsWith("#") ? link : "");
    if (!link.startsWith("#")) await opened.see("preset").selectOption(link);
    return opened;
  }

  it("shows weights that move while the loss is flat", async () => {
    const { page, heard, see } = await open("hidden-progress");
    const both = async () => [await summary(see, "movement"), await summary(see, "paths")];
    const moved = async () => (await both())[0].match(/\d\.\d+/g)?.map(Number) ?? [0, 0];
    await until(async () => (await stepOf(see)) > 100, "steps");
    const early = await both();
    for (const chart of ["movement", "paths"]) await until(async () => (await pixels(page, `chart-${chart}`)) > 4, `${chart} to be drawn`);
    assert.match(await titleOf(page, "paths"), /^Path of every weight$/);
    await until(async () => { const [relevant, other] = await moved(); return relevant > 2 * other && relevant > 0.2; }, "progress on the relevant bits");
    const late = await both();
    assert.ok(early.every((sentence, i) => sentence !== late[i]), `${early} and ${late}`);
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("draws the error beside the predicted one, and computes the plateau for other sizes", async () => {
    const { page, heard, see } = await open("disjoint-polynet-all-inputs");
    const falls = async () => Number(/falls below 5 % at step ([\d,]+)\./.exec(await summary(see, "plateau"))?.[1].replace(",", ""));
    await until(async () => (await falls()) > 1000, "the prediction");
    await until(async () => (await pixels(page, "chart-plateau")) > 4, "the prediction to be drawn");
    await until(async () => /found|reached|solved/i.test(await text(see("status"))), "99 %", 120);
    assert.ok(Math.abs((await rows(page)).at(-1).step - (await falls())) <= 40, await summary(see, "plateau"));
    const sentence = () => text(see("plateau-summary"));
    assert.match(await sentence(), /k = 3 blocks of n′ = 10 inputs .* above 49\.0 % for 3\.9 % of the time/);
    for (const [slider, key] of [["plateau-bits", "ArrowRight"], ["plateau-block", "End"]]) {
      await see(slider).focus();
      await page.keyboard.press(key);
    }
    await until(async () => /k = 4 blocks of n′ = 160 inputs .* for 9\d\.\d % of the time/.test(await sentence()), "another plateau");
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("computes the Fourier gap along the run", async () => {
    const { page, heard, see } = await open("gap-path");
    const gap = async () => /^Fourier gap of g = .+: 0\.\d+\.$/.test(await summary(see, "gap"));
    await until(gap, "a gap");
    // Probes come with the second program: from here on from the first step.
    await see("reset").click();
    await until(gap, "a gap at the start");
    const early = await number(see, "gap");
    await until(async () => (await number(see, "gap")) > 2 * early, "a gap twice as large");
    await until(async () => (await pixels(page, "chart-gap")) > 4, "the gap to be drawn");
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("computes the spectrum, which moves to the degree of the target", async () => {
    const { page, heard, see } = await open("spectrum");
    const spectrum = async () => /^\d+\.\d % of the output's squared norm is on parities of degree 3;/.test(await summary(see, "spectrum"));
    await until(spectrum, "a spectrum");
    // As above.
    await see("reset").click();
    await until(async () => (await spectrum()) && (await number(see, "spectrum")) < 50, "a spectrum at the start");
    await until(async () => (await number(see, "spectrum")) > 80, "the third degree");
    await until(async () => (await pixels(page, "chart-spectrum")) > 3, "the spectrum to be drawn");
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("shows the help of a field beside a field with an error, not over it", async () => {
    const { page, heard, see } = await open("#v1/sparse-parity?start=paused");
    await see("setting-n").fill("2");
    await page.keyboard.press("Enter");
    const problem = page.locator("#setting-error-k");
    await until(async () => /^Expected at most n = 2$/.test(await text(problem)), "the error of k");
    const help = page.locator("#setting-help-n");
    assert.ok(await help.isVisible(), "the focus is in the field n");
    const [bubble, ...fields] = await Promise.all(
      [help, page.locator("#setting-n"), page.locator("#setting-k"), problem].map((part) => part.boundingBox()),
    );
    for (const field of fields) {
      assert.ok(bubble.y + bubble.height <= field.y || field.y + field.height <= bubble.y, JSON.stringify([bubble, field]));
    }
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("makes a sweep run by run, waits in the middle of it, and begins it again", async () => {
    const link = "#v1/sparse-parity?k=2&width=24&replicas=4&steps=3000&every=5&held=128&sweep=n:8_10&speed=80&show=accuracy.times.sweep";
    // Slow, so that the first run is still under way when it is paused.
    const { page, heard, see } = await open(link.replace("speed=80", "speed=20"));
    const status = () => text(see("status"));
    await until(async () => /^Run 1 of 2: n = 8\. Learning/.test(await status()), "the first run");
    await see("play").click();
    await until(async () => /^Run 1 of 2: n = 8\. Paused/.test(await status()), "a pause");
    const at = await stepOf(see);
    await page.waitForTimeout(500);
    assert.equal(await stepOf(see), at);
    await see("single-step").click();
    await until(async () => (await stepOf(see)) === at + 1, "one step");
    assert.match(await page.locator(".setting", { has: see("setting-n") }).innerText(), /set by the sweep/);
    await see("setting-speed").fill("80");
    await see("setting-speed").press("Enter");
    await see("play").click();
    await until(async () => /^Run 2 of 2: n = 10/.test(await status()), "the second run");
    await until(async () => /^The sweep is complete: 2 runs/.test(await status()), "the end");
    assert.match(await summary(see, "sweep"), /^2 of the sweep's 2 runs have ended; 8 of their 8 networks/);
    await until(async () => (await pixels(page, "chart-sweep")) > 4, "the sweep to be drawn");
    assert.ok(page.url().endsWith(link), page.url());
    assert.equal(await see("play").getAttribute("aria-label"), "Completed");
    assert.ok(await see("play").isDisabled());
    await see("reset").click();
    await until(async () => /^Run 1 of 2/.test(await status()), "the sweep again");
    assert.match(await summary(see, "sweep"), /^None of the sweep's 2 runs has ended/);
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("trains a thousand networks on the CPU", async () => {
    const { page, heard, see } = await open("no-luck");
    const begin = Date.now();
    await until(async () => /^1,000 of 1,000 networks/.test(await summary(see, "times")), "a thousand networks", 300);
    console.log(`  1,000 networks in ${((Date.now() - begin) / 1000).toFixed(1)} s`);
    await until(async () => /^Found by all 1,000 networks/.test(await text(see("status"))), "the sentence");
    assert.match(await text(see("device")), /^CPU/);
    // The browser's own words when it is asked for a GPU and has none.
    assert.ok(heard.console.every((said) => said === "warning: No available adapters."), heard.console);
    await page.close();
  });

  it("trains a transformer and shows where it looks", async () => {
    const size = "demb=16&dattn=4&heads=2&dmlp=16";
    const link = `#v1/sparse-parity?model=parity-transformer&opt=adam&n=6&k=2&${size}&lr=0.005&batch=128&steps=600&every=20&held=256&speed=0&show=loss.weights.attention`;
    const { page, heard, see } = await open(link);
    await until(async () => /^\d+\.\d % of the attention/.test(await summary(see, "attention")), "attention");
    assert.match(await text(see("learner")), /fused loop/i);
    assert.equal(await titleOf(page, "weights"), "Positional embeddings P");
    await until(async () => /^(Found|Ended)/.test(await text(see("status"))), "the end", 60);
    const measured = await rows(page);
    assert.ok(measured.at(-1).test_loss[0] < 0.5 * measured[0].test_loss[0], "it learns");
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("takes an optimizer, a schedule and smoothed labels from the form", async () => {
    const { page, heard, see } = await open("#v1/sparse-parity?n=10&k=2&width=16&loss=ce&steps=300&halt=steps&every=10&held=128&speed=0");
    const about = (key) => page.locator(".setting", { has: see(`setting-${key}`) }).innerText();
    const linked = (part) => until(async () => page.url().includes(part), part);
    await see("setting-opt").selectOption("lion");
    await linked("opt=lion");
    assert.match(await about("drop"), /no effect now/);
    await see("setting-cool").selectOption("drops");
    await linked("cool=drops");
    await until(async () => !/no effect now/.test(await about("drop")), "steps between drops");
    await see("setting-ls").fill("0.1");
    await see("setting-ls").press("Enter");
    await linked("ls=0.1");
    await see("setting-loss").selectOption("hinge");
    await until(async () => /Expected 0, because labels can be smoothed only with the cross-entropy loss/.test(await about("ls")), "why not");
    await see("setting-loss").selectOption("ce");
    await until(async () => (await rows(page)).at(-1)?.step === 300, "the end");
    assert.match(await text(see("learner")), /fused loop/i);
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("trains a deep network layer by layer", async () => {
    const link = "#v1/sparse-parity?model=deep-mlp&n=8&k=2&widths=4.2&layers=greedy&lr=0.05&steps=600&halt=steps&every=20&held=256&speed=0";
    const { page, heard, see } = await open(link);
    const measured = await until(async () => { const r = await rows(page); return r.at(-1)?.step === 600 && r; }, "the end");
    assert.ok(measured.at(-1).test_loss[0] < 0.5 * measured[0].test_loss[0], "it learns");
    await until(async () => /fused loop/i.test(await text(see("learner"))), "the learner");
    await until(async () => (await pixels(page, "chart-weights")) > 4, "the weights to be drawn");
    assert.deepEqual(heard.console, []);
    await page.close();
  });
}
