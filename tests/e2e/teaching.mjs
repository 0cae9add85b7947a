// Stories and the teacher's link, in a browser without WebGPU.

import assert from "node:assert/strict";
import { it } from "node:test";

import { rows, stepOf, text, until, visit } from "./harness.mjs";

/** Tests in the browser and at the address that `here` gives. */
export function teaching(here) {
  const open = (link, size) => visit(here().context, here().address, link, size);
  // The browser's own words when it is asked for a GPU and has none.
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);

  it("plays a story through to its end by buttons", async () => {
    const { page, heard, see } = await open("");
    await see("stories").click();
    await see("story-hidden-progress").click();
    const place = () => text(see("tour-place"));
    await until(async () => / · 1 of 8$/.test(await place()), "the first passage");
    assert.equal(await page.locator("dialog[open]").count(), 0, "the list is closed");
    await until(async () => (await stepOf(see)) === 0 && (await see("play").getAttribute("aria-label")) === "Play", "a run that waits");
    let [trained, asked, shown] = [0, 0, 0];
    for (let at = 1; at <= 8; at++) {
      await until(async () => new RegExp(` · ${at} of 8$`).test(await place()), `passage ${at}`);
      const tour = see("tour");
      if (at < 8) {
        for (const guess of await tour.getByTestId(/^guess-0$/).all()) {
          await guess.click();
          await until(async () => /^(Yes|Not quite)\. /.test(await text(see("answer"))), "the answer");
          assert.equal(await guess.getAttribute("aria-pressed"), "true");
          asked++;
        }
        for (const button of await tour.locator(".tour__buttons button").all()) {
          const word = await text(button);
          await button.click();
          const to = Number(/step ([\d,]+)$/.exec(word)?.[1].replace(",", ""));
          if (to) {
            await until(async () => (await stepOf(see)) === to, `${word}`, 90);
            assert.equal((await rows(page)).at(-1).step, to, "and a measurement there");
            trained++;
          } else if (/^Train/.test(word)) {
            await until(async () => /found|reached|solved|right|last step/i.test(await text(see("status"))), word, 90);
          } else {
            assert.equal(await page.locator(".plot--pointed").count(), 1, word);
            shown++;
          }
        }
        await see("tour-next").click();
      }
    }
    assert.ok(trained >= 5 && asked === 4 && shown >= 8, `${trained} ${asked} ${shown}`);
    assert.match(await text(see("tour")), /Barak/);
    assert.ok(await see("tour-next").isDisabled());
    await see("tour-close").click();
    assert.equal(await page.getByTestId("tour").count(), 0);
    isQuiet(heard);
    await page.close();
  });

  it("plays a story by keyboard alone, on a phone's width", async () => {
    const { page, heard, see } = await open("#story/unigram-trap", { width: 390, height: 844 });
    await until(async () => / · 1 of \d$/.test(await text(see("tour-place"))), "the first passage");
    const focused = () => page.evaluate(() => document.activeElement.textContent.trim());
    await until(async () => (await focused()) === "A new language every time", "the title in focus");
    // The first guess, then the way on.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await until(async () => (await text(see("answer"))).length > 40, "the answer");
    await until(async () => /^Bigrams at once/.test(await focused()), "the focus stays on the guess");
    for (let i = 0; i < 3; i++) await page.keyboard.press("Tab");
    assert.equal(await focused(), "Train to step 240");
    await page.keyboard.press("Enter");
    await until(async () => (await stepOf(see)) === 240, "step 240", 60);
    for (const [key, at] of [["j", 2], ["j", 3], ["k", 2], ["j", 3], ["j", 4], ["j", 5], ["j", 6], ["j", 7]]) {
      await page.keyboard.press(key);
      await until(async () => (await text(see("tour-place"))).endsWith(` · ${at} of 7`), `passage ${at}`);
    }
    assert.equal(await focused(), "Sources");
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
    isQuiet(heard);
    await page.close();
  });

  it("says so when a story cannot be fetched, and when there is none of that name", async () => {
    const { page, see } = await open("#v1/sparse-parity?n=12&k=2&width=16&start=paused");
    await page.route("**/stories/*.md", (route) => route.fulfill({ status: 404, body: "" }));
    await see("stories").click();
    await see("story-grokking").click();
    await until(async () => /This story is not there/.test(await text(see("tour"))), "a sentence");
    await see("tour-close").click();
    await page.evaluate(() => (location.hash = "#story/astrology"));
    await until(async () => /no story of that name/.test(await text(see("message"))), "a sentence");
    assert.match(page.url(), /#v1\/sparse-parity/);
    await page.close();
  });
}
