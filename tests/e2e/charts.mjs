// Curves under a pointer: their values, one step in all charts, names that hide and show, a part of the run.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { rows, stepOf, text, until, visit } from "./harness.mjs";

const LINK = "#v1/sparse-parity?n=20&width=64&replicas=4&steps=1000&halt=steps&every=10&held=256&speed=0&show=loss.accuracy.movement";
const ended = (see) => until(async () => (await stepOf(see)) === 1000 && !/^Learning|^Getting/.test(await text(see("status"))), "the end");
const words = async (see, chart) => (await see(`read-${chart}`).getAttribute("aria-valuetext")) ?? "";
const number = (text) => Number(text.replace("−", "-"));
/** Whether a number is written with five digits. */
const is = (shown, value) => Math.abs(number(shown) - value) <= 1e-4 * Math.abs(value) + 1e-9;
const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
const step = (said) => Number(/^step ([\d,]+):/.exec(said)?.[1].replace(/,/g, ""));

/** Tests in the browser and at the address that `here` gives. */
export function charts(here) {
  const open = async (link = LINK, size) => {
    const opened = await visit(here().context, here().address, link, size);
    await ended(opened.see);
    // What hears the pointer comes with the second program, and the last drawing a little later.
    for (const chart of ["loss", "accuracy", "movement"].filter((chart) => link.includes(chart))) {
      await until(async () => (await opened.see(`read-${chart}`).getAttribute("aria-valuemax")) === "1000", `the last drawing of ${chart}`);
    }
    await opened.page.waitForTimeout(400);
    return opened;
  };
  const quiet = (heard) => assert.deepEqual(heard.console.filter((said) => !said.includes("No available adapters")), []);

  describe("curves under a pointer", () => {
    it("tell the values that were measured, at the same step in every chart over steps", async () => {
      const { page, see, heard } = await open();
      const measured = await rows(page);
      const box = await see("chart-loss").boundingBox();
      for (const share of [0.3, 0.62, 0.9]) {
        await page.mouse.move(box.x + box.width * share, box.y + 12);
        const said = await until(async () => /held-out/.test(await words(see, "loss")) && words(see, "loss"), "values");
        const row = measured.find((row) => row.step === step(said));
        assert.ok(row, said);
        assert.ok(is(/held-out ([\d.e−]+) \(/.exec(said)[1], median(row.test_loss)), said);
        assert.ok(is(/training batch ([\d.e−]+) \(/.exec(said)[1], median(row.train_loss)), said);
        const other = await words(see, "accuracy");
        assert.equal(step(other), row.step, "the same step");
        assert.ok(is(/held-out ([\d.e−]+)/.exec(other)[1], median(row.test_accuracy)), other);
        assert.equal(step(await words(see, "movement")), row.step);
      }
      assert.equal(await page.locator(".crosshair__line").count(), 3);
      await page.mouse.move(5, 5);
      await until(async () => !(await page.locator(".crosshair__line").count()), "the crosshair to go");
      quiet(heard);
      await page.close();
    });

    it("show the run at the step that is clicked on a curve", async () => {
      const { page, see, heard } = await open();
      const box = await see("chart-loss").boundingBox();
      await page.mouse.move(box.x + box.width * 0.4, box.y + 12);
      const said = await until(async () => /held-out/.test(await words(see, "loss")) && words(see, "loss"), "values");
      const dot = page.locator(".plot:has([data-testid=chart-loss]) .crosshair circle").first();
      const [x, y] = await Promise.all(["cx", "cy"].map(async (name) => Number(await dot.getAttribute(name))));
      await page.mouse.click(box.x + x, box.y + y);
      await until(async () => (await stepOf(see)) === step(said), "the step of the click");
      assert.equal(Number(await see("scrub").inputValue()), step(said), "the slider has moved to the step");
      await see("help").click();
      const keys = page.locator("dialog[open] .shortcuts");
      await until(async () => /Click on a curve/.test(await text(keys)), "the click in the list of keys");
      await page.keyboard.press("Escape");
      quiet(heard);
      await page.close();
    });

    it("name the replica whose curve is nearest", async () => {
      const { page, see, heard } = await open();
      const measured = await rows(page);
      const box = await see("chart-loss").boundingBox();
      const found = new Set();
      // Down along one step, from the highest curve to the lowest.
      for (let y = 30; y < box.height - 45; y += 4) {
        await page.mouse.move(box.x + box.width * 0.6, box.y + y);
        const said = await words(see, "loss");
        const meant = /(training batch|held-out), replica (\d) ([\d.e−]+)/.exec(said);
        if (!meant) continue;
        const row = measured.find((row) => row.step === step(said));
        const of = meant[1] === "held-out" ? row.test_loss : row.train_loss;
        assert.ok(is(meant[3], of[meant[2] - 1]), said);
        assert.equal(await page.locator(".plot:has([data-testid=chart-loss]) .crosshair__curve").count(), 1);
        found.add(meant[2]);
      }
      assert.ok(found.size >= 2, [...found].join());
      quiet(heard);
      await page.close();
    });

    it("are read with a tap and by keyboard, which leaves the run where it is", async () => {
      const { page, see, heard } = await open();
      const measured = await rows(page);
      await see("read-loss").focus();
      await page.keyboard.press("ArrowLeft");
      assert.equal(step(await words(see, "loss")), 1000);
      await page.keyboard.press("ArrowLeft");
      assert.equal(step(await words(see, "loss")), 990);
      assert.equal(step(await words(see, "accuracy")), 990);
      await page.keyboard.press("Shift+ArrowLeft");
      assert.equal(step(await words(see, "loss")), 890);
      await page.keyboard.press("ArrowRight");
      assert.equal(await see("read-loss").getAttribute("aria-valuenow"), "900");
      await page.keyboard.press("Home");
      assert.equal(step(await words(see, "loss")), 0);
      assert.equal(await stepOf(see), 1000, "the run stands");
      await page.keyboard.press("ArrowDown");
      await until(async () => /replica \d/.test(await words(see, "loss")), "a replica");
      await page.keyboard.press("Escape");
      await until(async () => !(await page.locator(".crosshair__line").count()), "the crosshair to go");
      assert.equal(await stepOf(see), 1000);
      // Enter goes to the step.
      await page.keyboard.press("End");
      await page.keyboard.press("Shift+ArrowLeft");
      await page.keyboard.press("Enter");
      await until(async () => (await stepOf(see)) === 900, "step 900");
      await until(async () => (await text(see("status"))).startsWith("Step 900 of 1,000"), "the step to be shown");
      // Curves go on beyond it.
      await page.keyboard.press("End");
      await until(async () => step(await words(see, "loss")) === 1000, "the whole curve");
      assert.ok(is(/held-out ([\d.e−]+)/.exec(await words(see, "loss"))[1], median(measured.at(-1).test_loss)));
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      await until(async () => (await stepOf(see)) === 1000, "the way back");
      // A finger taps, and taps there again.
      const tap = () =>
        see("chart-loss").evaluate((canvas) => {
          const { left, top } = canvas.getBoundingClientRect();
          const about = { clientX: left + 200, clientY: top + 60, pointerType: "touch", pointerId: 7, bubbles: true };
          for (const type of ["pointerdown", "pointerup", "pointerleave"]) canvas.dispatchEvent(new PointerEvent(type, about));
        });
      await tap();
      await until(async () => /held-out/.test(await words(see, "loss")), "values");
      await tap();
      await until(async () => !(await page.locator(".crosshair__line").count()), "the crosshair to go");
      quiet(heard);
      await page.close();
    });

    it("are read within a frame, with thousands of measurements of many networks", async () => {
      const long = LINK.replace("every=10", "every=1").replace("steps=1000", "steps=4000").replace("replicas=4", "replicas=16");
      const { page, see } = await visit(here().context, here().address, `${long}.paths`);
      await until(async () => (await stepOf(see)) === 4000, "the end", 120);
      await page.waitForTimeout(500);
      const times = await see("chart-loss").evaluate(async (canvas) => {
        const { left, top, width, height } = canvas.getBoundingClientRect();
        const times = [];
        for (let i = 0; i < 80; i++) {
          const [clientX, clientY] = [left + width * (0.2 + 0.008 * i), top + height * (0.2 + (i % 7) / 12)];
          let begin = performance.now();
          canvas.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, pointerType: "mouse", bubbles: true }));
          // What follows from it runs right after.
          await Promise.resolve();
          const handled = performance.now() - begin;
          // The wait for a frame is the machine's.
          await new Promise((resolve) => requestAnimationFrame(resolve));
          begin = performance.now();
          document.body.offsetHeight;
          times.push(handled + performance.now() - begin);
        }
        return times.sort((a, b) => a - b);
      });
      console.log(`  a pointer's move: ${times[40].toFixed(1)} ms in the median, ${times[76].toFixed(1)} ms at most of 95 %`);
      assert.ok(times[40] < 60, `${times[40]} ms`);
      await page.close();
    });
  });

  describe("names of curves", () => {
    it("hide their curve and show it, alone when pressed twice, and keep the focus", async () => {
      const { page, see, heard } = await open();
      const pressed = () => see("legend-loss").locator("button").evaluateAll((all) => all.map((b) => `${b.textContent} ${b.ariaPressed}`));
      assert.deepEqual(await pressed(), ["training batch true", "held-out true"]);
      const first = see("legend-loss").locator("button").first();
      await first.focus();
      await page.keyboard.press("Enter");
      await until(async () => (await pressed())[0] === "training batch false", "the curve to go");
      await until(() => first.evaluate((b) => b === document.activeElement), "the focus to stay");
      await see("read-loss").focus();
      await page.keyboard.press("End");
      assert.match(await words(see, "loss"), /held-out/);
      assert.doesNotMatch(await words(see, "loss"), /training/);
      assert.match(await words(see, "accuracy"), /training/, "in this chart only");
      // The names are drawn anew at the first press: on a busy machine that may fall between the two.
      const isAlone = async () => (await pressed()).join() === "training batch true,held-out false";
      const press = async () => {
        await see("legend-loss").locator("button").first().dblclick();
        // Another press before the drawing would show all again.
        await page.waitForTimeout(1000);
      };
      await until(async () => (await isAlone()) || (await press(), await isAlone()), async () => `it alone, not ${await pressed()}`);
      await see("legend-loss").locator("button").first().click({ modifiers: ["Shift"] });
      await until(async () => (await pressed()).join() === "training batch true,held-out true", "all of them");
      quiet(heard);
      await page.close();
    });
  });

  describe("a part of the run", () => {
    const ends = async (see) => {
      const all = [];
      for (const chart of ["loss", "accuracy"]) {
        await see(`read-${chart}`).focus();
        for (const key of ["Home", "End"]) {
          await see(`read-${chart}`).press(key);
          all.push(step(await words(see, chart)));
        }
      }
      return all;
    };
    /** Waits until the ends of both charts are such: charts are drawn a little later. */
    const showing = (see, is, what) => until(async () => is(await ends(see)), async () => `${what}, not ${await ends(see)}`);

    it("is shown by keys, by dragging and by the wheel, in all charts over steps, and the whole again", async () => {
      const { page, see, heard } = await open();
      assert.ok(await see("whole-run").isHidden());
      await see("read-loss").focus();
      await page.keyboard.press("+");
      await until(() => see("whole-run").isVisible(), "the way back");
      const isMiddle = ([low, high, ...others]) => low >= 240 && low <= 260 && high >= 740 && high <= 760 && others.join() === `${low},${high}`;
      await showing(see, isMiddle, "the middle half");
      await see("read-loss").focus();
      await page.keyboard.press("0");
      await until(() => see("whole-run").isHidden(), "the whole run");
      await showing(see, (all) => all.join() === "0,1000,0,1000", "all steps");
      await page.keyboard.press("Escape");

      const box = await see("chart-loss").boundingBox();
      const y = box.y + box.height / 2;
      const drag = async () => {
        await page.mouse.move(box.x + box.width * 0.5, y);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.7, y, { steps: 5 });
        assert.equal(await page.locator(".crosshair__range").count(), 1);
        await page.mouse.up();
      };
      await page.keyboard.down("Shift");
      await drag();
      await page.keyboard.up("Shift");
      await until(() => see("whole-run").isVisible(), "a part");
      assert.equal(await stepOf(see), 1000, "the run stands");
      await showing(see, ([low, high]) => low > 350 && low < 500 && high > 550 && high < 750, "the dragged steps");
      await see("chart-loss").dblclick({ position: { x: 200, y: 60 } });
      await page.waitForTimeout(500);
      assert.equal(await stepOf(see), 1000, "a double click goes to no step");
      await until(() => see("whole-run").isHidden(), "the whole run");

      await see("zoom").click();
      await page.waitForTimeout(300);
      await drag();
      await until(() => see("whole-run").isVisible(), "a part");
      await see("whole-run").click();
      await until(() => see("whole-run").isHidden(), "the whole run");
      assert.equal(await see("zoom").getAttribute("aria-pressed"), "false");

      await page.mouse.move(box.x + box.width * 0.5, y);
      await page.keyboard.down("Control");
      await page.mouse.wheel(0, -120);
      await page.keyboard.up("Control");
      await until(() => see("whole-run").isVisible(), "a part");
      assert.equal(await page.evaluate(() => window.visualViewport.scale), 1);
      await see("new-seed").click();
      await until(() => see("whole-run").isHidden(), "a new run is seen whole");
      quiet(heard);
      await page.close();
    });
  });

  it("smooths curves as the link says, and tells what was measured", async () => {
    const { page, see, heard } = await open();
    assert.ok(page.url().endsWith(LINK.slice(1)) || page.url().includes("n=20"));
    assert.doesNotMatch(page.url(), /smooth/);
    await see("smooth").fill("0.9");
    await until(() => /&smooth=0\.9$/.test(page.url()), "the link");
    await see("smooth").fill("0.8");
    await until(() => /&smooth=0\.8$/.test(page.url()), "the link");
    const measured = await rows(page);
    await see("read-loss").focus();
    await page.keyboard.press("End");
    for (let i = 0; i < 4; i++) await page.keyboard.press("Shift+ArrowLeft");
    let said = await words(see, "loss");
    let [sum, all] = [0, 0];
    for (const row of measured.filter((row) => row.step <= step(said))) {
      [sum, all] = [0.8 * sum + median(row.test_loss), 0.8 * all + 1];
    }
    const row = measured.find((row) => row.step === step(said));
    // The curves are drawn a little later.
    await until(async () => {
      said = await words(see, "loss");
      const [, raw, smooth] = /held-out ([\d.e−]+), smoothed ([\d.e−]+)/.exec(said) ?? [];
      return smooth && is(raw, median(row.test_loss)) && Math.abs(number(smooth) - sum / all) < 1e-4;
    }, () => `${said}: ${sum / all}`);
    await see("undo").click();
    await until(() => !/smooth/.test(page.url()), "one change, undone");
    quiet(heard);
    await page.close();
  });

  it("marks what happened on the steps of every chart", async () => {
    const { page, see, heard } = await open("#v1/groups?frac=0.9&steps=1000&halt=steps&every=10&speed=0&show=loss.accuracy.purity");
    const events = async (chart) => page.locator(`.plot:has([data-testid=chart-${chart}]) .crosshair__mark`).count();
    const first = await until(async () => (await events("loss")) > 0 && events("loss"), "marks");
    assert.equal(await events("accuracy"), first);
    assert.equal(await events("purity"), 0, "there are no steps");
    await see("read-loss").focus();
    await page.keyboard.press("Home");
    const told = new Set();
    for (let i = 0; i <= 100; i++) {
      for (const what of await page.locator(".plot:has([data-testid=chart-loss]) .crosshair-values__event").allTextContents()) told.add(what);
      await page.keyboard.press("ArrowRight");
    }
    assert.equal(told.size, first, [...told].join());
    assert.ok(told.has("training sample memorised") || told.has("target reached"), [...told].join());
    quiet(heard);
    await page.close();
  });
}
