// A page that the browser translates: every text node is replaced by elements, as Google Translate does it, and the page goes
// on. Numbers in the notations of other countries, and a page that is read from right to left.

import assert from "node:assert/strict";
import { it } from "node:test";

import { open, stepOf, text, until, visit } from "./harness.mjs";

/** A small parity that trains for some minutes at a visible pace. */
const SLOW = "#v1/sparse-parity?n=20&k=3&width=64&batch=32&steps=100000&halt=steps&speed=50";

/** The default run of every lab, with what its panels need. */
const LABS = [
  "#v1/sparse-parity?n=30&k=4&init=sparse&steps=400&halt=steps&show=accuracy.luck",
  "#v1/groups?n=7&width=40&show=accuracy.margin",
  "#v1/markov?t=20&batch=16&held=64&show=kl.scores.map",
  "#v1/markov?model=minimal-markov&t=20&batch=16&held=64&show=kernel.lags",
  "#v1/sparse-boolean?n=12&m=60&heads=4&steps=100&halt=steps&held=256&show=accuracy.looks",
  "#v1/tabular",
  "#v1/teacher-student",
  "#v1/sparse-token-regression",
  "#v1/in-context-learning",
  "#v1/in-context-regression",
  "#v1/turing-machine",
  "#v1/boolean-circuit",
  "#v1/machine-traces",
  "#v1/succinct-learning",
  "#v1/sparse-parity?n=12&k=2&width=16&steps=200&sweep=lr:0.05_0.1&show=times.sweep",
];

/** Whether a line of the console is unexpected. */
const isUnexpected = (line) => !/No available adapters/.test(line);

/**
 * In the page, before it loads: keeps a list of the text nodes that the page itself changes or removes where a translator
 * would have replaced them. Such a text would stay as it was at the time of the translation.
 */
function watchTextNodes() {
  window.changedTextNodes = [];
  const isKept = (node) => node.parentElement?.closest('[translate="no"], script, style, textarea');
  const name = (node) => {
    const parent = node.parentElement;
    return parent ? `${parent.localName}.${parent.className?.baseVal ?? parent.className}` : "a replaced node";
  };
  const note = (node, what) => {
    if (node.nodeType !== Node.TEXT_NODE || isKept(node) || (!node.data.trim() && what === "removed")) return;
    window.changedTextNodes.push(`${name(node)}: ${node.data} ${what}`);
  };
  const { get, set } = Object.getOwnPropertyDescriptor(Node.prototype, "nodeValue");
  Object.defineProperty(Node.prototype, "nodeValue", {
    configurable: true,
    enumerable: true,
    get,
    set(value) {
      note(this, `changed to ${value}`);
      set.call(this, value);
    },
  });
  const { remove } = CharacterData.prototype;
  CharacterData.prototype.remove = function () {
    note(this, "removed");
    remove.call(this);
  };
}

/** In the page: replaces every text node by two nested elements, now and whenever one comes. */
function translate() {
  const replace = (node) => {
    const parent = node.parentElement;
    if (!node.data.trim() || !parent || parent instanceof SVGElement) return;
    if (parent.closest('font, [translate="no"], .notranslate, script, style, textarea')) return;
    const outer = document.createElement("font");
    const inner = outer.appendChild(document.createElement("font"));
    inner.textContent = node.data;
    parent.replaceChild(outer, node);
  };
  const all = (root) => {
    if (root.nodeType === Node.TEXT_NODE) return replace(root);
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const nodes = [];
    for (let node = walk.nextNode(); node; node = walk.nextNode()) nodes.push(node);
    nodes.forEach(replace);
  };
  all(document.body);
  new MutationObserver((records) => {
    for (const record of records) for (const node of record.type === "characterData" ? [record.target] : record.addedNodes) all(node);
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
}

/** Tests in browsers of their own, at the address that `here` gives. */
export function translators(here) {
  const visiting = async (link, details, deed) => {
    const browser = await open({ details });
    try {
      await browser.context.addInitScript(watchTextNodes);
      const opened = await visit(browser.context, here().address, link);
      await deed(opened);
      assert.deepEqual(opened.heard.console.filter(isUnexpected), []);
    } finally {
      await browser.close();
    }
  };
  const changed = (page) => page.evaluate(() => window.changedTextNodes);
  const fonts = (page) => page.evaluate(() => document.querySelectorAll("font").length);
  /** Waits until the text of an element is another one. */
  const differs = (see, id, before) => until(async () => {
    const now = await text(see(id));
    return now !== before && now;
  }, `another text than “${before}” in ${id}`);

  it("goes on with step, status, buttons and messages in the details of a run that the browser translates", async () => {
    await visiting(SLOW, true, async ({ page, see }) => {
      await until(async () => (await stepOf(see)) > 0, "a step");
      await page.evaluate(translate);
      await until(async () => (await fonts(page)) > 50, "translated texts");
      for (let times = 0; times < 2; times++) {
        const before = await stepOf(see);
        await until(async () => (await stepOf(see)) > before, `a step after ${before}`);
      }
      const [status, loss] = [await text(see("status")), await text(see("train-loss"))];
      assert.equal(await text(see("play")), "Pause");
      await differs(see, "train-loss", loss);
      await see("play").click();
      await until(async () => (await text(see("play"))) === "Play", "the button Play");
      await differs(see, "status", status);
      await see("setting-width").fill("33");
      await see("setting-width").press("Enter");
      await until(async () => /same seed/.test(await text(see("message"))), "the message");
      await see("setting-width").fill("0");
      await see("setting-width").press("Enter");
      const error = page.locator("#setting-error-width");
      await until(async () => /^Expected a whole number/.test(await text(error)), "the error of the field");
      await see("setting-width").fill("32");
      await see("setting-width").press("Enter");
      await until(async () => (await text(error)) === "", "no error");
      // Sentences are translated, and numbers are not.
      assert.equal(await page.locator('[data-testid="status"] font font').count(), 1);
      assert.equal(await page.locator('[data-testid="step"] font').count(), 0);
      assert.deepEqual(await changed(page), []);
    });
  });

  it("goes on with headline and buttons of the moving picture that the browser translates", async () => {
    await visiting(SLOW, false, async ({ page, see }) => {
      await until(() => text(see("stage-headline")), "a sentence above the picture");
      const description = await until(() => text(see("stage-description")), "the description of the picture");
      await page.evaluate(translate);
      await until(async () => (await fonts(page)) > 5, "translated texts");
      const next = await differs(see, "stage-description", description);
      await differs(see, "stage-description", next);
      assert.equal(await text(see("stage-play")), "Pause");
      await see("stage-play").click();
      await until(async () => (await text(see("stage-play"))) === "Play", "the button Play");
      await see("stage-settings").click();
      await until(() => see("first-settings").isVisible(), "the drawer");
      await see("more-settings").click();
      await until(async () => (await text(see("more-settings"))) === "Fewer settings", "the other settings");
      await see("show-details").click();
      await until(() => see("status").isVisible(), "the details");
      assert.deepEqual(await changed(page), []);
    });
  });

  it("goes from lab to lab while the browser translates, and changes no text node that a translator replaces", async () => {
    await visiting(SLOW, true, async ({ page, see }) => {
      await until(() => page.locator(".teaser").count(), "the second program");
      await page.evaluate(translate);
      for (const link of LABS) {
        await page.evaluate((link) => (location.hash = link), link);
        await page.waitForTimeout(1500);
        await page.evaluate(() => document.querySelectorAll(".run-view details").forEach((fold) => (fold.open = true)));
        await page.waitForTimeout(1500);
        assert.ok((await text(see("status"))).length > 0, link);
        assert.deepEqual(await changed(page), [], link);
      }
      for (const dialog of ["help", "files", "stories", "teach"]) {
        await see(dialog).click();
        await until(() => page.locator("dialog[open]").isVisible(), dialog);
        await page.keyboard.press("Escape");
        await until(async () => !(await page.locator("dialog[open]").count()), `${dialog} to close`);
      }
      assert.deepEqual(await changed(page), []);
    });
  });

  it("reads numbers as they are written elsewhere, and asks where there are two", async () => {
    await visiting(`${SLOW}&start=paused`, true, async ({ page, see }) => {
      const enter = async (key, words) => {
        const field = see(`setting-${key}`);
        await field.fill(words);
        await field.press("Enter");
        return field.inputValue();
      };
      const error = (key) => text(page.locator(`#setting-error-${key}`));
      await until(() => see("setting-lr").isVisible(), "the settings");
      // Telephones offer the keys for decimal numbers, and the program gets the text as it was typed.
      assert.deepEqual(await see("setting-lr").evaluate((field) => [field.type, field.inputMode]), ["text", "decimal"]);
      assert.equal(await enter("lr", "0,05"), "0.05");
      assert.equal(await enter("width", "1,024"), "1024");
      assert.equal(await enter("steps", "16\u202f384"), "16384");
      assert.equal(await enter("steps", "100 000"), "100000");
      await until(async () => /lr=0\.05/.test(page.url()), "the rate in the address");
      assert.equal(await enter("steps", "100.000"), "100.000");
      await until(async () => /Do you mean 100 or 100,000\?$/.test(await error("steps")), "the question");
      assert.equal(await enter("steps", "100,000"), "100000");
      await until(async () => (await error("steps")) === "", "no question");
      await enter("lr", "0;05");
      await until(async () => /“;” is not possible here$/.test(await error("lr")), "the wrong sign");
    });
  });

  it("fills sliders and orders buttons from right to left, and time from left to right", async () => {
    await visiting(`${SLOW}&start=paused`, true, async ({ page, see }) => {
      await until(() => see("setting-lr").isVisible(), "the settings");
      const left = (locator) => locator.evaluate((element) => element.getBoundingClientRect().left);
      const filled = (locator) => locator.evaluate((element) => getComputedStyle(element).getPropertyValue("--to-end").trim());
      const slider = page.locator(".setting:has([data-testid=setting-lr]) .setting__slider");
      assert.ok((await left(see("play"))) < (await left(see("single-step"))));
      assert.deepEqual([await filled(slider), await filled(see("scrub"))], ["to right", "to right"]);
      await page.evaluate(() => (document.documentElement.dir = "rtl"));
      assert.ok((await left(see("play"))) > (await left(see("single-step"))));
      assert.deepEqual([await filled(slider), await filled(see("scrub"))], ["to left", "to right"]);
      assert.equal(await see("setting-lr").evaluate((field) => getComputedStyle(field).textAlign), "end");
      const over = await page.evaluate(() => Math.abs(document.scrollingElement.scrollLeft) + document.scrollingElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${over} pixels wider than the window`);
    });
  });
}
