// Another language: one file beside the English catalogue, which the page takes for whoever reads it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";

import { open, text, until, visit } from "./harness.mjs";

const DIST = process.env.DIST ?? "dist";

/** In the page: every text that a person reads or hears and that is not between the brackets of the test's language. */
function untranslated() {
  const bare = (words) => {
    let depth = 0;
    let out = "";
    for (const letter of words) {
      if (letter === "⟦") depth++;
      else if (letter === "⟧") depth--;
      else if (!depth) out += letter;
    }
    return out;
  };
  // Names of keys and formats, sources, addresses, what trainers say, and the name of the page.
  const apart = "script, style, cite, kbd, code, .print-only, .tour__sources, .masthead__name, [data-testid=device], [data-testid=learner]";
  const FORMATS = ["SVG", "PNG"];
  const found = [];
  const read = (words, element, what) => {
    if (!words || FORMATS.includes(words) || element.closest(apart)) return;
    if (/\p{L}{3,}/u.test(bare(words))) found.push(`${what}: ${words}`);
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) read(node.data, node.parentElement, node.parentElement.className);
    else for (const name of ["aria-label", "aria-valuetext", "title", "placeholder", "label", "alt"]) {
      read(node.getAttribute(name), node, name);
    }
  }
  return found;
}

/** Tests in a browser of their own, at the address that `here` gives. */
export function languages(here) {
  const speaking = async (table, deed) => {
    const browser = await open();
    try {
      await browser.context.route("**/languages/qps.json*", (route) => route.fulfill(table));
      // Not that of a build: a choice counts all the same, so that a language can be tried.
      await browser.context.addInitScript(() => localStorage.setItem("vivarium.language", "qps"));
      await deed((link, size) => visit(browser.context, here().address, link, size));
    } finally {
      await browser.close();
    }
  };
  const english = () => JSON.parse(readFileSync(`${DIST}/languages/en.json`, "utf8"));

  it("says everything in the reader's language, in every lab, dialog and story", async () => {
    // Of a term's spellings the first one, which is found in no text: a term in a text is only a part of it.
    const first = (words) => (/\p{L}\|\p{L}/u.test(words) ? words.split("|")[0] : words);
    const json = Object.fromEntries(Object.keys(english()).map((words) => [words, `⟦${first(words)}⟧`]));
    const found = new Set();
    await speaking({ json }, async (go) => {
      const all = async (page, where) => (await page.evaluate(untranslated)).forEach((words) => found.add(`${where} | ${words}`));
      const dialogs = async (page, where) => {
        for (const key of ["?", "s"]) {
          await page.keyboard.press(key);
          await until(() => page.locator("dialog[open]").count(), `the dialog of ${key}`);
          await all(page, `${where}, ${key}`);
          await page.keyboard.press("Escape");
        }
      };
      const numbers = async (page, where) => {
        for (const button of await page.getByRole("button", { name: /123: / }).all()) {
          await button.click();
          await until(() => page.locator("dialog.chart-table[open] table").count(), "a table");
          await all(page, `${where}, numbers`);
          await page.keyboard.press("Escape");
        }
      };
      const labs = [
        "", // the first view
        "#v1/sparse-parity?n=12&k=2&batch=64&replicas=3&show=loss.accuracy.movement.paths.gap.spectrum.times",
        "#v1/sparse-parity?model=parity-transformer&n=10&k=2&noise=0.5&show=attention",
        "#v1/sparse-parity?n=30&k=4&init=sparse&steps=400&halt=steps&show=accuracy.luck",
        "#v1/sparse-boolean?n=12&m=60&steps=100&halt=steps&held=256&show=accuracy.attention.looks",
        "#v1/groups?n=7&width=40&show=accuracy.margin.neurons.purity.counts.mass.phases.residual.curve.wave.outputs.cosets.characters",
        "#v1/markov?t=20&batch=16&held=64&show=kl.strategies.scores.map.distances.ablation.others.next",
        "#v1/markov?model=minimal-markov&t=20&batch=16&held=64&show=kernel.lags.next",
      ];
      for (const link of labs) {
        const { page, heard, see } = await go(link);
        await until(async () => /\d/.test(await text(see("step"))) && !/^0/.test(await text(see("step"))), `steps of ${link}`, 60);
        await see("play").click();
        await until(() => page.locator(".teaser").count(), "the second program");
        await all(page, link);
        await numbers(page, link);
        await dialogs(page, link);
        assert.equal(await page.evaluate(() => document.documentElement.lang), "qps");
        assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);
        await page.close();
      }
      const { page } = await go("#gallery");
      await until(async () => (await page.locator(".gallery-card svg").count()) > 50, "recorded curves");
      await all(page, "gallery");
      await page.close();
      for (const [link, ready] of [
        ["#story/no-luck", "[data-testid=tour-next]"],
        ["#v1/sparse-parity?n=10&k=2&steps=400&held=256&sweep=n:10_12&nonsense=3", ".map__cell"],
      ]) {
        const { page } = await go(link);
        await until(() => page.locator(ready).count(), ready);
        await all(page, link);
        await page.close();
      }
    });
    assert.deepEqual([...found], []);
  });

  it("is English where a language has no word yet or cannot be had", async () => {
    await speaking({ json: { Gallery: "Galerie", Help: "" } }, async (go) => {
      const { page, see } = await go("");
      await until(async () => (await text(see("gallery"))) === "Galerie", "the one word");
      assert.equal(await text(see("stories")), "Stories");
      await page.close();
    });
    for (const table of [{ status: 200, body: "{" }, { status: 404, body: "" }]) {
      await speaking(table, async (go) => {
        const { page, see } = await go("");
        await until(async () => (await text(see("gallery"))) === "Gallery", "English");
        assert.equal(await page.evaluate(() => document.documentElement.lang), "en");
        await page.close();
      });
    }
  });
}
