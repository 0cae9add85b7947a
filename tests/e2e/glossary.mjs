// The glossary: a term is explained where it stands, for a pointer, a finger and the keyboard.

import assert from "node:assert/strict";
import { it } from "node:test";

import { text, until, visit } from "./harness.mjs";
import { violations } from "./product.mjs";

const LINK = "#v1/sparse-parity?n=12&k=2&width=24&opt=adam&steps=1000&start=paused";

/** Tests in the browser and at the address that `here` gives. */
export function glossary(here) {
  const open = (link, size) => visit(here().context, here().address, link, size);
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => !said.includes("No available adapters")), []);
  const box = (page) => page.locator("#definition");
  const isOpen = async (page) => (await box(page).count()) > 0 && (await box(page).isVisible());
  const opened = (page, what) => until(() => isOpen(page), `the explanation: ${what}`);
  const closed = (page, what) => until(async () => !(await isOpen(page)), `the explanation to close: ${what}`);
  const rest = () => new Promise((resolve) => setTimeout(resolve, 500));
  /** A story, with the first term of its first passage. */
  const story = async (slug, size) => {
    const visited = await open(`#story/${slug}`, size);
    const { page } = visited;
    const term = visited.see("tour").locator(".term").first();
    await until(async () => (await term.count()) === 1, "a term");
    // The title of a passage takes the focus in a later frame.
    await until(() => page.evaluate(() => document.activeElement?.matches(".tour__title")), "the focus on the title");
    return { ...visited, term };
  };

  it("explains a term that a pointer rests on, until it leaves term and explanation", async () => {
    const { page, heard, see } = await story("unigram-trap");
    const term = see("tour").locator(".term", { hasText: /^KL divergence$/ });
    await term.hover();
    await opened(page, "on hover");
    assert.match(await text(box(page)), /^Kullback–Leibler/);
    assert.deepEqual([await term.getAttribute("aria-expanded"), await term.getAttribute("aria-describedby")], ["true", "definition"]);
    await box(page).hover();
    await rest();
    assert.ok(await isOpen(page), "the pointer may move onto the explanation");
    await page.mouse.move(2, 2);
    await closed(page, "the pointer has left");
    assert.equal(await term.getAttribute("aria-expanded"), "false");
    // A press keeps it, whatever the pointer does, until another press.
    await term.click();
    await opened(page, "on a press");
    await page.mouse.move(2, 2);
    await rest();
    assert.ok(await isOpen(page));
    await page.getByTestId("tour-place").first().click();
    await closed(page, "a press elsewhere");
    isQuiet(heard);
    await page.close();
  });

  it("explains a term by keyboard, and Escape closes nothing else", async () => {
    const { page, heard, term } = await story("unigram-trap");
    await term.focus();
    assert.ok(!(await isOpen(page)), "the focus alone opens nothing");
    await page.keyboard.press("Enter");
    await opened(page, "Enter");
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Enter");
    await closed(page, "Enter again");
    await page.keyboard.press("Space");
    await opened(page, "Space");
    await page.keyboard.press("Escape");
    await closed(page, "Escape");
    assert.ok(await term.evaluate((node) => node === document.activeElement), "the focus stays");
    await page.keyboard.press("Enter");
    await opened(page, "Enter");
    await page.keyboard.press("Tab");
    await closed(page, "the focus has moved on");
    isQuiet(heard);
    await page.close();
  });

  it("explains every term of a passage within a phone's width, to a finger", async () => {
    const { page, heard } = await story("hidden-progress", { width: 390, height: 844 });
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    const tapAt = async (x, y) => {
      await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
      await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    };
    /** Taps on a term, in the middle of the screen. */
    const tap = async (term) => {
      await term.evaluate((node) => node.scrollIntoView({ block: "center" }));
      await rest();
      const { x, y, width, height } = await term.boundingBox();
      await tapAt(x + width / 2, y + height / 2);
    };
    // The settings that are as in the source are folded away at first.
    await page.locator(".story__settings").evaluateAll((folded) => folded.forEach((one) => (one.open = true)));
    const terms = await page.locator(".tour .term, .story .term, .task .term").all();
    assert.ok(terms.length >= 2, `${terms.length}`);
    for (const term of terms) {
      const word = await text(term);
      await tap(term);
      await opened(page, word);
      const { x, y, width, height } = await box(page).boundingBox();
      assert.ok(x >= 0 && y >= 0 && x + width <= 390 && y + height <= 844, `${word}: ${[x, y, width, height]}`);
      assert.ok((await text(box(page))).length > 20, word);
    }
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
    await tapAt(3, 420);
    await closed(page, "a tap elsewhere");
    await tap(terms[0]);
    await opened(page, "a tap");
    await page.evaluate(() => scrollBy(0, 40));
    await closed(page, "the page is scrolled");
    isQuiet(heard);
    await page.close();
  });

  it("explains terms in the help of a setting, of a chart and in dialogs, and lists them all", async () => {
    const { page, heard, see } = await open(LINK);
    const help = page.locator(".setting:has(#setting-wd) .setting__help");
    await until(() => help.locator(".term").count(), "a term in the help of a setting");
    await see("setting-wd").focus();
    await help.locator(".term").first().click();
    await opened(page, "in the help of a setting");
    assert.match(await text(box(page)), /towards 0/);
    assert.ok(await help.isVisible(), "the help is still there");
    await page.keyboard.press("Escape");
    await closed(page, "Escape");

    await see("help").click();
    const dialog = page.locator("dialog[open]");
    await dialog.getByTestId("glossary").locator("summary").click();
    const names = dialog.getByTestId("terms").locator("dt");
    await until(async () => (await names.count()) > 45, "the terms");
    const term = dialog.locator("dd .term").first();
    await term.click();
    await opened(page, "in a dialog");
    assert.ok(await dialog.locator("#definition").isVisible(), "it is in the dialog, above everything");
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    await closed(page, "Escape");
    assert.equal(await dialog.count(), 1, "Escape leaves the dialog open");
    await page.keyboard.press("Escape");
    await until(async () => !(await dialog.count()), "the dialog to close");

    await page.emulateMedia({ media: "print" });
    assert.match(await page.locator(".term").first().evaluate((node) => getComputedStyle(node).textDecorationLine), /none/);
    isQuiet(heard);
    await page.close();
  });
}
