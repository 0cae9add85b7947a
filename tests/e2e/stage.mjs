// The first screen: a moving picture of each lab that can be touched, in the browser of somebody who is here for the first time.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";

import { open, pixels, stepOf, text, until, visit } from "./harness.mjs";
import { violations } from "./product.mjs";

const PHONE = { width: 390, height: 844 };
const LAB = process.env.LAB ?? join(process.env.CARGO_TARGET_DIR ?? "target", "debug", "lab");

/** A small parity that is found after some four seconds. */
const SMALL = "#v1/sparse-parity?n=12&k=2&width=24&seed=3&steps=2000&every=10&speed=20";

/** The default run of every lab. */
const LABS = [
  "sparse-parity", "groups", "markov", "sparse-boolean", "tabular", "teacher-student", "sparse-token-regression",
  "in-context-learning", "in-context-regression", "turing-machine", "boolean-circuit", "machine-traces", "succinct-learning",
];

/** A number as the page writes it, with a typographic minus. */
const signed = (words) => Number(words.replace("−", "-").replace("+", ""));

/** What the network of a run answers in the end to inputs, as the command line computes it. */
function answers(link, inputs) {
  const folder = mkdtempSync(join(tmpdir(), "vivarium-inputs-"));
  try {
    const file = join(folder, "inputs.csv");
    writeFileSync(file, inputs.map((bits) => bits.join(",")).join("\n") + "\n");
    const given = ["probe", link, "--arrays", "outputs", "--inputs", file, "--format", "json", "--quiet"];
    const all = JSON.parse(execFileSync(LAB, given, { encoding: "utf8" }));
    return all.arrays.find((array) => array.array === "outputs").values;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Tests in a browser of their own, at the address that `address` gives. */
export function stage(address) {
  let browser;
  before(async () => {
    browser = await open({ details: false });
  });
  after(() => browser?.close());

  const visitStage = async (link = "", size = undefined) => {
    const opened = await visit(browser.context, address(), link, size);
    await until(async () => (await text(opened.see("stage-headline"))).length > 0, "a sentence above the picture");
    return opened;
  };
  const spoken = (see) => text(see("stage-spoken"));
  const shownStep = async (see) => Number(/^Step ([\d,]+) of/.exec(await see("stage-slider").getAttribute("aria-valuetext"))?.[1].replaceAll(",", ""));
  /** The last step of a run that has ended, once the picture has its weights. */
  const lastStep = (see) =>
    until(async () => /^Step ([\d,]+) of \1$/.test(await see("stage-slider").getAttribute("aria-valuetext")) && shownStep(see), "the last step");

  it("is a picture of the run, which fits a laptop and a phone without scrolling and has few controls", async () => {
    for (const [size, most] of [[{ width: 1440, height: 900 }, 12], [{ width: 1280, height: 720 }, 12], [PHONE, 12]]) {
      const { page, heard, see } = await visitStage("", size);
      assert.match(await text(see("stage-headline")), /^64 neurons search for 3 secret bits\. Flip one\.$/);
      await until(async () => (await pixels(page, "stage-picture")) > 4, "a picture");
      await until(async () => (await shownStep(see)) > 5, "new weights in the picture");
      const [wide, high] = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
      assert.ok(wide <= 0 && high <= 0, `${wide} pixels too wide and ${high} too high at ${size.width}`);
      const controls = await page.locator("a[href]:visible, button:visible:not(.target), select:visible, input:visible").count();
      assert.ok(controls <= most, `${controls} controls at ${size.width}`);
      assert.equal(await page.locator(".target").count(), 20);
      assert.deepEqual(heard.console, []);
      await page.close();
    }
  });

  it("answers a touch with the weights of the run, as the command line computes them", async () => {
    const { page, heard, see } = await visitStage(SMALL);
    await until(async () => /^Flip bit \d+: the answer turns\. Flip bit \d+: it does not\.$/.test(await text(see("stage-headline"))), "the end of the run");
    await lastStep(see);
    const bits = () => page.locator(".target").evaluateAll((all) => all.map((one) => (one.getAttribute("aria-pressed") === "true" ? 1 : -1)));
    const seen = [];
    let turned = 0;
    for (let bit = 0; bit < 12; bit++) {
      const before = await spoken(see);
      await see(`target-bit-${bit}`).click();
      await until(async () => (await spoken(see)) !== before, "the effect of a touch");
      const [, from, to] = /The answer changed from (\S+) to (\S+)\.$/.exec(await spoken(see)) ?? [];
      seen.push({ bits: await bits(), answer: signed(to) });
      turned += Number(signed(from) * signed(to) < 0);
    }
    assert.equal(turned, 2, "the two secret bits turn the answer");
    const computed = answers(SMALL, seen.map((one) => one.bits));
    seen.forEach((one, at) => assert.ok(Math.abs(one.answer - computed[at]) < 0.006, `${one.answer} and ${computed[at]}`));
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("goes back to any step with the slider, replays the run, and shows its end again", async () => {
    const { page, heard, see } = await visitStage(SMALL);
    await see("stage-replay").waitFor({ timeout: 60_000 });
    const end = await lastStep(see);
    await see("stage-slider").focus();
    await page.keyboard.press("Home");
    await until(async () => (await shownStep(see)) === 0, "the first step");
    await until(async () => /^Step 0\./.test(await text(see("stage-description"))), "its description");
    await see("stage-replay").click();
    await until(async () => { const step = await shownStep(see); return step > 0 && step < end; }, "the replay to move");
    await see("stage-replay").click();
    await until(async () => (await shownStep(see)) === end, "the end");
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("can be used with the keyboard alone", async () => {
    const { page, see } = await visitStage(SMALL);
    await see("stage-replay").waitFor({ timeout: 60_000 });
    await see("target-bit-0").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await until(async () => /^Bit 2 is (plus|minus) 1\./.test(await spoken(see)), "a bit that is flipped by Space");
    await page.close();
  });

  it("has a moving picture of every lab, whose first target answers, and of which axe-core knows no fault", async () => {
    for (const lab of LABS) {
      for (const size of [{ width: 1440, height: 900 }, PHONE]) {
        const { page, heard, see } = await visitStage(`#v1/${lab}`, size);
        await until(async () => (await pixels(page, "stage-picture")) > 3, `a picture of ${lab}`);
        const high = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
        assert.ok(high <= 0, `${lab}: ${high} pixels too high at ${size.width}`);
        const target = page.locator(".target").first();
        await target.waitFor();
        const handle = await target.evaluate((node) => node.classList.contains("target--handle"));
        await until(async () => {
          await target.focus();
          // A handle at the end of its way moves to the other side.
          for (const key of handle ? ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"] : ["Space"]) await page.keyboard.press(key);
          return (await spoken(see)).length > 5;
        }, `an answer of ${lab}`, 10);
        assert.ok((await text(see("stage-description"))).length > 20, lab);
        if (size !== PHONE) assert.deepEqual(await violations(page), [], lab);
        // A browser without a GPU says so once.
        assert.deepEqual(heard.console.filter((line) => !/No available adapters/.test(line)), [], lab);
        await page.close();
      }
    }
  });

  it("changes a setting in a drawer beside the picture, which follows at once", async () => {
    const { page, heard, see } = await visitStage(SMALL);
    await see("stage-settings").click();
    const bits = see("stage-drawer").getByTestId("setting-n");
    await bits.fill("8");
    await bits.press("Enter");
    await until(async () => (await page.locator(".target").count()) === 8, "a picture with eight bits");
    assert.match(page.url(), /n=8/);
    await page.keyboard.press("Escape");
    await until(async () => !(await see("stage-drawer").count()), "the drawer to close");
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("shows the help of a field in the drawer without covering the field with an error", async () => {
    const { page, heard, see } = await visitStage("#v1/sparse-parity?start=paused");
    await see("stage-settings").click();
    const drawer = see("stage-drawer");
    await drawer.getByTestId("setting-n").fill("2");
    await page.keyboard.press("Enter");
    const error = drawer.locator("#setting-error-k");
    await until(async () => /^Expected at most n = 2$/.test(await text(error)), "the error of k");
    const help = drawer.locator("#setting-help-n");
    assert.ok(await help.isVisible(), "the focus is in the field n");
    const boxes = [help, drawer, drawer.locator("#setting-n"), drawer.locator("#setting-k"), error].map((part) => part.boundingBox());
    const [bubble, frame, ...fields] = await Promise.all(boxes);
    assert.ok(bubble.y >= frame.y && bubble.y + bubble.height <= frame.y + frame.height, JSON.stringify([bubble, frame]));
    for (const field of fields) {
      assert.ok(bubble.y + bubble.height <= field.y || field.y + field.height <= bubble.y, JSON.stringify([bubble, field]));
    }
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("opens the drawer beside the picture on a laptop, and over it on a phone", async () => {
    for (const size of [{ width: 1440, height: 900 }, { width: 1280, height: 720 }, PHONE]) {
      const { page, heard, see } = await visitStage(SMALL, size);
      await until(async () => (await pixels(page, "stage-picture")) > 4, "a picture");
      await see("stage-settings").click();
      const isPhone = size === PHONE;
      await until(async () => {
        const [drawer, picture] = await Promise.all([see("stage-drawer").boundingBox(), see("stage-picture").boundingBox()]);
        return drawer && (isPhone ? drawer.x < picture.x + picture.width : drawer.x >= picture.x + picture.width && picture.width > drawer.width);
      }, `the drawer at ${size.width}`);
      const [wide, high] = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
      assert.ok(wide <= 0 && high <= 0, `${wide} pixels too wide and ${high} too high at ${size.width}`);
      const [buttons, frame] = await Promise.all([page.locator(".first-screen__more").boundingBox(), see("stage-drawer").boundingBox()]);
      assert.ok(Math.abs(buttons.x + buttons.width - frame.x - frame.width) <= 1, "the buttons stay at the right side");
      await page.keyboard.press("Escape");
      assert.deepEqual(heard.console, []);
      await page.close();
    }
  });

  it("keeps the button with the other settings free while the last of the first five has the focus", async () => {
    for (const size of [{ width: 1440, height: 900 }, PHONE]) {
      // The last setting is the learning rate, which has a help of its own.
      const { page, heard, see } = await visitStage("#v1/sparse-boolean?start=paused", size);
      await see("stage-settings").click();
      const drawer = see("stage-drawer");
      await drawer.getByTestId("setting-lr").click();
      await until(() => drawer.locator("#setting-help-lr").isVisible(), "the help");
      const [help, field, more] = await Promise.all(
        [drawer.locator("#setting-help-lr"), drawer.locator("#setting-lr"), see("more-settings")].map((part) => part.boundingBox()),
      );
      assert.ok(help.y + help.height <= field.y && field.y + field.height <= more.y, JSON.stringify([help, field, more]));
      await see("more-settings").click();
      await until(async () => (await see("more-settings").getAttribute("aria-expanded")) === "true", "the other settings");
      assert.deepEqual(heard.console.filter((line) => !/No available adapters/.test(line)), []);
      await page.close();
    }
  });

  it("shows all of a message on a phone", async () => {
    const { page, heard, see } = await visitStage(SMALL, PHONE);
    await see("stage-replay").waitFor({ timeout: 60_000 });
    await see("stage-settings").click();
    const rate = see("stage-drawer").getByTestId("setting-lr");
    await rate.fill("0.05");
    await rate.press("Enter");
    const message = see("stage-message");
    await until(async () => /^The run has restarted with the same seed because Learning rate/.test(await text(message)), "the message");
    const [wide, high] = await message.evaluate((node) => [node.scrollWidth - node.clientWidth, node.scrollHeight - node.clientHeight]);
    assert.ok(wide <= 0 && high <= 1, `${wide} pixels too wide and ${high} too high`);
    assert.ok((await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)) <= 0, "all of it fits");
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("opens the drawer on five settings, and the others below them, each of them once", async () => {
    const { page, heard, see } = await visitStage(SMALL);
    await see("stage-settings").click();
    const first = page.locator("[data-testid=first-settings] .setting");
    const names = () => first.evaluateAll((all) => all.map((one) => one.querySelector("[data-testid]").dataset.testid));
    assert.deepEqual(await names(), ["width", "n", "k", "lr", "noise"].map((key) => `setting-${key}`));
    assert.deepEqual(await violations(page), []);
    await see("more-settings").click();
    await page.getByTestId("stage-drawer").getByTestId("setting-batch").waitFor();
    const ids = await page.locator("[id^=setting-]").evaluateAll((all) => all.map((one) => one.id));
    assert.equal(new Set(ids).size, ids.length, "no field is there twice");
    // The first screen sets the pace itself.
    assert.equal(await page.getByTestId("stage-drawer").getByTestId("setting-speed").count(), 0);
    await see("more-settings").click();
    await until(async () => !(await page.getByTestId("stage-drawer").getByTestId("setting-batch").count()), "fewer settings");
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("says how the run before ended when a new one begins", async () => {
    const { page, heard, see } = await visitStage(SMALL);
    await see("stage-replay").waitFor({ timeout: 60_000 });
    assert.ok(!/run before/.test(await text(see("stage-description"))));
    await see("stage-new").click();
    const sentence = /The run before stopped at step [\d,]+; the last value of its curve “[^”]+” is [^.]+(\.\d+)?\.$/;
    await until(async () => sentence.test(await text(see("stage-description"))), "a sentence on the run before");
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("moves along the run by a hundredth with an arrow key, and by a tenth with Shift", async () => {
    const { page, see } = await visitStage(SMALL);
    await see("stage-replay").waitFor({ timeout: 60_000 });
    const end = await lastStep(see);
    await see("stage-slider").focus();
    await page.keyboard.press("ArrowLeft");
    const one = await until(async () => { const step = await shownStep(see); return step < end && step; }, "an earlier step");
    assert.ok(one <= end - Math.floor(end / 100) && one > end / 2, `${one} of ${end}`);
    await page.keyboard.press("Shift+ArrowLeft");
    await until(async () => (await shownStep(see)) <= one - Math.floor(end / 10), "a step a tenth before");
    await page.keyboard.press("End");
    await until(async () => (await shownStep(see)) === end, "the end");
    await page.close();
  });

  it("keeps the keyboard focus when what had it disappears", async () => {
    const { page, see } = await visitStage(SMALL);
    const focused = () => page.evaluate(() => document.activeElement?.dataset.testid ?? "");
    await see("target-bit-11").focus();
    await page.evaluate((link) => { location.hash = link; }, SMALL.replace("n=12", "n=8"));
    await until(async () => (await page.locator(".target").count()) === 8, "a picture with eight bits");
    await until(async () => /^target-bit-[0-7]$/.test(await focused()), "the focus on a bit that is left");
    await see("show-details").focus();
    await page.keyboard.press("Enter");
    await until(async () => (await focused()) === "show-picture", "the focus on the button that switches back");
    await page.keyboard.press("Enter");
    await until(async () => (await focused()) === "show-details", "the focus on the button of the details");
    await page.close();
  });

  it("opens the details, which are remembered, and comes back", async () => {
    const { page, see } = await visitStage(SMALL);
    await see("show-details").click();
    await see("chart-loss").waitFor();
    await until(async () => (await stepOf(see)) > 0, "steps");
    assert.ok(!(await see("stage").isVisible()));
    await page.reload();
    await see("chart-loss").waitFor();
    await see("show-picture").click();
    await until(async () => (await pixels(page, "stage-picture")) > 4, "the picture");
    assert.ok(!(await see("chart-loss").isVisible()));
    // The choice is that of this browser: the next test is another visitor again.
    assert.equal(await page.evaluate(() => localStorage.getItem("vivarium.view")), "picture");
    await page.close();
  });

  it("stands beside the text of a story: large on a laptop, the upper part of a phone's screen, and nothing hides behind it", async () => {
    for (const size of [{ width: 1440, height: 900 }, { width: 1280, height: 720 }, PHONE]) {
      const { page, heard, see } = await visitStage("#story/hidden-progress/1", size);
      await until(async () => (await pixels(page, "stage-picture")) > 4, "a picture");
      await until(async () => / · 1 of \d+$/.test(await text(see("tour-place"))), "the first passage");
      assert.ok(!(await see("stage").count()), "no first screen");
      const isPhone = size === PHONE;
      const panel = () => see("stage-panel").boundingBox();
      const picture = await see("stage-picture").boundingBox();
      assert.ok(picture.height >= 290 && picture.y + picture.height <= size.height, `${JSON.stringify(picture)} at ${size.width}`);
      const bar = isPhone ? (await page.locator(".transport").boundingBox()).y : size.height;
      if (isPhone) {
        const { y, height } = await panel();
        assert.ok(y >= 0 && y + height <= 0.46 * size.height, `${y} ${height}`);
        assert.ok((await see("tour-place").boundingBox()).y >= y + height, "the text is below the picture");
        assert.ok(bar - y - height > 200, "room for the text");
      } else {
        const tour = await see("tour").boundingBox();
        assert.ok(tour.x + tour.width <= picture.x && tour.y + tour.height <= size.height && picture.width > tour.width);
      }
      // The picture stays, and a chart at which the story points is seen whole.
      await see("tour").getByRole("button", { name: "Look at the loss" }).click();
      await until(async () => {
        const [{ y, height }, chart] = [await panel(), await page.locator(".plot--highlighted").boundingBox()];
        return chart && y >= 0 && y <= 60 && chart.y >= y + height - 1 && chart.y + chart.height <= bar + 1;
      }, `the chart between picture and bar at ${size.width}`, 10);
      await see("tour-next").click();
      await until(async () => {
        const [{ y, height }, title] = [await panel(), await page.locator(".tour__title").boundingBox()];
        const isFree = isPhone ? title.y >= y + height - 1 && title.y < bar : title.y >= 0 && title.y < size.height;
        return isFree && / · 2 of \d+$/.test(await text(see("tour-place")));
      }, `the title of the next passage at ${size.width}`, 10);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
      assert.deepEqual(await violations(page), [], `${size.width}`);
      assert.deepEqual(heard.console.filter((line) => !/No available adapters/.test(line)), []);
      await page.close();
    }
  });

  it("replays the run of a story when the reader asks for it, and shows the step to which the charts are set back", async () => {
    const { page, heard, see } = await visitStage("#story/hidden-progress/1");
    await see("skip").first().click();
    await see("tour").getByRole("button", { name: "Train to step 300" }).click();
    await until(async () => (await shownStep(see)) === 300, "step 300 in the picture");
    await see("stage-replay").waitFor();
    await page.waitForTimeout(7000);
    assert.equal(await shownStep(see), 300, "nothing is replayed by itself");
    await see("stage-replay").click();
    await until(async () => (await shownStep(see)) < 300, "the replay");
    await see("stage-replay").click();
    await until(async () => (await shownStep(see)) === 300, "the newest step");
    await see("scrub").focus();
    await page.keyboard.press("ArrowLeft");
    // Weights are recorded at the measurements, or a little less often.
    await until(async () => (await stepOf(see)) < 300 && (await shownStep(see)) <= (await stepOf(see)), "the step of the charts");
    await see("scrub-end").click();
    await until(async () => (await shownStep(see)) === 300, "the newest step again");
    assert.deepEqual(heard.console.filter((line) => !/No available adapters/.test(line)), []);
    await page.close();
  });

  it("fits a frame of another page, with its buttons and a link to the whole page", async () => {
    const { page, heard, see } = await visitStage(`${SMALL}&embed=on&view=picture`, { width: 640, height: 480 });
    for (const [width, height] of [[640, 480], [720, 520], [1200, 800], [390, 640], [320, 240]]) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(300);
      await until(async () => (await pixels(page, "stage-picture")) > 3, `a picture, ${width} by ${height}`);
      const over = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
      assert.ok(over.every((pixels) => pixels <= 0), `${over} pixels beyond ${width} by ${height}`);
      for (const id of ["stage-picture", "stage-play", "embed-open"]) {
        const box = await see(id).boundingBox();
        assert.ok(box && box.y >= 0 && box.y + box.height <= height + 0.5 && box.x + box.width <= width + 0.5, `${id}, ${width} by ${height}: ${JSON.stringify(box)}`);
      }
      const { height: high } = await see("stage-picture").boundingBox();
      assert.ok(high >= (height >= 480 ? 250 : 90), `a picture ${high} pixels high, ${width} by ${height}`);
    }
    assert.equal(await see("show-details").count(), 0);
    assert.match(await see("embed-open").getAttribute("href"), /&view=picture$/);
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("does not move by itself for a visitor who wants no motion", async () => {
    const page = await browser.context.newPage();
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto(address() + SMALL);
    const see = (id) => page.getByTestId(id).first();
    await see("stage-replay").waitFor({ timeout: 60_000 });
    const pressed = () => page.locator(".target").evaluateAll((all) => all.map((one) => one.getAttribute("aria-pressed")).join());
    const end = await lastStep(see);
    const before = await pressed();
    await new Promise((resolve) => setTimeout(resolve, 8000));
    assert.equal(await pressed(), before, "the example stays");
    assert.equal(await shownStep(see), end, "nothing is replayed");
    await page.close();
  });
}
