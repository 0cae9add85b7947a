// Presenter mode: large charts and a passage for a room, a clicker's keys, a black screen and a large QR code.

import assert from "node:assert/strict";
import { it } from "node:test";

import { pixels, text, until, visit } from "./harness.mjs";

/** Tests in the browser and at the address that `here` gives. */
export function presenting(here) {
  const open = (link, size) => visit(here().context, here().address, link, size);
  // The browser's own words when it is asked for a GPU and has none.
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);
  const mode = (page) => page.evaluate(() => document.documentElement.dataset.presenter ?? "off");
  const focused = (page) => page.evaluate(() => document.activeElement.dataset.testid ?? document.activeElement.className);
  /** The charts that are seen. */
  const charts = (page) => page.locator(".plot:visible canvas").evaluateAll((all) => all.map((one) => one.dataset.testid));
  const sees = (page, ...names) => {
    const wanted = names.map((name) => `chart-${name}`).join();
    return until(async () => (await charts(page)).join() === wanted, async () => `${wanted}, not ${await charts(page)}`);
  };
  const entered = (page) => until(async () => (await mode(page)) === "on" && (await focused(page)) === "presenter-bar", "the mode, with the focus in it");
  const left = (page) => until(async () => (await mode(page)) === "off" && (await focused(page)) === "presenter", "the page, with the focus on the button");
  const hasRoom = async (page) => assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  const press = (page, key) => page.keyboard.press(key);

  it("presents a story: a clicker turns the passages, B makes the screen black, Escape leaves", async () => {
    const { page, heard, see } = await open("#story/hidden-progress");
    const place = () => text(see("tour-place"));
    const at = (number) => until(async () => (await place()).includes(` · ${number} of `), `passage ${number}`);
    await at(1);
    const size = () => see("status").evaluate((node) => parseFloat(getComputedStyle(node).fontSize));
    const before = await size();
    await see("presenter").click();
    await entered(page);
    assert.ok((await size()) > 1.4 * before, "type for the last row");
    for (const hidden of [".masthead", ".panel", ".toolbar", ".numbers", ".links"]) {
      assert.ok(!(await page.locator(hidden).first().isVisible()), hidden);
    }
    assert.ok((await see("play").isVisible()) && (await see("tour").isVisible()));
    await until(() => see("stage-panel").isVisible(), "the picture");
    await sees(page);
    await until(async () => (await pixels(page, "stage-picture")) > 4, "something in the picture");
    await press(page, "c");
    await sees(page, "loss", "accuracy");
    await press(page, "PageDown");
    await at(2);
    await until(() => see("stage-panel").isVisible(), "the picture of the next passage");
    await press(page, "ArrowRight");
    await at(3);
    await press(page, "PageUp");
    await at(2);
    // The passage stands beside picture and charts, and nothing of it is cut off.
    const tour = await see("tour").boundingBox();
    for (const [key, part] of [["", ".first-screen__picture"], ["c", ".plot:visible"]]) {
      if (key) await press(page, key);
      await until(async () => (await page.locator(part).count()) > 0, part);
      const box = await page.locator(part).first().boundingBox();
      assert.ok(box.x + box.width <= tour.x && box.width > tour.width && box.height > 150, `${part} beside the passage`);
    }
    const last = await page.locator(".transport__buttons .button").last().boundingBox();
    assert.ok(last.x + last.width <= tour.x, "no button lies over the passage");
    await until(() => see("tour").evaluate((node) => node.scrollHeight <= node.clientHeight), "all of the passage");
    await hasRoom(page);
    for (const key of ["b", "."]) {
      await press(page, key);
      await until(() => see("cover-black").isVisible(), "a black screen");
      const [black, window] = await Promise.all([see("cover-black").boundingBox(), page.evaluate(() => [innerWidth, innerHeight])]);
      assert.deepEqual([black.x, black.y, black.width, black.height], [0, 0, ...window]);
      await press(page, key);
      await until(async () => !(await see("cover-black").isVisible()), "the screen again");
    }
    await press(page, "b");
    await until(() => see("cover-black").isVisible(), "a black screen");
    await press(page, "PageDown");
    await until(async () => !(await see("cover-black").isVisible()), "the screen before anything is turned");
    await at(2);
    await press(page, "Escape");
    await left(page);
    await until(async () => (await size()) === before, "the size before");
    assert.ok((await page.locator(".masthead").isVisible()) && (await see("tour").isVisible()));
    isQuiet(heard);
    await page.close();
  });

  it("goes through the charts without a story, in the window where the browser refuses the whole screen", async () => {
    const { page, heard, see } = await open("#v1/sparse-parity?n=12&k=2&width=16&start=paused&view=details", { width: 1920, height: 1080 });
    await until(() => see("step").isVisible(), "the page");
    await page.evaluate(() => (Element.prototype.requestFullscreen = () => Promise.reject(new TypeError("refused"))));
    await press(page, "Shift+P");
    await entered(page);
    assert.equal(await page.evaluate(() => document.fullscreenElement), null);
    await sees(page, "loss", "accuracy");
    const width = (id) => see(id).evaluate((canvas) => [canvas.width, Math.round(canvas.clientWidth * devicePixelRatio)]);
    for (const names of [["loss"], ["accuracy"], ["weights"], ["weights"]]) {
      await press(page, "PageDown");
      await sees(page, ...names);
      const id = `chart-${names[0]}`;
      await until(async () => (([drawn, shown]) => drawn === shown && shown > 1200)(await width(id)), "a chart as wide as the screen");
      assert.ok((await pixels(page, id)) > 3);
    }
    await see("presenter-chart").click();
    await sees(page, "loss", "accuracy");
    // The lab's panels, in their place.
    await until(() => see("presenter-inside").isVisible(), "panels of the lab");
    await see("presenter-inside").click();
    await sees(page);
    assert.equal(await see("presenter-inside").getAttribute("aria-pressed"), "true");
    await see("presenter-inside").click();
    await sees(page, "loss", "accuracy");
    await hasRoom(page);
    // Dark, and on a phone's width.
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 390, height: 844 });
    await until(async () => (await see("play").isVisible()) && (await charts(page)).length === 2, "both charts");
    await hasRoom(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await see("presenter-leave").click();
    await left(page);
    await sees(page, "loss", "accuracy", "weights");
    isQuiet(heard);
    await page.close();
  });

  it("begins with the moving picture, and goes on to the charts", async () => {
    for (const size of [{ width: 1920, height: 1080 }, { width: 1280, height: 720 }]) {
      const { page, heard, see } = await open("#v1/sparse-parity?n=12&k=2&width=16&seed=3&steps=400&halt=steps&every=10&speed=100&show=loss.movement", size);
      await until(() => see("step").isVisible(), "the page");
      await page.evaluate(() => (Element.prototype.requestFullscreen = () => Promise.reject(new TypeError("refused"))));
      await press(page, "Shift+P");
      await entered(page);
      await until(async () => (await pixels(page, "stage-picture")) > 4, "the picture");
      await sees(page);
      const inside = async (id) => {
        const box = await see(id).boundingBox();
        assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height, `${id} ${JSON.stringify(box)}`);
        return box;
      };
      const picture = await inside("stage-picture");
      assert.ok(picture.height > 0.4 * size.height && picture.width > 0.9 * size.width, JSON.stringify(picture));
      for (const id of ["play", "stage-slider", "presenter-chart", "status"]) await inside(id);
      // A click touches the bit that is seen under the pointer, although the picture is enlarged.
      await see("target-bit-0").click();
      await until(async () => /^Bit 1 is (plus|minus) 1\./.test(await text(see("stage-spoken"))), "an answer");
      await press(page, "PageDown");
      await sees(page, "movement");
      assert.ok(!(await see("stage-panel").count()));
      await press(page, "PageUp");
      await until(() => see("stage-panel").isVisible(), "the picture again");
      await hasRoom(page);
      await press(page, "Escape");
      await left(page);
      isQuiet(heard);
      await page.close();
    }
  });

  it("closes only the QR code when the same Escape ends full screen", async () => {
    const { page, heard, see } = await open("#v1/sparse-parity?n=12&k=2&width=16&start=paused");
    await until(() => see("step").isVisible(), "the page");
    // Full screen as the browser reports it, without the browser's own keys.
    await page.evaluate(() => {
      window.full = null;
      Object.defineProperty(document, "fullscreenElement", { configurable: true, get: () => window.full });
      Element.prototype.requestFullscreen = () => Promise.resolve();
      Document.prototype.exitFullscreen = () => Promise.resolve();
      window.fill = (whole) => {
        window.full = whole ? document.documentElement : null;
        document.dispatchEvent(new Event("fullscreenchange", { bubbles: true }));
      };
    });
    const covered = (count) => until(async () => (await page.locator(".cover[open]").count()) === count, `${count} covers`);
    await press(page, "Shift+P");
    await entered(page);
    // The browser leaves full screen and the page sees no key; or the page sees the key first.
    for (const seesKey of [false, true]) {
      await page.evaluate(() => window.fill(true));
      await press(page, "q");
      await covered(1);
      if (seesKey) await press(page, "Escape");
      await page.evaluate(() => window.fill(false));
      await covered(0);
      await page.waitForTimeout(200);
      assert.equal(await mode(page), "on", `${seesKey}`);
      await page.waitForTimeout(1100);
    }
    await page.evaluate(() => window.fill(true));
    await page.evaluate(() => window.fill(false));
    await until(async () => (await mode(page)) === "off", "the page");
    isQuiet(heard);
    await page.close();
  });

  it("shows the QR code on the whole screen, in the mode and from the dialog for a class", async () => {
    const { page, heard, see } = await open("#v1/sparse-parity?n=12&k=2&width=16&start=paused");
    await see("presenter").click();
    await entered(page);
    const fills = async () => {
      await until(() => page.getByTestId("cover-address").isVisible(), "the code");
      const code = await page.locator(".cover[open] .qr-code").boundingBox();
      assert.ok(Math.min(code.width, code.height) > 0.9 * (await page.evaluate(() => Math.min(innerWidth, innerHeight))), JSON.stringify(code));
      const address = page.getByTestId("cover-address");
      assert.equal(await text(address), page.url());
      const { size, tall, room } = await address.evaluate((node) => ({ size: parseFloat(getComputedStyle(node).fontSize), tall: node.scrollHeight, room: node.clientHeight }));
      assert.ok(size > 20 && tall <= room, "an address that can be read");
      await hasRoom(page);
    };
    await press(page, "q");
    await fills();
    await press(page, "PageDown");
    await until(async () => !(await page.locator(".cover[open]").count()), "the picture again");
    await until(() => see("stage-panel").isVisible(), "the picture");
    await see("presenter-code").click();
    await fills();
    // The cover is black on white in the dark theme, too, and so is its button.
    await page.emulateMedia({ colorScheme: "dark" });
    const colours = () => see("cover-close").evaluate((node) => [getComputedStyle(node).color, getComputedStyle(node).backgroundColor].join(" "));
    await page.mouse.move(0, 0);
    await until(async () => (await colours()) === "rgb(0, 0, 0) rgb(255, 255, 255)", "a button that can be read");
    await page.emulateMedia({ colorScheme: "light" });
    await see("cover-close").click();
    await until(async () => (await focused(page)) === "presenter-code", "the focus where it was");
    await press(page, "Escape");
    await left(page);

    await see("teach").click();
    await see("large-qr-code").click();
    await until(() => page.getByTestId("cover-address").isVisible(), "the code");
    assert.match(await text(page.getByTestId("cover-address")), /#v1\/sparse-parity\?n=12&k=2&width=16&start=paused$/);
    await press(page, "Escape");
    await until(async () => !(await page.locator(".cover[open]").count()), "the dialog again");
    assert.ok(await see("large-qr-code").isVisible());
    await press(page, "Escape");
    isQuiet(heard);
    await page.close();
  });
}
