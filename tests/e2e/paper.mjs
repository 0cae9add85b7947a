// Stories on paper and their pages for teachers, in a browser without WebGPU.

import assert from "node:assert/strict";
import { it } from "node:test";

import { text, until, visit } from "./harness.mjs";

/** How many pages the browser prints. Its PDF files list every page as an object in plain text. */
async function printed(page) {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.printToPDF", { preferCSSPageSize: true });
  await session.detach();
  return Buffer.from(data, "base64").toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

/** Counts the calls of `window.print`, which opens a dialog that no test could close. */
const count = (page) => page.evaluate(() => ((window.prints = 0), (window.print = () => window.prints++)));

/** What the browser shows once it prints. */
async function onPaper(page) {
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
}

/** Tests in the browser and at the address that `here` gives. */
export function paper(here) {
  const open = (link, size) => visit(here().context, here().address, link, size);
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);

  it("prints a story as a handout, with the answers on a page of their own", async () => {
    const { page, heard, see } = await open("#story/hidden-progress/2");
    await until(async () => / · 2 of 8$/.test(await text(see("tour-place"))), "the second passage");
    assert.equal(await page.getByTestId("print-story").count(), 0, "the button is at both ends");
    await see("tour-back").click();
    await until(async () => / · 1 of 8$/.test(await text(see("tour-place"))), "the first passage");
    await count(page);
    await see("print-story").click();
    await until(() => page.evaluate(() => window.prints === 1), "the browser's dialog");
    assert.ok(!(await see("handout").isVisible()), "on no screen");
    assert.ok((await printed(page)) >= 3, "passages and answers");
    assert.equal(await see("handout").locator("h1").count(), 1, "written by the browser's own printing");

    await onPaper(page);
    const [handout, answers] = [see("handout"), see("handout-answers")];
    for (const part of [handout, answers, handout.getByTestId("qr-code")]) assert.ok(await part.isVisible());
    for (const left of ["tour", "claim", "chart-loss", "stories", "play"]) assert.ok(!(await see(left).isVisible()), left);
    assert.equal(await handout.locator("h1").innerText(), "Where is the progress hidden?");
    assert.match(await handout.locator(".handout__address").innerText(), /\/sub\/path\/#story\/hidden-progress\/1$/);
    const titles = await handout.locator("h2").allInnerTexts();
    assert.deepEqual([titles.length, titles.at(-2), titles.at(-1)], [9, "Sources", "Answers: Where is the progress hidden?"]);
    const guesses = handout.locator(".handout__guesses li");
    assert.equal(await handout.locator(".handout__guesses").count(), 4);
    // A box is a border, so that a printer without backgrounds and colours shows it.
    const box = await guesses.first().evaluate((node) => {
      const style = getComputedStyle(node, "::before");
      return [style.borderTopStyle, parseFloat(style.borderTopWidth), parseFloat(style.width)];
    });
    assert.ok(box[0] === "solid" && box[1] >= 1 && box[2] > 8, `${box}`);
    assert.equal(await answers.evaluate((node) => getComputedStyle(node).breakBefore), "page");
    assert.equal(await answers.locator("h3").count(), 4);
    const before = (await handout.innerText()).split("Answers: ")[0];
    assert.ok(!before.includes("Right answer") && !before.includes("A flat loss does not mean a zero gradient"), "no answers among the passages");
    assert.match(await answers.innerText(), /A flat loss does not mean a zero gradient/);

    // Without the story the run is printed as ever.
    await page.emulateMedia({ media: "screen" });
    await see("tour-close").click();
    await onPaper(page);
    assert.ok(!(await see("handout").isVisible()) && (await see("claim").isVisible()) && (await see("chart-loss").isVisible()));
    isQuiet(heard);
    await page.close();
  });

  it("has black letters on paper in a dark room, too", async () => {
    const { page, see } = await open("#story/unigram-trap");
    await until(async () => / · 1 of 7$/.test(await text(see("tour-place"))), "the first passage");
    await page.evaluate(() => document.documentElement.setAttribute("data-theme", "dark"));
    await onPaper(page);
    assert.equal(await see("handout").evaluate((node) => getComputedStyle(node).color), "rgb(0, 0, 0)");
    await page.close();
  });

  for (const size of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    it(`shows and prints a story's page for teachers, from the list of stories, ${size.width} px wide`, async () => {
      const { page, heard, see } = await open("#v1/sparse-parity?n=12&k=2&width=16&start=paused", size);
      const run = page.url();
      await see("stories").click();
      const button = see("lesson-grokking");
      assert.equal(await button.getAttribute("aria-label"), "For teachers: Memorise, then understand");
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
      await button.click();
      await until(async () => (await see("lesson").locator("h4").count()) >= 5, "the page");
      assert.equal(await page.locator("dialog[open]").count(), 1, "the list is closed");
      assert.equal(await text(see("lesson").locator("h3")), "Memorise, then understand");
      const heads = (await see("lesson").locator("h4").allInnerTexts()).slice(0, 5);
      assert.deepEqual(heads, ["Goals", "What students should know before the story", "Questions for the class", "Misconceptions", "Practical notes"]);
      assert.equal(await see("lesson").locator("dt").count(), await see("lesson").locator("dd").count());
      assert.equal(page.url(), run, "the run stays");
      const wide = await see("lesson").evaluate((node) => node.scrollWidth - node.clientWidth);
      assert.ok(wide <= 0, `${wide}`);

      await count(page);
      await see("print-lesson").click();
      await until(() => page.evaluate(() => window.prints === 1), "the browser's dialog");
      const pages = await printed(page);
      assert.ok(pages === 1 || pages === 2, `${pages} sheets`);
      await onPaper(page);
      assert.ok((await see("handout").isVisible()) && !(await see("claim").isVisible()) && !(await see("lesson").isVisible()));
      assert.equal(await see("handout").locator("h1").innerText(), "Memorise, then understand");
      assert.ok((await see("handout").locator("h2").count()) >= 5);
      await page.emulateMedia({ media: "screen" });

      // Its link opens the story.
      await see("lesson").locator("a").click();
      await until(async () => / · 1 of \d+$/.test(await text(see("tour-place"))), "the story");
      assert.equal(await page.locator("dialog[open]").count(), 0);
      isQuiet(heard);
      await page.close();
    });
  }

  it("opens the page for teachers from the story and from the dialog for a class, and no passage shows it", async () => {
    const { page, heard, see } = await open("#story/one-note");
    await until(async () => / · 1 of \d+$/.test(await text(see("tour-place"))), "the first passage");
    const last = Number(/\d+$/.exec(await text(see("tour-place")))[0]);
    await see("story-lesson").click();
    await until(async () => (await see("lesson").locator("li").count()) > 5, "the page");
    const goal = await text(see("lesson").locator("li").first());
    await page.keyboard.press("Escape");
    await until(async () => (await page.locator("dialog[open]").count()) === 0, "it is closed");
    for (let at = 1; at <= last; at++) {
      await until(async () => (await text(see("tour-place"))).endsWith(` · ${at} of ${last}`), `passage ${at}`);
      assert.ok(!(await text(see("tour"))).includes(goal));
      assert.equal(await page.getByTestId("story-lesson").count(), at === 1 || at === last ? 1 : 0);
      if (at < last) await see("tour-next").click();
    }
    await see("teach").click();
    await see("class-lesson").click();
    await until(async () => (await text(see("lesson"))).includes(goal), "the same page");
    assert.equal(await page.locator("dialog[open]").count(), 1, "the dialog for a class is closed");
    isQuiet(heard);
    await page.close();
  });

  it("says so when the page for teachers cannot be fetched", async () => {
    const { page, see } = await open("#v1/sparse-parity?n=12&k=2&width=16&start=paused");
    await see("stories").click();
    await see("lesson-no-luck").waitFor();
    // After the list, so that the page has what it needs; without the copy that the browser keeps.
    await page.evaluate(() => (window.fetch = () => Promise.resolve(new Response("", { status: 404 }))));
    await see("lesson-no-luck").click();
    await until(async () => /This story could not be loaded/.test(await text(see("lesson"))), "a sentence");
    await page.close();
  });
}
