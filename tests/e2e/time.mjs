// Earlier steps of a run: shown again, and played on with the same numbers.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { rows, stepOf, text, until, visit } from "./harness.mjs";

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
        await page.waitForTimeout(1500);
        const end = await stepOf(see);
        const whole = await rows(page);
        const picture = () => see(panel).evaluate((canvas) => canvas.toDataURL());
        const last = await picture();

        // Dragging over the curve, from the right to about its middle.
        const box = await see(chart).boundingBox();
        const y = box.y + box.height / 2;
        await page.mouse.move(box.x + box.width * 0.8, y);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.4, y, { steps: 12 });
        await page.mouse.up();
        const shown = await stepOf(see);
        assert.ok(shown > end * 0.15 && shown < end * 0.6, `${shown} of ${end}`);
        await until(async () => (await text(see("status"))).startsWith(`Step ${shown} of ${end}, as it was`), "the step to be shown");
        assert.equal(await see("scrub").inputValue(), String(shown));
        assert.match(await see("scrub").getAttribute("aria-valuetext"), new RegExp(`^Step ${shown} of ${end}$`));
        const before = await rows(page);
        assert.deepEqual(before, whole.filter((row) => row.step <= shown));

        // Keys go from measurement to measurement.
        await page.keyboard.press("[");
        await until(async () => (await stepOf(see)) <= shown, "the measurement before");
        await page.keyboard.press("[");
        const earlier = await stepOf(see);
        assert.ok(whole.some((row) => row.step === earlier) && earlier < shown);
        await page.keyboard.press("]");
        assert.ok((await stepOf(see)) > earlier);

        // The way back, and the same again.
        await page.keyboard.press("Escape");
        assert.equal(await stepOf(see), end);
        assert.deepEqual(await rows(page), whole);
        await see("scrub").fill("7");
        await until(async () => (await text(see("status"))).startsWith("Step 7 of"), "step 7");
        await until(async () => (await picture()) !== last, "the panel to follow");
        await see("play").click();
        await until(async () => (await stepOf(see)) === end && /^Ended|reached|Found|All/i.test(await text(see("status"))), "the end again");
        assert.deepEqual(await rows(page), whole, "the same numbers");
        assert.ok(await see("to-end").isDisabled());
        assert.deepEqual(heard.console, []);
        await page.close();
      });
    }
  });
}
