// Stories and the teacher's link, in a browser without WebGPU.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { it } from "node:test";

import { rows, serve, stepOf, text, until, visit } from "./harness.mjs";
import { presenting } from "./presenter.mjs";

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
          await until(async () => (await text(see("answer"))).length > 20, "what comes next");
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
            assert.equal(await page.locator(".plot--highlighted").count(), 1, word);
            shown++;
          }
        }
        for (const answer of await tour.getByTestId("answer").all()) {
          await until(async () => /^(Yes|No)\. /.test(await text(answer)), "the explanation, after the run");
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

  it("unfolds further reading by keyboard, which stays open while a run trains", async () => {
    const { page, heard, see } = await open("#story/hidden-progress", { width: 390, height: 844 });
    const more = page.getByTestId("read-more");
    await until(async () => (await more.count()) === 1, "further reading before the question");
    const isOpen = () => more.first().getAttribute("aria-expanded");
    const hasText = async () => (await text(see("tour"))).includes("The label looks random");
    assert.deepEqual([await isOpen(), await hasText()], ["false", false]);
    await more.first().focus();
    await page.keyboard.press("Enter");
    await until(async () => (await isOpen()) === "true" && (await hasText()), "the text");
    await until(() => more.first().evaluate((node) => document.activeElement === node), "the focus stays");
    const box = await more.first().boundingBox();
    assert.ok(box.height >= 24 && box.width >= 24, `${box.width} × ${box.height}`);
    await see("guess-1").click();
    await see("tour").getByRole("button", { name: "Train to the end" }).click();
    await until(async () => /^Yes\. /.test(await text(see("answer"))), "the explanation", 90);
    assert.deepEqual([await isOpen(), await hasText(), await more.count()], ["true", true, 2]);
    await more.first().press("Enter");
    await until(async () => (await isOpen()) === "false" && !(await hasText()), "folded again");
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
    isQuiet(heard);
    await page.close();
  });

  it("turns the pages of every story to its end, whatever runs come and go", async () => {
    const stories = readdirSync(`${process.env.DIST}/stories`).map((file) => file.replace(".md", ""));
    assert.ok(stories.length >= 10, `${stories}`);
    for (const story of stories) {
      const { page, heard, see } = await open(`#story/${story}`);
      const place = () => text(see("tour-place"));
      await until(async () => / · 1 of \d+$/.test(await place()), `${story} opens`);
      const last = Number(/\d+$/.exec(await place())[0]);
      for (let at = 1; at < last; at++) {
        await see("tour-next").click();
        await until(async () => (await place()).endsWith(` · ${at + 1} of ${last}`), `passage ${at + 1} of ${story}`);
        // What the passage shows comes on one of the next frames.
        await page.waitForTimeout(150);
      }
      assert.ok(await see("tour-next").isDisabled());
      isQuiet(heard);
      await page.close();
    }
  });

  it("says what goes in, what should come out, and what the network answers now", async () => {
    const { page, heard, see } = await open("#v1/sparse-parity?n=20&k=3&width=100&lr=0.1&speed=0&device=cpu");
    assert.match(await text(see("task")), /^The task\s*The label is the product of k relevant bits/);
    const said = /^The network's answer at step [\d,]+: −?[\d.]+, so the sign is ([+−])1\. (Right|Wrong)\.$/;
    await until(async () => said.test(await text(see("task-answer"))), "an answer");
    const given = await text(see("task-input"));
    assert.match(given, /^Example 1: bit \d+ is [+−]1, bit \d+ is [+−]1, bit \d+ is [+−]1\. The label does not depend on the other 17 inputs\.$/);
    const minus = given.match(/−1/g)?.length ?? 0;
    assert.equal(await text(see("task-label")), `The label is ${minus % 2 ? "−" : "+"}1.`);
    await until(async () => /^Found/.test(await text(see("status"))), "the parity", 120);
    await until(async () => Number(/at step ([\d,]+):/.exec(await text(see("task-answer")))?.[1].replace(",", "")) === (await stepOf(see)), "the answers at the last step");
    let right = 0;
    for (let at = 1; at <= 16; at++) {
      await until(async () => (await text(see("task-input"))).startsWith(`Example ${at}:`), `example ${at}`);
      right += (await text(see("task-answer"))).endsWith("Right.");
      await see("task-next").click();
    }
    await until(async () => (await text(see("task-input"))).startsWith("Example 1:"), "the first again");
    assert.ok(right >= 15, `${right} of 16 are right once the parity is found`);
    await page.evaluate(() => (location.hash = "#v1/groups?n=7&width=32&frac=0.7&device=cpu"));
    await until(async () => /^Example 1: the elements \d and \d\.$/.test(await text(see("task-input"))), "a pair");
    await until(async () => /^The network's answer at step [\d,]+: \d\. (Right|Wrong)\.$/.test(await text(see("task-answer"))), "an element");
    isQuiet(heard);
    await page.close();
  });

  it("shows an example of every kind beside its task, with the network's present answer", async () => {
    const number = String.raw`(−?[\d.]+(e−?\d+)?|–)`;
    const answer = `The network's answer at step [\\d,]+: `;
    const kinds = [
      ["#v1/markov", /^Example 1: a sequence of 50 symbols that ends with …[ab]{20}\.$/, /^The next symbol is [ab]; its probability in this chain is [\d.]+\.$/, `${answer}[ab] with probability [\\d.]+\\.`],
      ["#v1/machine-traces", /^Example 1: a trace of 64 tokens that ends with( [AB][01]){12}\.$/, /^The next token is [AB][01]; (its symbol was written \d+ steps before|the machine's head is on a new cell, so the symbol is random)\.$/, `${answer}symbol [01] with probability [\\d.]+\\. (Right|Wrong)\\.`],
      ["#v1/teacher-student", /^Example 1: bit 1 is [+−]1, .*, and so on for all 100 inputs\.$/, /^The label is [+−]1\.$/, `${answer}${number}, .*\\. (Right|Wrong)\\.`],
      ["#v1/sparse-token-regression", /^Example 1\. Names at position 8: \d and \d\. Tokens at the named positions: \S+ and \S+\.$/, /^The label is .+\.$/, `${answer}${number}\\.`],
      ["#v1/in-context-learning", /^Example 1: 16 points x → y\. The list ends with (\S+ → \S+ ?){3} ?The query is \S+\.$/, /^The query's label is .+\.$/, `${answer}${number}\\.`],
      ["#v1/in-context-regression", /^Example 1, the query of the prompt: x = 0\.400\.$/, /^The value of the function at this x is 0\.717\.$/, `${answer}${number}\\.`],
      ["#v1/turing-machine", /^Input \S+, step [\d,]+ of 107: state \S+, symbol \S under the head on cell \d+\.$/, /^The machine /, String.raw`The network's token \d+: state \S+, symbol \S, cell \d+\. This token is right\.`],
      ["#v1/boolean-circuit", /^Example 1: the input bits 1111\.$/, /^The circuit gives 0\.$/, `${answer}−1\\.00, so the bit is 0\\. Right\\.`],
      ["#v1/succinct-learning?speed=100", /^Example 1: the test input( [+−]){6}\.$/, /^The label is [+−]1\.$/, `(${answer}[+−]1\\. (Right|Wrong)|There is no answer at step [\\d,]+.*)\\.`],
      ["#v1/succinct-learning?model=cell-rules", /^Query 1: 8 examples of a random function, and the test input( [+−]){6}\.$/, /^The label is [+−]1\.$/, String.raw`After step [\d,]+, the chosen rule gives the answer [+−]1\. This answer is (right|wrong)\.|There is no answer at step [\d,]+\.`],
    ];
    const { page, heard, see } = await open(kinds[0][0]);
    for (const [link, given, label, said] of kinds) {
      await page.evaluate((link) => (location.hash = link), link);
      const whole = new RegExp(`^(${said})$`);
      await until(async () => given.test(await text(see("task-input"))), `what goes in: ${link}`);
      assert.match(await text(see("task-label")), label, link);
      await until(async () => whole.test(await text(see("task-answer"))), `an answer: ${link}`, 60);
      const first = await text(see("task-input"));
      await see("task-next").click();
      await until(async () => (await text(see("task-input"))) !== first, `another example: ${link}`);
    }
    assert.match(await text(see("task")), /^The task\s*A search tries short learning algorithms/, "a search does no SGD");
    isQuiet(heard);
    await page.close();
  });

  it("has an address for every passage, goes back and forward, and keeps answers through a reload", async () => {
    const { page, heard, see } = await open("#v1/sparse-parity?n=12&k=2&width=16&steps=200&start=paused");
    await page.evaluate(() => (location.hash = "#story/unigram-trap"));
    const place = () => text(see("tour-place"));
    await until(async () => / · 1 of \d$/.test(await place()), "the first passage");
    await until(() => page.url().endsWith("#story/unigram-trap/1"), "its address");
    // Train waits for a prediction.
    const train = see("tour").getByRole("button", { name: "Train to step 240" });
    assert.equal(await train.getAttribute("aria-disabled"), "true");
    await train.click({ force: true });
    assert.equal(await stepOf(see), 0);
    assert.match(await text(see("claim")), /after your prediction/);
    await see("guess-0").first().click();
    assert.match(await text(see("answer")), /^The explanation is shown when the run has reached step/);
    await train.click();
    await until(async () => /^(Yes|No)\. /.test(await text(see("answer"))), "the explanation, after the run", 60);
    await see("tour-next").click();
    await until(() => page.url().endsWith("#story/unigram-trap/2"), "the second address");
    await page.goBack();
    await until(async () => / · 1 of \d$/.test(await place()), "back");
    assert.match(await text(see("answer")), /^(Yes|No)\. /);
    await page.goForward();
    await until(async () => / · 2 of \d$/.test(await place()), "forward");
    await page.goBack();
    await until(() => page.url().endsWith("#story/unigram-trap/1"), "back again");
    await page.reload();
    await until(async () => / · 1 of \d$/.test(await place()), "the same passage");
    await until(async () => /^(Yes|No)\. /.test(await text(see("answer"))), "the same answer");
    isQuiet(heard);
    await page.close();
  });

  it("plays a story by keyboard alone, on a phone's width", async () => {
    const { page, heard, see } = await open("#story/unigram-trap", { width: 390, height: 844 });
    await until(async () => / · 1 of \d$/.test(await text(see("tour-place"))), "the first passage");
    const focused = () => page.evaluate(() => document.activeElement.textContent.trim());
    await until(async () => (await focused()) === "A new chain for every sequence", "the title in focus");
    // Terms of the glossary are on the way.
    const tabTo = async (word) => {
      for (let presses = 0; !word.test(await focused()); presses++) {
        assert.ok(presses < 15, `${word}`);
        await page.keyboard.press("Tab");
      }
    };
    // The first guess, then the way on.
    await tabTo(/^Bigrams at once/);
    await page.keyboard.press("Enter");
    await until(async () => (await text(see("answer"))).length > 40, "the answer");
    await until(async () => /^Bigrams at once/.test(await focused()), "the focus stays on the guess");
    await tabTo(/^Train to step 240$/);
    await page.keyboard.press("Enter");
    await until(async () => (await stepOf(see)) === 240, "step 240", 120);
    for (const [key, at] of [["j", 2], ["j", 3], ["k", 2], ["j", 3], ["j", 4], ["j", 5], ["j", 6], ["j", 7]]) {
      await page.keyboard.press(key);
      await until(async () => (await text(see("tour-place"))).endsWith(` · ${at} of 7`), `passage ${at}`);
    }
    await until(async () => (await focused()) === "Sources", "the last title in focus");
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
    isQuiet(heard);
    await page.close();
  });

  it("makes a link for a class, which hides, locks and waits as it says", async () => {
    await here().context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { page, heard, see } = await open("#v1/sparse-parity?n=12&k=2&width=24&every=10&held=512&steps=1000&halt=steps&speed=2");
    await until(async () => (await stepOf(see)) > 0, "steps");
    await see("teach").click();
    const checks = (name) => page.locator(`.teacher input[name="${name}"]`).check();
    const code = () => see("qr-code").locator("path").getAttribute("d");
    const before = await code();
    await page.locator(".teacher__hidden summary").click();
    await checks("hidden.presets");
    await checks("hidden.noise");
    assert.ok(!(await page.locator(".teacher__unlocked").isVisible()), "nothing is locked");
    await page.locator('.teacher select[name="lock"]').selectOption("except");
    const settings = await page.locator('.teacher input[name^="unlocked."]').evaluateAll((all) => all.map((one) => one.name));
    assert.ok(settings.length > 20, `${settings}`);
    for (const name of settings) {
      if (!["unlocked.n", "unlocked.seed"].includes(name)) await checks(name);
    }
    await see("start-at-step").fill("300");
    await until(async () => (await code()) !== before, "another QR code");
    assert.match(await code(), /^(M\d+ \d+h1v1h-1z)+$/);
    await see("copy-lesson").click();
    const address = await until(async () => {
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      return copied.includes("&at=300") && copied;
    }, "the link");
    assert.match(address, /speed=2&hide=presets,noise&lock=n,seed&at=300$/);
    await see("copy-frame").click();
    const frame = (keys) => until(async () => new RegExp(`^<iframe src="[^"]+&amp;${keys}" `).test(await page.evaluate(() => navigator.clipboard.readText())), `the frame with ${keys}`);
    await frame("embed=on&amp;view=picture&amp;at=300");
    // The button says for a while that it has copied.
    await page.locator('.teacher select[name="view"]').selectOption("");
    await see("copy-frame").click();
    await frame("embed=on&amp;at=300");
    await page.keyboard.press("Escape");
    assert.match(page.url(), /speed=2$/, "the page of the teacher stays as it is");
    isQuiet(heard);
    await page.close();

    const pupil = await open(address.slice(address.indexOf("#")));
    // At the speed of the link it would take 150 s.
    await until(async () => (await stepOf(pupil.see)) === 300, "step 300, faster than the link's speed", 100);
    await until(async () => (await pupil.see("play").getAttribute("aria-label")) === "Play", "a pause");
    assert.equal((await rows(pupil.page)).at(-1).step, 300);
    assert.ok(!(await pupil.page.locator("#preset").isVisible()) && !(await pupil.see("setting-noise").isVisible()));
    assert.ok((await pupil.see("setting-n").isDisabled()) && (await pupil.see("setting-width").isEnabled()));
    await pupil.page.locator("body").press("n");
    await until(async () => /does not allow this change/.test(await text(pupil.see("message"))), "a sentence");
    assert.equal(pupil.page.url(), address);
    // On from there at the speed of the link, and after a change from the start.
    const begin = Date.now();
    await pupil.see("play").click();
    await until(async () => (await stepOf(pupil.see)) > 302, "more steps");
    const at = await stepOf(pupil.see);
    const most = 310 + (2 * (Date.now() - begin)) / 1000;
    assert.ok(at < most, `${at}, at most ${most}`);
    await pupil.see("setting-width").fill("20");
    await pupil.see("setting-width").press("Enter");
    await until(() => /width=20.*&hide=presets,noise&lock=n,seed$/.test(pupil.page.url()), "the change, and the rest of the link");
    isQuiet(pupil.heard);
    await pupil.page.close();
  });

  it("is embedded as a chart with play and a link back, at any size", async () => {
    const { page, heard, see } = await open("#v1/sparse-parity?n=12&k=2&width=24&every=10&held=512&steps=100000&halt=steps&speed=200&show=loss&embed=on", { width: 720, height: 420 });
    await until(async () => (await stepOf(see)) > 0, "steps");
    for (const hidden of [".masthead__tools", ".presets", ".panel", ".toolbar", ".links", ".story", ".library"]) {
      assert.ok(!(await page.locator(hidden).first().isVisible()), hidden);
    }
    for (const size of [{ width: 720, height: 420 }, { width: 320, height: 300 }, { width: 1200, height: 800 }]) {
      await page.setViewportSize(size);
      await page.waitForTimeout(200);
      assert.ok((await see("chart-loss").isVisible()) && (await see("play").isVisible()));
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${size.width}`);
    }
    assert.match(await see("embed-open").getAttribute("href"), /#v1\/sparse-parity\?.*&show=loss$/);
    assert.equal(await see("embed-open").getAttribute("target"), "_blank");
    await see("play").click();
    await until(async () => (await see("play").getAttribute("aria-label")) === "Play", "a pause");
    isQuiet(heard);
    await page.close();
  });

  it("has a notice for a teacher's key that cannot be meant", async () => {
    const { page, see } = await open("#v1/sparse-parity?n=12&k=2&width=16&start=paused&lock=n,astrology&at=soon&embed=maybe");
    const notice = await until(async () => text(see("notice")).catch(() => ""), "a notice");
    for (const word of ["astrology", "soon", "maybe"]) assert.match(notice, new RegExp(word));
    assert.match(page.url(), /start=paused&lock=n$/);
    await page.close();
  });

  it("has large type for a room and a page for paper", async () => {
    const { page, see, heard } = await open("#v1/sparse-parity?n=12&k=2&width=16&start=paused");
    const size = () => see("status").evaluate((node) => parseFloat(getComputedStyle(node).fontSize));
    const before = await until(size, "a size");
    await page.locator("body").press("p");
    await until(async () => (await size()) > 1.3 * before, "larger type");
    await see("present").click();
    await until(async () => (await size()) === before, "the size before");
    await page.emulateMedia({ media: "print" });
    for (const kept of ["claim", "chart-loss", "test-loss"]) assert.ok(await see(kept).isVisible(), kept);
    for (const left of ["play", "stories", "copy-link", "teach"]) assert.ok(!(await see(left).isVisible()), left);
    assert.match(await page.locator(".print-only").textContent(), /#v1\/sparse-parity\?n=12&k=2&width=16&start=paused$/);
    isQuiet(heard);
    await page.close();
  });

  it("says so when a story cannot be fetched, and when there is none of that name", async () => {
    // Elsewhere, where the page is not kept: from there stories come without a request.
    const site = await serve({ "service-worker.js": () => "throw new Error();" });
    const { page, see } = await visit(here().context, site.address, "#v1/sparse-parity?n=12&k=2&width=16&start=paused");
    await page.route("**/stories/*.md*", (route) => route.fulfill({ status: 404, body: "" }));
    await see("stories").click();
    await see("story-grokking").click();
    await until(async () => /This story could not be loaded/.test(await text(see("tour"))), "a sentence");
    await see("tour-close").click();
    await page.evaluate(() => (location.hash = "#story/astrology"));
    await until(async () => /no story with this name/.test(await text(see("message"))), "a sentence");
    assert.match(page.url(), /#v1\/sparse-parity/);
    await page.close();
    site.close();
  });

  presenting(here);
}
