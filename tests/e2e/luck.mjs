// Width and luck: the winners of a layer and the link that rewinds them, and what one step reveals.

import assert from "node:assert/strict";
import { it } from "node:test";

import { text, until, visit } from "./harness.mjs";

/** Tests in the browser and at the address that `here` gives. */
export function luck(here) {
  const open = (link, size) => visit(here().context, here().address, link, size);
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);

  it("names the winners of a layer, rewinds them by a link, and counts what they began with", async () => {
    const { page, heard, see } = await open("#v1/sparse-parity?n=12&k=2&width=20&init=sparse&held=128&steps=400&halt=steps&device=cpu&speed=0&show=accuracy.luck");
    await until(async () => /Ended at step 400/.test(await text(see("status"))), "the end");
    await until(async () => /^The network has 20 neurons\. After 400 steps the neurons with the largest weight norms are /.test(await text(see("winners"))), "the winners");
    const won = (await text(see("winners"))).match(/are (.*?)\. At the start, the row of weights/)[1].split(/, | and /).join(".");
    assert.match(await see("chart-luck").getAttribute("aria-label"), /^The neurons with the largest weight norms are /);
    await see("ticket").click();
    await until(async () => page.url().includes(`keep=${won}&`), "the ticket's link");
    assert.match(page.url(), /replicas=20&inits=1/);
    await until(async () => /Ended at step 400/.test(await text(see("status"))), "the end of the ticket");
    assert.equal(await see("ticket").count(), 0, "nothing is left to rewind");
    await see("undo").click();
    await until(async () => !page.url().includes("keep="), "the whole layer again");
    isQuiet(heard);
    await page.close();
  });

  it("says what one step reveals while sliders are moved, by keyboard too, and draws batches beside it", async () => {
    const { page, heard, see } = await open("#v1/sparse-parity?n=15&k=2&width=4&device=cpu&steps=50&held=64");
    assert.equal(await see("luck").getAttribute("open"), null, "closed where it is not about it");
    await see("luck").locator("summary").click();
    await until(async () => /^Random signs: 1,\d\d\d examples reveal the relevant bits with probability 98 %/.test(await text(see("luck-texts"))), "the chance");
    const said = await text(see("luck-texts"));
    await page.locator("#luck-s").focus();
    await page.keyboard.press("ArrowRight");
    await until(async () => (await text(see("luck-texts"))) !== said, "another chance");
    assert.equal(await page.locator("#luck-s-is").innerText(), "3");
    assert.match(await text(see("luck-texts")), /Good row \(ones on as many relevant bits as possible\), with 3 ones and otherwise zeros/);
    assert.match(await text(see("floor")), /parameters × 50 steps × 32 examples/);
    const drawn = see("luck-plot");
    assert.ok((await drawn.boundingBox()).height > 100);
    await page.setViewportSize({ width: 390, height: 844 });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, "nothing is wider than a phone");
    isQuiet(heard);
    await page.close();
  });
}
