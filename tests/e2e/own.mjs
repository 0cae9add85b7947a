// A network of one's own: layers that a person writes down, with what each computes, and every mistake named.

import assert from "node:assert/strict";
import { it } from "node:test";

import { inSingle, lab, rows, stepOf, text, until, visit } from "./harness.mjs";
import { overlaps } from "./layout.mjs";

/** Tests in the browser and at the address that `here` gives. */
export function ownNetworks(here) {
  const open = (link, size) => visit(here().context, here().address, link, size);
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);

  it("is the run: the same bits in the page and on the command line", async () => {
    const links = [
      "#v1/groups?n=11&model=own&net=embed~12;token;positions;norm;attention~3;mlp~20~gelu;attention~2~causal;read~last&steps=40&every=20&speed=0&replicas=2",
      "#v1/markov?k=3&t=20&batch=8&held=64&model=own&steps=40&every=20&speed=0",
      "#v1/markov?k=3&t=20&batch=8&held=64&model=own&net=embed~8;gru~20;read&steps=40&every=20&speed=0",
      "#v1/sparse-token-regression?n=6&batch=16&held=64&model=own&net=embed~16;attention~2;mlp~24;read&steps=40&every=20&speed=0",
      "#v1/in-context-learning?points=9&batch=8&held=64&model=own&net=embed~16;positions;attention~2~pre-norm;gru~12;read&steps=40&every=20&speed=0",
      "#v1/sparse-parity?n=12&model=own&net=embed~20;norm;mlp~33~square;read&steps=60&every=20&held=512&speed=0",
    ];
    for (const link of links) {
      const { page, see, heard } = await open(link);
      await until(async () => /Ended at step/.test(await text(see("status"))), "the end");
      assert.deepEqual(await rows(page), lab(link, "--device", "cpu").map(inSingle), link);
      isQuiet(heard);
      await page.close();
    }
  });

  for (const size of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    it(`is written layer by layer at ${size.width} pixels`, async () => {
      const { page, see, heard } = await open("#v1/groups?n=23&model=own&steps=20000&every=100", size);
      await until(async () => (await stepOf(see)) > 0, "a step");
      // A phone shows the groups closed.
      const reveal = async (id) => {
        await see(id).waitFor({ state: "attached" });
        if (await see(id).isVisible()) return;
        await page.locator("details.group", { has: see(id) }).locator("summary.group__name").click();
      };
      await reveal("setting-net");
      // The proposed network: 23 × 128, an MLP, and 128 × 23.
      const total = async () => (await text(see("layers-total"))).split(";")[0];
      await until(async () => (await total()) === "137,600 parameters in each network", "the sum");
      assert.match(await text(see("layers-total")), /; about [\d,.]+ training steps per second on one CPU core\.$/);
      assert.equal(await see("layers").locator("svg").count(), 4, "a drawing of each layer");
      assert.deepEqual(await see("layers").locator(".own-layers__shape").allTextContents(), ["2 × 128", "1 × 128", "1 × 128", "1 × 23"]);
      await see("add-norm").click();
      await until(() => page.url().includes("net=embed~128;sum;mlp~512;norm;read"), "the layer in the link");
      await until(async () => (await total()) === "137,856 parameters in each network", "another sum");
      // A mistake is named below the field, and the run that trains stays.
      const field = see("setting-net");
      await field.fill("embed 128\nconv 3\nread sum");
      await field.blur();
      const problem = page.locator(".setting", { has: field }).locator(".setting__error");
      await until(async () => /The mistake: line 2: there is no layer “conv”; the layers are embed, /.test(await text(problem)), "the mistake");
      assert.ok(page.url().includes("net=embed~128;sum;mlp~512;norm;read"), "the link stays");
      assert.equal(await text(see("layers-total")), "");
      // The word at the caret is completed by a press.
      await field.fill("");
      await field.pressSequentially("embed 64\ntoken\natt");
      await see("completion").click();
      await until(async () => (await field.inputValue()) === "embed 64\ntoken\nattention 4", "the completed line");
      await field.pressSequentially("\nread la");
      await until(async () => (await see("completion").allTextContents()).join() === "last", "the one word that fits");
      await see("completion").click();
      await until(async () => (await field.inputValue()) === "embed 64\ntoken\nattention 4\nread last", "the last line");
      await field.blur();
      await until(() => page.url().includes("net=embed~64;token;attention~4;read~last"), "the network in the link");
      assert.equal(await text(problem), "");
      await until(async () => (await stepOf(see)) > 0, "it trains");
      // On sequences another network is proposed.
      await page.goto(`${here().address}#v1/markov?t=20&batch=8`);
      await until(async () => (await stepOf(see)) > 0, "the chain");
      await reveal("setting-model");
      await see("setting-model").selectOption("own");
      await until(async () => (await see("setting-net").inputValue()) === "embed 32\npositions\nattention 2\nattention 2\nread", "the proposed layers");
      await until(async () => (await stepOf(see)) > 0, "it trains on sequences");
      const over = await overlaps(page, "[data-testid=layers] button");
      assert.equal(over, 0, "no button lies on another, and no word outside of its button");
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the page");
      isQuiet(heard);
      await page.close();
    });
  }
}
