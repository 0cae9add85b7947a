// Every passage of every story: it can be used by everybody, it fits, and it answers whatever was predicted.
//
// `VIVARIUM_WALK=<folder>` walks each story at both widths, presses every button, waits for each run, and leaves a picture of
// every passage in the folder; without it each passage is opened and answered once, and nothing is trained.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";

import { text, until, visit } from "./harness.mjs";
import { violations } from "./product.mjs";

const LABS = new URL("../../src/labs/", import.meta.url);
const FOLDER = process.env.VIVARIUM_WALK;
/** Longest time for one training run. */
const TRAINS = 180;

/** The stories: name, and of each passage how many questions it has and which guess is right in each. */
const STORIES = readdirSync(LABS, { recursive: true })
  .filter((path) => /stories[/\\].*\.md$/.test(path))
  .map((path) => {
    const [, ...sections] = readFileSync(new URL(path, LABS), "utf8").split(/^## /m);
    const passages = sections.filter((section) => !/^(Sources|For teachers)\n/.test(section));
    // Guesses follow each other without a line between them.
    const questions = (passage) => passage.match(/(^- \[[ x]\].*\n)+/gm) ?? [];
    const right = (question) => question.trim().split("\n").findIndex((guess) => guess.startsWith("- [x]"));
    return { slug: /([^/\\]*)\.md$/.exec(path)[1], passages: passages.map((passage) => questions(passage).map(right)) };
  });

/** Tests in the browser and at the address that `here` gives. */
export function walk(here) {
  for (const { slug, passages } of STORIES) {
    it(`reads ${slug} from its first passage to its last`, async () => {
      const walks = FOLDER ? [[1440], [390]] : [[1440, 390]];
      for (const [turn, widths] of walks.entries()) {
        const { page, see, heard } = await visit(here().context, here().address, `#story/${slug}/1`);
        for (const [at, questions] of passages.entries()) {
          const width = widths[at % widths.length];
          await page.setViewportSize({ width, height: 900 });
          await until(async () => new RegExp(` · ${at + 1} of `).test(await text(see("tour-place"))), `passage ${at + 1}`);
          const tour = see("tour");
          for (const [number, right] of questions.entries()) {
            const group = tour.locator(".guesses").nth(number);
            const guess = (at + turn) % 2 === 0 ? (right + 1) % 2 : right;
            await group.getByTestId(`guess-${guess}`).click();
          }
          if (FOLDER) await press(page, tour);
          assert.deepEqual(await violations(page), [], `${slug}, passage ${at + 1}, ${width} pixels`);
          const over = () => page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
          assert.ok((await over()) <= 0, `${slug}, passage ${at + 1}: wider than ${width} pixels`);
          if (FOLDER) {
            const name = `${slug}-${String(at + 1).padStart(2, "0")}-${width}.png`;
            // A picture of the whole page resizes its charts and does not wait until they are drawn again.
            await page.setViewportSize({ width, height: await page.evaluate(() => document.scrollingElement.scrollHeight) });
            await page.waitForTimeout(200);
            await page.screenshot({ path: join(FOLDER, name) });
            await page.setViewportSize({ width, height: 900 });
          }
          await see("tour-next").click();
        }
        await until(() => see("tour-next").isDisabled(), "the sources");
        assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), [], slug);
        await page.close();
      }
    });
  }

  it("knows every story that the page lists", async () => {
    const { page, see } = await visit(here().context, here().address);
    await see("stories").click();
    await until(() => page.locator("dialog[open]").isVisible(), "the list");
    const listed = await page.locator("dialog[open] [data-press]").evaluateAll((all) => all.map((one) => one.dataset.press));
    for (const { slug } of STORIES) assert.ok(listed.includes(slug), slug);
    await page.close();
  });
}

/** Presses the buttons of a passage in their order, waits for what they train, and for every explanation. */
async function press(page, tour) {
  for (const button of await tour.locator(".tour__buttons button").all()) {
    const word = await text(button);
    if (await button.getAttribute("aria-disabled")) continue;
    await button.click();
    if (/^(Train|Run)/.test(word)) {
      const rests = () => page.getByTestId("play").first().getAttribute("aria-label");
      await page.waitForTimeout(300);
      await until(async () => !/Pause/.test(await rests()), word, TRAINS);
    }
  }
  for (const answer of await tour.getByTestId("answer").all()) {
    await until(async () => (await text(answer)).length > 0, "an answer");
  }
}
