// The lab of a transformer that is gradient descent: its curves go on, a person goes through the layers of one step, and puts
// down points of their own.

import assert from "node:assert/strict";
import { it } from "node:test";

import { lab, pixels, rows, stepOf, text, until, visit } from "./harness.mjs";

const LAB = "#v1/in-context-regression";
const PHONE = { width: 390, height: 844 };

/** Tests in the browser and at the address that `here` gives. */
export function descentLab(here) {
  const open = (link, size) => visit(here().context, here().address, LAB + link, size);
  // The browser's own words when it is asked for a GPU and has none.
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);
  const heading = (see) => text(see("layer-heading"));

  it("goes on by tokens and by direct descent, and both are the same", async () => {
    const { page, heard, see } = await open("");
    await until(async () => (await stepOf(see)) > 5, "steps");
    const early = await stepOf(see);
    await until(async () => (await stepOf(see)) > early, "more steps");
    for (const id of ["chart-both", "chart-apart", "chart-strip", "chart-fitted"]) {
      await until(async () => (await pixels(page, id)) > 3, `${id} is drawn`);
    }
    await until(async () => (await rows(page)).at(-1)?.step === 100, "the last row");
    const measured = await rows(page);
    assert.ok(measured.at(-1).train_loss[0] < 0.8 * measured[0].train_loss[0], "the loss falls");
    const apart = Math.abs(measured.at(-1).train_loss[0] - measured.at(-1).test_loss[0]);
    assert.ok(apart < 0.01 * measured.at(-1).test_loss[0], `the losses are ${apart} apart`);
    await until(async () => /^Step 101 starts from the weights after step 100\.$/.test(await text(see("layer-step"))), "the step that follows");
    isQuiet(heard);
    await page.close();
  });

  it("is the run: the same bits in the page and on the command line", async () => {
    const links = ["?steps=40&every=10&speed=0", "?act=tanh&knots=16&hidden=6.6.6.6.6&steps=20&every=5&speed=0&f=points&points=-1:0.5_0.25:1_1:-0.5"];
    for (const link of links) {
      const { page } = await open(link);
      const last = Number(/steps=(\d+)/.exec(link)[1]);
      const measured = await until(async () => { const all = await rows(page); return all.at(-1)?.step === last && all; }, "the end");
      const native = lab(LAB + link, "--device", "cpu");
      assert.equal(measured.length, native.length);
      measured.forEach((row, i) => {
        for (const key of ["train_loss", "train_accuracy", "test_loss", "test_accuracy"]) {
          assert.deepEqual(row[key], native[i][key].map(Math.fround), `${link}: step ${row.step}, ${key}`);
        }
      });
      await page.close();
    }
  });

  it("is gone through layer by layer: 2N + 4 layers, each with words of its own", async () => {
    for (const [layers, link] of [[3, "?layer=0&start=paused"], [6, "?hidden=6.6.6.6.6&layer=0&start=paused"]]) {
      const { page, heard, see } = await open(link, layers === 3 ? PHONE : undefined);
      const all = 2 * layers + 4;
      await until(async () => (await see("layers").count()) === 1, "the layers");
      assert.equal(await page.locator("[data-testid=layers] button").count(), all);
      assert.match(await heading(see), new RegExp(`^Before the ${all} layers of the step$`));
      assert.equal(await page.locator("[data-testid=layers] [aria-pressed=true]").count(), 0, "none acts yet");
      const seen = new Set();
      await see("layer-slider").focus();
      for (let layer = 1; layer <= all; layer++) {
        await page.keyboard.press("ArrowRight");
        await until(async () => (await heading(see)).startsWith(`Layer ${layer} of ${all}: `), `layer ${layer}`);
        assert.equal(await see(`layer-${layer}`).getAttribute("aria-pressed"), "true");
        seen.add([await heading(see), await text(see("layer-about")), await text(see("layer-formula"))].join(" "));
        assert.match(await text(see("layer-wiring")), /^This layer (is a ReLU attention layer with|computes element-wise products with|is an MLP with) .* writes .*\.$/);
        assert.ok((await page.locator(".part--written").count()) > 1, "what it writes is marked");
      }
      assert.equal(seen.size, all);
      assert.match(page.url(), new RegExp(`layer=${all}`));
      await page.keyboard.press("Home");
      await until(async () => (await heading(see)).startsWith("Before"), "the start");
      // The buttons take arrow keys too, and the focus goes with them.
      await see("layer-1").focus();
      await page.keyboard.press("End");
      await until(async () => (await heading(see)).startsWith(`Layer ${all} of ${all}: clean-up`), "the end");
      assert.equal(await page.evaluate(() => document.activeElement?.id), `layer-${all}`);
      await page.keyboard.press("ArrowLeft");
      await until(async () => (await heading(see)).startsWith(`Layer ${all - 1} of ${all}: step`), "one back");
      await see("layer-previous").click();
      await until(async () => (await heading(see)).startsWith(`Layer ${all - 2} of ${all}: backward 1`), "two back");
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the page");
      isQuiet(heard);
      await page.close();
    }
  });

  it("plays the layers, and pauses", async () => {
    const { page, heard, see } = await open("?layer=0&start=paused");
    await until(async () => (await see("layer-play").count()) === 1, "the button");
    await see("layer-play").click();
    await until(async () => (await heading(see)).startsWith("Layer 3 of 10: "), "the third layer");
    await see("layer-play").click();
    assert.equal(await see("layer-play").getAttribute("aria-pressed"), "false");
    const at = await heading(see);
    await page.waitForTimeout(2000);
    assert.equal(await heading(see), at, "it stands");
    isQuiet(heard);
    await page.close();
  });

  it("shows a token's numbers as blocks, which the layers fill", async () => {
    const { page, heard, see } = await open("?place=0&layer=0&start=paused", PHONE);
    await until(async () => (await pixels(page, "part-v(2)")) > 5, "the weights are drawn");
    assert.equal(await pixels(page, "part-p(1)"), 1, "scratch is 0");
    assert.match(await text(see("strip-title")), /^The token of the query: 145 numbers$/);
    assert.match(await text(see("strip-announcement")), /^x is 0\.400 and 1\.00\. y is 0\. v\(1\) has 16 numbers; the largest in absolute value is v\(1,\d\)\[[12]\] = /);
    await see("layer-1").click();
    await until(async () => (await pixels(page, "part-p(1)")) > 1, "the first outputs");
    assert.equal(await pixels(page, "part-p(2)"), 1, "the second ones are still 0");
    assert.ok(await see("part-p(1)").evaluate((part) => part.classList.contains("part--written")));
    assert.ok(await see("part-v(1)").evaluate((part) => part.classList.contains("part--read")));
    await see("layer-8").click();
    // The query has no error, so that its errors are 0; an example has some.
    await until(async () => (await heading(see)).startsWith("Layer 8"), "the errors");
    await until(async () => (await pixels(page, "part-r′(0)")) > 1, "slopes");
    assert.equal(await pixels(page, "part-s(1)"), 1);
    await see("token-3").click();
    await until(() => page.url().includes("place=3"), "the token in the link");
    await until(async () => (await pixels(page, "part-s(1)")) > 1, "errors of the example");
    assert.match(await text(see("strip-title")), /^The token of example 3 at \(−1\.10, −0\.808\): 145 numbers$/);
    await see("token-3").focus();
    await page.keyboard.press("ArrowRight");
    await until(() => page.url().includes("place=4"), "the next token");
    await until(() => page.evaluate(() => document.activeElement?.id === "token-3"), "the focus follows");
    // Numbers are read by the keyboard and by a pointer.
    await see("strip").focus();
    await page.keyboard.press("Home");
    await until(async () => /^x\[1\] = −0\.900\. Input\.$/.test(await text(see("strip-note"))), "the first number");
    await page.keyboard.press("PageDown");
    await until(async () => /^y\[1\] = /.test(await text(see("strip-note"))), "the next block");
    await page.keyboard.press("End");
    await until(async () => /^t = 1\.00\. /.test(await see("strip").getAttribute("aria-valuetext")), "the last number");
    await see("part-p(2)").locator("canvas").hover();
    await until(async () => /^p\(2\)\[\d\] = /.test(await text(see("strip-note"))), "the number under the pointer");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "nothing is wider than a phone");
    isQuiet(heard);
    await page.close();
  });

  it("draws tokens of thousands of numbers, of which one is chosen by its number", async () => {
    const { page, heard, see } = await open("?n=60&hidden=40.40.40.40.40&steps=10&layer=1");
    await until(async () => (await pixels(page, "part-p(1)")) > 1, "the first outputs", 60);
    assert.match(await text(see("strip-title")), /: 7,129 numbers$/);
    await see("token-number").fill("40");
    await page.keyboard.press("Enter");
    await until(() => page.url().includes("place=40"), "the token in the link");
    await see("token-number").fill("61");
    await page.keyboard.press("Enter");
    await until(async () => /expected an example from 1 to 60/.test(await text(see("token-error"))), "the reason");
    await see("token-query").click();
    await until(() => page.url().includes("place=0"), "the query");
    isQuiet(heard);
    await page.close();
  });

  it("takes points of one's own, by click, by drag and by keyboard", async () => {
    const { page, heard, see } = await open("?n=4&speed=0", PHONE);
    const points = () => /points=([^&]*)/.exec(decodeURIComponent(page.url()))?.[1].split("_") ?? [];
    await until(async () => (await see("plane").count()) === 1, "the plot");
    await until(async () => /^M/.test(await see("plane-answer").getAttribute("d")), "the network's answer");
    assert.match(await text(see("points-about")), /^4 examples, generated from the settings\./);
    const { width, height } = await see("plane").boundingBox();
    await see("plane").click({ position: { x: 0.5 * width, y: 0.25 * height } });
    await until(() => points().length === 5, "five points in the link");
    assert.match(page.url(), /f=points/);
    assert.equal(points()[0], "-1.5:-0.141");
    assert.match(points()[4], /^-?0(\.0\d+)?:0\.(4[5-9]|5[0-5]?)\d*$/);
    await until(async () => (await rows(page)).length > 1, "the run with them");
    assert.match(await text(see("points-about")), /^5 points of your own/);
    // One undo brings the drawn examples back.
    await page.keyboard.press("Control+z");
    await until(() => !/points/.test(page.url()), "no own points");
    // All by keyboard: a new point, moved and taken away again.
    await see("add-point").focus();
    await page.keyboard.press("Enter");
    await until(() => points().length === 5, "a point with room");
    await until(() => page.evaluate(() => document.activeElement?.id === "point-4"), "the focus is on it");
    const before = points()[4];
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Shift+ArrowRight");
    const moved = () => {
      const [[x, y], [right, up]] = [before, points()[4] ?? ""].map((point) => point.split(":").map(Number));
      return Math.abs(right - x - 0.4) < 0.002 && Math.abs(up - y - 0.02) < 0.002;
    };
    await until(moved, `a move from ${before} by 0.4 and 0.02`);
    await page.keyboard.press("PageUp");
    await until(() => page.evaluate(() => document.activeElement?.id === "point-3"), "the point before");
    await page.keyboard.press("Delete");
    await until(() => points().length === 4, "it is gone");
    assert.ok(!points().includes("1.5:0.141"));
    // A drag is one change.
    await see("plane").evaluate((plane) => plane.scrollIntoView({ block: "center" }));
    const first = await see("point-1").boundingBox();
    const place = [first.x + first.width / 2, first.y + first.height / 2];
    await page.mouse.move(...place);
    await page.mouse.down();
    await page.mouse.move(place[0] + 20, place[1] - 20, { steps: 4 });
    assert.equal(points()[0], "-1.5:-0.141", "nothing happens before it is let go");
    await page.mouse.up();
    await until(() => points()[0] !== "-1.5:-0.141", "the point has moved");
    assert.equal(points().length, 4, "and no point was added");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "nothing is wider than a phone");
    isQuiet(heard);
    await page.close();
  });

  it("says what is wrong with points of a link, and runs all the same", async () => {
    const many = Array.from({ length: 65 }, (_, i) => `${i}:0`).join("_");
    for (const points of ["nan:1_0:1", "0:inf", "1e9:0", "1:2:3", "", many]) {
      const { page, heard, see } = await open(`?f=points&points=${points}&speed=0`);
      await until(async () => /point/.test(await text(see("notice"))), `a notice for ${points.slice(0, 20)}`);
      await until(async () => (await rows(page)).length > 1, "a run all the same");
      await until(async () => (await see("plane").count()) === 1, "the plane");
      isQuiet(heard);
      await page.close();
    }
    const { page, heard, see } = await open("?layer=33&place=9&n=4");
    await until(async () => /layer/.test(await text(see("notice"))), "a notice of the layer");
    await until(async () => /^The token of the query/.test(await text(see("strip-title"))), "the last token");
    isQuiet(heard);
    await page.close();
  });
}
