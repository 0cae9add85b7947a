// The lab of sparse Boolean functions: where each example is looked at, and heads written by hand.

import assert from "node:assert/strict";
import { it } from "node:test";

import { pixels, stepOf, text, until, visit } from "./harness.mjs";

const summary = (see, chart) => see(`chart-${chart}`).getAttribute("aria-label");

/** Tests in the browser and at the address that `here` gives. */
export function functionsLab(here) {
  // Autodiff asks for a GPU, which this browser has not.
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);
  const go = (link, size) => visit(here().context, here().address, link, size);

  it("learns an AND of 3 bits among 50 and shows which bits are looked at", async () => {
    const { page, heard, see } = await go("#v1/sparse-boolean?n=50&m=200&heads=4&speed=10&show=accuracy.looks");
    await until(async () => /^\d+\.\d % of the attention of 4 heads/.test(await summary(see, "looks")), "a look");
    await until(async () => /^Found at step/.test(await text(see("status"))), "the three bits", 180);
    assert.ok((await stepOf(see)) <= 300);
    await until(async () => (await pixels(page, "chart-looks")) > 3, "dots to be drawn");
    await until(async () => (await page.getByTestId("attention-0").count()) === 1, "the panel of heads");
    await see("attention-2").press("Enter");
    await until(async () => /^Head 2: \d+\.\d % of its attention/.test(await summary(see, "looks")), "one head");
    assert.equal(await see("attention-2").getAttribute("aria-pressed"), "true");
    assert.match(await page.evaluate(() => location.hash), /head=2/);
    isQuiet(heard);
    await page.close();
  });

  it("takes a function of one's own, and says where its mistake is", async () => {
    const { page, heard, see } = await go("#v1/sparse-boolean?fn=own&n=12&m=60&held=128&start=paused&show=loss.fourier");
    const known = /^The function has degree 3 and leap 2\. Of its 8 Fourier coefficients, 4 are different from 0\./;
    await until(async () => known.test(await summary(see, "fourier")), "the coefficients of (x1 ^ x2) & x3");
    await until(async () => (await pixels(page, "chart-fourier")) > 2, "bars to be drawn");
    const field = see("setting-own");
    const enter = async (typed) => {
      await field.fill(typed);
      await field.blur();
    };
    await enter("x1 & ? x2");
    await until(async () => /character 6: “\?” cannot be used in a formula/.test(await page.locator("#setting-error-own").innerText()), "the mistake");
    assert.equal(await field.inputValue(), "x1 & ? x2", "what was typed stays");
    await enter("x1 & ~x2");
    await until(() => page.url().includes("own=x1_*_~x2"), "the formula in the link");
    await until(async () => /degree 2 and leap 1\. Of its 4 Fourier coefficients, 4 are different from 0/.test(await summary(see, "fourier")), "its coefficients");
    await enter("01101001");
    await until(() => page.url().includes("own=0x69"), "the table in the link");
    await until(async () => /degree 3 and leap 3\. Of its 8 Fourier coefficients, only one is different from 0/.test(await summary(see, "fourier")), "a parity");
    isQuiet(heard);
    await page.close();
  });

  it("has a head written by hand whose sharpness can be set", async () => {
    const { page, heard, see } = await go("#v1/sparse-boolean?start=paused", { width: 390, height: 844 });
    await until(async () => (await page.getByTestId("construction").count()) === 1, "the instrument");
    await page.getByRole("heading", { name: "Heads written by hand" }).click();
    const said = () => text(see("construction-texts"));
    await until(async () => /% of the attention is on the 3 relevant bits \(of 256 bits in all\);/.test(await said()), "sentences");
    const before = await said();
    await see("construction-length").press("ArrowRight");
    await until(async () => / relevant bits \(of 512 bits in all\);/.test(await said()), "twice the bits");
    await see("construction-sharpness").press("Home");
    await until(async () => /^0\.6 % of the attention/.test(await said()), "even attention");
    assert.notEqual(before, await said());
    for (const drawing of ["construction-mass", "construction-needed", "construction-shattered"]) {
      await until(async () => (await pixels(page, drawing)) > 2, drawing);
    }
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "nothing is wider than a phone");
    isQuiet(heard);
    await page.close();
  });
}
