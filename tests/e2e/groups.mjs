// The groups lab's own charts and networks, in a browser without WebGPU.

import assert from "node:assert/strict";
import { it } from "node:test";

import { inSingle, lab, pixels, rows, text, until, visit } from "./harness.mjs";

const summary = (see, chart) => see(`chart-${chart}`).getAttribute("aria-label");

/** Tests in the browser and at the address that `here` gives. */
export function groupsLab(here) {
  const open = (link) => visit(here().context, here().address, link);

  it("brings every neuron to one frequency and the margin to its line", async () => {
    const { page, heard, see } = await open("#v1/groups?speed=100&start=paused&show=margin.neurons.purity.counts.mass.phases.residual.curve.wave.outputs");
    // The sentences are in the second program.
    await see("library").waitFor({ timeout: 90_000 });
    await see("play").click();
    await until(async () => /^All pairs are answered correctly at step \d+\..*Training continues\.$/.test(await text(see("status"))), "right answers");
    await until(async () => /^All pairs are answered correctly at step \d+\. The margin is (100\.0|99\.9) % .*Ended at step 600\.$/.test(await text(see("status"))), "the end", 60);
    await until(async () => /^In the median live neuron, one of the \S+ has (100\.0|99\.9) %/.test(await summary(see, "purity")), "pure neurons");
    await until(async () => /^11 of the 11 frequencies have the largest share of the power in at least one of the \d+ live neurons\.$/.test(await summary(see, "counts")), "every frequency");
    await until(async () => /is (0\.00\d|under 0\.001) rad\.$/.test(await summary(see, "residual")), "the residual");
    for (const chart of ["margin", "neurons", "purity", "counts", "mass", "phases", "residual", "curve", "wave", "outputs"]) {
      await until(async () => (await pixels(page, `chart-${chart}`)) > 3, `${chart} to be drawn`);
    }
    const last = (await rows(page)).at(-1);
    assert.ok(last.margin[0] > 0.999 * 0.00257957 && last.margin[0] < 1.001 * 0.00257957, `${last.margin}`);
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("draws the margins of a sweep over λ beside those that theory predicts", async () => {
    const { page, heard, see } = await open("#v1/groups?op=symmetric&width=100&steps=2500&every=500&sweep=lambda:0.0001_0.001&speed=0&show=margins");
    const sentence = /^The largest margin at the end of a run is 96\.1 % of γ\*\. For λ = 0\.0001, theory predicts 96\.1 %\.$/;
    await until(async () => sentence.test(await summary(see, "margins")), async () => `the margins: ${await summary(see, "margins")}`, 120);
    await until(async () => (await pixels(page, "chart-margins")) > 4, "the margins to be drawn");
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("is the run: the same bits in the page and on the command line", async () => {
    const links = [
      "#v1/groups?n=13&width=50&steps=60&every=20&speed=0&replicas=2",
      "#v1/groups?op=symmetric&width=37&act=relu&lambda=0.0001&nu=2&frac=0.7&batch=9&steps=90&every=30&speed=0",
    ];
    for (const link of links) {
      const { page, see } = await open(link);
      await until(async () => /Ended at step/.test(await text(see("status"))), "the end");
      const native = lab(link, "--device", "cpu").map(inSingle);
      assert.deepEqual(await rows(page), native, link);
      await page.close();
    }
  });

  it("takes a Cayley table of one's own, and names what is wrong with one that is no group's", async () => {
    const { page, heard, see } = await open("#v1/groups?op=table&width=60&steps=300&speed=0&show=margin.neurons.characters.cosets");
    await until(async () => /^All pairs are answered correctly/.test(await text(see("status"))), "the Klein four-group");
    const table = see("setting-table");
    await table.fill("e a b\na e b\nb b e");
    await table.blur();
    const problem = page.locator(".setting", { has: table }).locator(".setting__error");
    await until(async () => /^Expected the table of a group; /.test(await text(problem)), "the violation");
    await table.fill("e r s\nr s e\ns e r");
    await table.blur();
    await until(async () => page.url().includes("table=0.1.2.1.2.0.2.0.1"), "the table in the link");
    await until(async () => /^All pairs are answered correctly/.test(await text(see("status"))), "the cyclic group");
    await until(async () => (await pixels(page, "chart-characters")) > 3, "the characters to be drawn");
    assert.equal(await page.getByTestId("show-gap").count(), 0, "charts of the other lab stay away");
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("groks: it memorises first and understands later, with progress measures of either", async () => {
    const { page, heard, see } = await open("");
    await see("preset").selectOption("memorise-understand");
    await until(async () => /^The training sample is memorised/.test(await text(see("status"))), "memorising", 120);
    await until(async () => /^(98|99|100)[.\d]* % of the held-out pairs are answered correctly|^All held-out pairs are answered correctly/.test(await text(see("status"))), "understanding", 400);
    await until(async () => (await pixels(page, "chart-accuracy")) > 4, "the accuracy to be drawn");
    // The browser's own words when it is asked for a GPU and has none.
    assert.ok(heard.console.every((said) => said === "warning: No available adapters."), heard.console);
    await page.close();
  });
}
