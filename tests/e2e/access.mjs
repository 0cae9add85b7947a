// Eyes, hands and paper: colours of the system, large type, zoom, keyboards of other languages, single letters, the focus,
// print, and screens of another resolution.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { overlappingPairs, overlaps } from "./layout.mjs";
import { open, pixels, stepOf, text, until, visit } from "./harness.mjs";

const LINK = "#v1/sparse-parity?n=12&k=2&width=24&every=10&held=512&steps=100000&halt=steps&speed=200";

/** A computed style of the first element that matches. */
const styleOf = (page, selector, property) =>
  page.locator(selector).first().evaluate((node, property) => getComputedStyle(node)[property], property);

/** How many pixels of the page lie right of the window. */
const sideways = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Whether the focus is on an element of the page. */
const hasFocus = (page) => page.evaluate(() => document.activeElement !== null && document.activeElement !== document.body);

/** Presses a key as a keyboard of another layout does; gives whether the page took it. */
const pressAs = (page, event) =>
  page.evaluate((event) => !document.body.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...event })), event);

/** Width of a chart's canvas in its own pixels, and its shape and that of its place: width divided by height. */
const shapes = (page, id) =>
  page.getByTestId(id).first().evaluate((canvas) => {
    const box = canvas.getBoundingClientRect();
    return { width: canvas.width, drawn: canvas.width / canvas.height, shown: box.width / box.height };
  });

/** The colour of the corner of a canvas, as red, green, blue. */
const corner = (page, id) =>
  page.getByTestId(id).first().evaluate((canvas) => {
    const copy = new OffscreenCanvas(4, 4).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    return [...copy.getImageData(1, 1, 1, 1).data].slice(0, 3);
  });

/** Tests in the browser and at the address that `here` gives. */
export function access(here) {
  const go = (link, size) => visit(here().context, here().address, link, size);

  describe("colours of the system", () => {
    for (const colorScheme of ["light", "dark"]) {
      it(`keep what only colours say, ${colorScheme}`, async () => {
        const { page, see } = await go("#v1/markov?show=kl.strategies&start=paused");
        await page.emulateMedia({ colorScheme });
        await until(async () => (await page.locator(".chip").count()) > 5, "the tokens");
        await until(async () => (await pixels(page, "chart-kl")) > 2, "a chart");
        const swatch = await styleOf(page, ".legend-entry__swatch", "backgroundColor");
        await page.emulateMedia({ colorScheme, forcedColors: "active" });
        const grounds = (selector) =>
          page.locator(selector).evaluateAll((all) => new Set(all.map((node) => getComputedStyle(node).backgroundColor)).size);
        assert.equal(await styleOf(page, ".legend-entry__swatch", "backgroundColor"), swatch, "a swatch");
        assert.ok((await grounds(".chip")) > 1, "colours of tokens");
        const [on, off] = [".switch[aria-pressed=true]", ".switch[aria-pressed=false]"];
        assert.notEqual(await styleOf(page, on, "backgroundColor"), await styleOf(page, off, "backgroundColor"), "what is pressed");
        // The filled part of a slider and the rest.
        const colours = await page.locator(".setting__slider").first().evaluate((node) =>
          ["--accent", "--line"].map((name) => getComputedStyle(node).getPropertyValue(name).trim()));
        assert.deepEqual(colours, ["Highlight", "GrayText"]);
        assert.equal(await styleOf(page, ".setting__slider", "forcedColorAdjust"), "none");
        // A drawing has its own ground, and the colours of its texts suit it.
        assert.equal(await styleOf(page, ".plot__canvas", "backgroundColor"), colorScheme === "dark" ? "rgb(21, 24, 28)" : "rgb(255, 255, 255)");
        // A theme that was chosen on the page does not stand against the system's.
        await see("theme").click();
        await see("theme").click();
        assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
        await page.evaluate(() => localStorage.removeItem("vivarium.theme"));
        await page.close();
      });
    }

    it("keep the cells of a sweep's map apart", async () => {
      const { page, see } = await go("#v1/sparse-parity?k=2&width=16&steps=200&replicas=2&sweep=n:8_12&series=lr:0.05_0.1&speed=0&cells=steps");
      await page.emulateMedia({ forcedColors: "active" });
      await until(async () => (await see("play").textContent()).includes("Completed"), "the end of the sweep");
      const cells = page.locator(".map__cell");
      await until(async () => (await cells.count()) === 4, "the map");
      const colours = await cells.evaluateAll((all) => all.map((node) => getComputedStyle(node).backgroundColor));
      assert.ok(colours.length === 4 && new Set(colours).size > 1, `${colours}`);
      await page.close();
    });

    it("leave frames and focus of the moving picture visible", async () => {
      const browser = await open({ details: false });
      try {
        const { page } = await visit(browser.context, here().address, "");
        await page.emulateMedia({ forcedColors: "active" });
        await until(async () => (await page.locator(".target").count()) > 3, "targets", 60);
        assert.equal(await styleOf(page, ".first-screen__picture", "borderTopStyle"), "solid");
        await page.locator(".target").first().focus();
        await page.keyboard.press("ArrowDown");
        const [kind, width] = await page.locator(".target:focus-visible").evaluate((node) => {
          const style = getComputedStyle(node);
          return [style.outlineStyle, parseFloat(style.outlineWidth)];
        });
        assert.ok(kind === "solid" && width >= 2, `${kind} ${width}`);
        assert.ok((await pixels(page, "stage-picture")) > 10, "the picture has its colours");
      } finally {
        await browser.close();
      }
    });
  });

  describe("large type and narrow windows", () => {
    const VIEWS = [
      ["details", LINK + "&start=paused"],
      ["sequences", "#v1/markov?show=kl.strategies.scores.map.next&start=paused"],
      ["machines", "#v1/turing-machine?start=paused"],
      ["a map", "#v1/sparse-parity?k=2&width=16&steps=200&replicas=2&sweep=n:8_10_12&speed=0&cells=steps"],
      ["gallery", "#gallery"],
      ["story", "#story/hidden-progress/2"],
    ];
    const BUTTONS = [".transport__buttons .button", ".masthead__tools > *", ".toolbar .switch", ".first-screen__buttons .button"];

    /** Opens every view in windows of these sizes: nothing scrolls sideways, and no button lies on another. */
    async function checkViews(context, sizes, views) {
      for (const [name, link] of views) {
        const { page } = await visit(context, here().address, link, sizes[0]);
        await page.locator(".first-screen__more, .transport, .gallery").first().waitFor();
        await page.waitForTimeout(1500);
        for (const size of sizes) {
          await page.setViewportSize(size);
          await page.waitForTimeout(200);
          const where = `${name}, ${size.width} px`;
          assert.ok((await sideways(page)) <= 0, `${where}: ${await sideways(page)} px sideways`);
          for (const buttons of BUTTONS) {
            assert.equal(await overlappingPairs(page, buttons, 1), 0, `${where}: ${buttons}`);
          }
        }
        await page.close();
      }
    }

    for (const fontSize of [24, 32]) {
      it(`have room for texts of ${fontSize} px`, async () => {
        const sizes = [{ width: 1440, height: 900 }, { width: 390, height: 844 }, { width: 320, height: 640 }];
        for (const details of [true, false]) {
          const browser = await open({ fontSize, details });
          try {
            await checkViews(browser.context, sizes, details ? VIEWS : [["the first screen", ""]]);
          } finally {
            await browser.close();
          }
        }
      });
    }

    it("draw the labels of charts as large as the texts around them", async () => {
      const [usual, large] = [await open(), await open({ fontSize: 24 })];
      try {
        const scales = [];
        for (const { context } of [usual, large]) {
          const { page, see } = await visit(context, here().address, "#v1/sparse-parity?n=12&k=2&width=16&start=paused&show=weights");
          await until(async () => (await pixels(page, "chart-weights")) > 3, "the chart");
          // Where the drawing begins below its title.
          scales.push(
            await see("chart-weights").evaluate((canvas) => {
              const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
              copy.drawImage(canvas, 0, 0);
              const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
              const ground = data.slice(0, 3).join();
              for (let i = 0; i < data.length; i += 4) if (data.slice(i, i + 3).join() !== ground) return Math.floor(i / 4 / canvas.width);
              return 0;
            }),
          );
        }
        assert.ok(scales[1] > 1.3 * scales[0], `${scales}`);
      } finally {
        await usual.close();
        await large.close();
      }
    });

    it("show all of the page in a window that is enlarged four times", async () => {
      await checkViews(here().context, [{ width: 320, height: 225 }, { width: 320, height: 640 }], VIEWS);
      const { page } = await go(LINK + "&start=paused", { width: 320, height: 225 });
      await page.locator(".transport").waitFor();
      assert.equal(await styleOf(page, ".transport", "position"), "static", "no bar covers a low window");
      await page.setViewportSize({ width: 390, height: 844 });
      assert.equal(await styleOf(page, ".transport", "position"), "fixed");
      await page.close();
    });

    it("have room for every dialog", async () => {
      for (const [fontSize, width] of [[16, 320], [32, 320]]) {
        const browser = await open({ fontSize });
        try {
          const { page, see } = await visit(browser.context, here().address, LINK + "&start=paused", { width, height: 640 });
          await until(async () => (await see("library").count()) > 0, "the second program");
          for (const dialog of ["help", "files", "stories", "teach", "sweep"]) {
            await see(dialog).click();
            await until(() => page.locator("dialog[open]").isVisible(), dialog);
            const wide = await page.locator("dialog[open]").evaluate((node) => node.scrollWidth - node.clientWidth);
            assert.ok(wide <= 0, `${dialog}, ${fontSize} px: ${wide} px sideways`);
            await page.keyboard.press("Escape");
            await until(async () => !(await page.locator("dialog[open]").count()), `${dialog} to close`);
          }
        } finally {
          await browser.close();
        }
      }
    });

    it("keep the buttons of a sweep beside each other on a telephone", async () => {
      const { page, see } = await go("#v1/sparse-parity?k=2&width=16&steps=100&sweep=n:8_10&speed=0", { width: 320, height: 640 });
      await until(async () => (await see("play").textContent()).includes("Completed"), "the end of the sweep");
      assert.ok((await sideways(page)) <= 0);
      assert.equal(await overlaps(page, ".transport__buttons .button--main"), 0);
      await page.close();
    });
  });

  describe("keys", () => {
    it("undo a new start and a new seed to the step that they left", async () => {
      const { page, see } = await go(LINK);
      await until(async () => (await stepOf(see)) > 150, "steps");
      await see("play").click();
      await until(async () => (await text(see("play"))).includes("Play"), "a pause");
      await page.waitForTimeout(300);
      const [step, link] = [await stepOf(see), page.url()];
      await page.evaluate(() => document.activeElement.blur());
      // A word that was meant for a field.
      await page.keyboard.type("rn");
      await until(() => /seed=\d+/.test(page.url()), "a new seed");
      await page.keyboard.press("Control+z");
      await page.keyboard.press("Control+z");
      await until(async () => (await stepOf(see)) === step && page.url() === link, "the step that was left");
      await until(async () => (await text(see("play"))).includes("Play"), "still a pause");
      await until(async () => /^Paused/.test(await text(see("status"))), "the run at this step");
      await see("single-step").click();
      await until(async () => (await stepOf(see)) === step + 1, "training goes on from there");
      await page.close();
    });

    it("of single letters can be turned off, which this browser remembers", async () => {
      const { page, see } = await go(LINK + "&start=paused");
      await see("single-step").waitFor();
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press("?");
      await see("single-keys").uncheck();
      await page.keyboard.press("Escape");
      await until(async () => (await page.locator("dialog[open]").count()) === 0, "the dialog to close");
      await page.reload();
      await until(async () => /^Waiting at the start/.test(await text(see("status"))), "the run to wait");
      await until(async () => (await see("library").count()) > 0, "the second program");
      const link = page.url();
      await page.evaluate(() => document.activeElement.blur());
      // Without a space, which plays and pauses in any case.
      await page.keyboard.type("running.[gallery]?");
      await page.waitForTimeout(300);
      assert.equal(page.url(), link);
      assert.equal(await page.locator("dialog[open]").count(), 0);
      await page.keyboard.press("ArrowRight");
      await until(async () => (await stepOf(see)) === 1, "a step by an arrow key");
      await see("help").click();
      await see("single-keys").check();
      await page.keyboard.press("Escape");
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press("g");
      await page.locator(".gallery__title").waitFor();
      await page.close();
    });

    it("are found on every layout", async () => {
      const { page, see } = await go(LINK + "&start=paused");
      await until(async () => /^Waiting at the start/.test(await text(see("status"))), "the run to wait");
      // A Russian and a Hebrew keyboard, and Caps Lock.
      for (const [key, width] of [["я", 33], ["ז", 34], ["Z", 35]]) {
        await see("setting-width").fill(`${width}`);
        await see("setting-width").press("Enter");
        await until(() => page.url().includes(`width=${width}`), "another width");
        assert.ok(await pressAs(page, { key, code: "KeyZ", ctrlKey: true }), key);
        await until(() => page.url().includes("width=24"), `undone by Ctrl and ${key}`);
      }
      assert.ok(!(await pressAs(page, { key: "y", code: "KeyZ", ctrlKey: true })), "Ctrl and Y of a German keyboard");
      // Option and 5.
      await see("single-step").click();
      await until(async () => (await stepOf(see)) === 1, "a step");
      assert.ok(await pressAs(page, { key: "[", code: "Digit5", altKey: true }));
      await until(async () => (await stepOf(see)) === 0, "the measurement before");
      assert.ok(!(await pressAs(page, { key: "ArrowLeft", code: "ArrowLeft", altKey: true })), "back in the history");
      await page.close();
    });
  });

  it("takes a key that is held for one press", async () => {
    const { page, see } = await go(LINK + "&start=paused");
    await until(async () => /^Waiting at the start/.test(await text(see("status"))), "the run to wait");
    const [word, address] = [await text(see("play")), page.url()];
    for (const [key, code] of [[" ", "Space"], ["n", "KeyN"], ["g", "KeyG"]]) {
      // Space would scroll the page.
      assert.ok(await pressAs(page, { key, code, repeat: true }), `${key} has another effect`);
    }
    await page.waitForTimeout(500);
    assert.deepEqual([await text(see("play")), await stepOf(see), page.url()], [word, 0, address]);
    // A held key makes steps, as before.
    await pressAs(page, { key: ".", code: "Period", repeat: true });
    await until(async () => (await stepOf(see)) === 1, "a step");
    await page.close();
  });

  it("has stronger lines and texts for readers who ask for more contrast", async () => {
    const { page } = await go(LINK + "&start=paused");
    const colours = (names) =>
      page.evaluate((names) => names.map((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()), names);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme, contrast: "no-preference" });
      await until(async () => (await page.evaluate(() => document.documentElement.dataset.theme)) === colorScheme, "the theme");
      const usual = await colours(["--line", "--muted"]);
      await page.emulateMedia({ colorScheme, contrast: "more" });
      const strong = await colours(["--line", "--muted"]);
      assert.deepEqual(strong, await colours(["--edge", "--ink"]));
      assert.notDeepEqual(strong, usual);
    }
    await page.close();
  });

  it("keeps the focus where a button loses its effect or goes", async () => {
    const { page, see } = await go(LINK + "&start=paused&x=<script>");
    await until(async () => (await see("library").count()) > 0, "the second program");
    await see("notice").getByRole("button").focus();
    await page.keyboard.press("Enter");
    await until(async () => (await see("notice").count()) === 0, "the notice to go");
    await until(() => hasFocus(page), "the focus");
    await page.keyboard.press("Tab");
    assert.ok(await hasFocus(page));
    await page.locator(".switch", { hasText: "Log x" }).first().click();
    await until(async () => (await see("undo").getAttribute("aria-disabled")) === "false", "something to undo");
    await see("undo").focus();
    await page.keyboard.press("Enter");
    await until(() => see("undo").isDisabled(), "nothing to undo");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "undo");
    await page.close();
  });

  it("prints charts in light colours and in their shapes, and no buttons", async () => {
    const { page, see } = await go("#v1/markov?show=kl.map&start=paused");
    await page.emulateMedia({ colorScheme: "dark" });
    await until(async () => (await pixels(page, "chart-kl")) > 2 && (await pixels(page, "chart-map")) > 1, "charts");
    await until(() => page.evaluate(() => document.documentElement.dataset.theme === "dark"), "a dark page");
    await until(async () => (await corner(page, "chart-kl"))[0] < 60, "dark charts");
    const onScreen = await shapes(page, "chart-kl");
    // At once, without a frame in between.
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.setViewportSize({ width: 700, height: 1000 });
    for (const chart of ["chart-kl", "chart-map"]) {
      assert.deepEqual(await corner(page, chart), [255, 255, 255], chart);
      const { width, drawn, shown } = await shapes(page, chart);
      assert.ok(Math.abs(drawn / shown - 1) < 0.03, `${chart}: ${drawn}, ${shown}`);
      assert.ok(width >= 1000, `${chart}: ${width} pixels`);
    }
    for (const gone of [".task__example .button", ".toolbar", ".plot__table-button", ".transport", ".show-picture"]) {
      for (const one of await page.locator(gone).all()) assert.ok(!(await one.isVisible()), gone);
    }
    assert.equal(await styleOf(page, ".legend-entry__swatch", "printColorAdjust"), "exact");
    assert.equal(await styleOf(page, ".chip", "printColorAdjust"), "exact");
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen", colorScheme: "dark" });
    await page.setViewportSize({ width: 1440, height: 900 });
    await until(async () => (await corner(page, "chart-kl"))[0] < 60, "dark charts again");
    await until(async () => Math.abs((await shapes(page, "chart-kl")).drawn - onScreen.drawn) < 0.05, "their shape again");
    await see("step").waitFor();
    await page.close();
  });

  it("prints the moving picture in light colours", async () => {
    const browser = await open({ details: false });
    try {
      const { page, see } = await visit(browser.context, here().address, "");
      await page.emulateMedia({ colorScheme: "dark" });
      await until(async () => (await pixels(page, "stage-picture")) > 10, "the picture");
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      assert.equal(await styleOf(page, ".first-screen__picture", "backgroundColor"), "rgb(255, 255, 255)");
      assert.ok((await see("stage-picture").isVisible()) && !(await see("stage-play").isVisible()));
      assert.equal(await styleOf(page, ".first-screen__canvas", "objectFit"), "contain");
    } finally {
      await browser.close();
    }
  });

  it("sharpens charts when the screen has other pixels, while the run is paused", async () => {
    for (const [link, id, details] of [[LINK + "&start=paused", "chart-loss", true], ["#v1/sparse-parity?n=12&k=2&width=24&start=paused", "stage-picture", false]]) {
      const browser = await open({ details });
      try {
        const { page } = await visit(browser.context, here().address, link);
        await until(async () => (await pixels(page, id)) > 1, "a drawing");
        await page.waitForTimeout(500);
        const { width } = await shapes(page, id);
        const session = await page.context().newCDPSession(page);
        await session.send("Emulation.setDeviceMetricsOverride", { width: 1440, height: 900, deviceScaleFactor: 2, mobile: false });
        await until(async () => Math.abs((await shapes(page, id)).width - 2 * width) <= 2, `twice as many pixels in ${id}`);
      } finally {
        await browser.close();
      }
    }
  });
}
