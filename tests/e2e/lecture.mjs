// Lectures: made in their dialog, kept in a link and in a file, and held with a clicker's keys.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";

import { stepOf, text, until, visit } from "./harness.mjs";
import { violations } from "./product.mjs";

const FIRST = "#v1/sparse-parity?n=12&k=2&width=16&seed=3&steps=400&halt=steps&every=10&speed=50&start=paused";
const SECOND = "#v1/sparse-parity?n=14&k=2&width=16&seed=3&steps=400&halt=steps&every=10";

/** The address of a lecture with these entries (links and notes), written as the page writes it. */
export function lectureAddress(title, entries) {
  const line = (words) => words.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  const lines = entries.flatMap(([link, note]) => [link.slice(1), line(note)]);
  return `#lecture/${Buffer.from(["1", line(title), ...lines, "."].join("\n")).toString("base64url")}`;
}

/** Tests in the browser and at the address that `here` gives. */
export function lectures(here) {
  const open = (link, size) => visit(here().context, here().address, link, size);
  // The browser's own words when it is asked for a GPU and has none.
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((line) => line !== "warning: No available adapters."), []);
  const mode = (page) => page.evaluate(() => document.documentElement.dataset.presenter ?? "off");
  const press = (page, key) => page.keyboard.press(key);
  const opens = (page, count) => until(async () => (await page.locator("dialog[open]").count()) === count, `${count} dialogs`);
  const place = (see, words) => until(async () => (await see("lecture-place").count()) > 0 && (await text(see("lecture-place"))) === words, words);
  const waitsAt = async (see, step) => {
    await until(async () => (await stepOf(see)) === step, `step ${step}`);
    await until(async () => (await see("play").getAttribute("aria-label")) === "Play", "a pause");
  };
  /** In the window, where Escape reaches the page. */
  const staysInWindow = (page) => page.evaluate(() => (Element.prototype.requestFullscreen = () => Promise.reject(new TypeError("refused"))));
  /** Opens the dialog from the list of stories. */
  const openDialog = async (page, see) => {
    await see("stories").click();
    await see("story-lecture").click();
    await until(() => see("lecture-editor").isVisible(), "the dialog");
    await opens(page, 1);
  };

  it("is made of runs and links, reordered, noted, undone, and still there after a reload", async () => {
    await here().context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { page, heard, see } = await open(FIRST);
    await until(() => see("step").isVisible(), "the page");
    await page.evaluate(() => localStorage.removeItem("vivarium.lecture"));
    await until(async () => /^Waiting at the start/.test(await text(see("status"))), "the run to wait");
    for (let step = 1; step <= 3; step++) {
      await page.locator("body").press(".");
      await until(async () => (await stepOf(see)) === step, `step ${step}`);
    }
    await openDialog(page, see);
    await see("lecture-start").click();
    await until(async () => /no entries/.test(await text(see("lecture-message"))), "a sentence");
    await see("lecture-add").click();
    await until(() => see("lecture-entry-0").isVisible(), "an entry");
    assert.equal(await see("lecture-step-0").inputValue(), "3");
    await see("lecture-link").fill(here().address + SECOND);
    await see("lecture-add-link").click();
    await until(() => see("lecture-entry-1").isVisible(), "the run of the link");
    assert.equal(await see("lecture-link").inputValue(), "");
    await see("lecture-link").fill("https://example.org");
    await press(page, "Enter");
    await until(async () => /neither the address of a run/.test(await text(see("lecture-error"))), "a sentence");
    await see("lecture-link").fill("#story/hidden-progress/2");
    await press(page, "Enter");
    await until(() => see("lecture-entry-2").isVisible(), "the passage");
    assert.equal(await see("lecture-step-2").count(), 0);
    await see("lecture-name").fill("Parity");
    await see("lecture-note-0").fill("Ask first:\nwho sees the bits?");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "lecture-note-0", "typing keeps the focus");
    await see("lecture-step-1").fill("40");
    await see("lecture-step-1").press("Tab");
    await until(async () => (await see("lecture-step-1").inputValue()) === "40", "the step");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "lecture-up-1", "Tab goes on from the step");
    // A click right after typing is taken: the list stays where it is.
    await see("lecture-step-1").fill("4O");
    await see("lecture-up-1").click();
    await until(async () => (await see("lecture-step-1").inputValue()) === "3", "the entries exchanged");
    assert.equal(await see("lecture-step-0").inputValue(), "", "what is no number is no step");
    await see("lecture-undo").click();
    await see("lecture-undo").click();
    await until(async () => (await see("lecture-step-1").inputValue()) === "40", "the step again");
    // Down, with the focus, and away and back.
    await see("lecture-down-1").focus();
    await press(page, "Enter");
    await until(async () => /Story/.test(await text(see("lecture-entry-1"))), "the passage in the middle");
    await until(async () => (await page.evaluate(() => document.activeElement.dataset.testid)) === "lecture-down-2", "the focus with the entry");
    await see("lecture-remove-0").click();
    await until(async () => (await see("lecture-entry-2").count()) === 0, "two entries");
    await see("lecture-undo").click();
    await until(() => see("lecture-entry-2").isVisible(), "three entries");
    assert.equal(await see("lecture-note-0").inputValue(), "Ask first:\nwho sees the bits?");
    assert.deepEqual(await violations(page), []);
    await see("copy-lecture").click();
    const address = await until(async () => {
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      return copied.includes("#lecture/") && copied;
    }, "the link");
    const [download] = await Promise.all([page.waitForEvent("download"), see("lecture-save").click()]);
    assert.equal(download.suggestedFilename(), "lecture.json");
    const file = JSON.parse(readFileSync(await download.path(), "utf8"));
    assert.deepEqual([file.title, file.entries.length, file.entries[1].link], ["Parity", 3, "#story/hidden-progress/2"]);
    assert.equal(address.slice(address.indexOf("#")), lectureAddress(file.title, file.entries.map((one) => [one.link, one.note])));
    // Nothing is lost: not by a reload, and not by a file that replaces it.
    await page.reload();
    await until(() => see("step").isVisible(), "the page");
    await openDialog(page, see);
    assert.equal(await see("lecture-name").inputValue(), "Parity");
    const upload = (json) => see("lecture-input").setInputFiles({ name: "a.json", mimeType: "application/json", buffer: Buffer.from(json) });
    await upload("{}");
    await until(async () => /not a lecture/.test(await text(see("lecture-message"))), "a sentence");
    await upload(JSON.stringify({ ...file, title: "Other", entries: file.entries.slice(0, 1) }));
    await until(async () => (await see("lecture-name").inputValue()) === "Other", "the other lecture");
    await see("lecture-undo").click();
    await until(async () => (await see("lecture-name").inputValue()) === "Parity", "the lecture again");
    assert.ok(await see("lecture-entry-2").isVisible());
    await press(page, "Escape");
    await opens(page, 0);
    await page.evaluate(() => localStorage.removeItem("vivarium.lecture"));
    isQuiet(heard);
    await page.close();
  });

  it("is held with a clicker: each run waits at its step, claim and task stand below it, Escape leaves", async () => {
    const address = lectureAddress("Parity", [
      [`${FIRST}&view=details&at=60`, "Ask first."],
      ["#story/hidden-progress/2", ""],
      [SECOND, "And now\nwith more bits."],
    ]);
    for (const size of [{ width: 1440, height: 900 }, { width: 1280, height: 720 }, { width: 390, height: 844 }]) {
      const { page, heard, see } = await open(address, size);
      await place(see, "1 of 3");
      await staysInWindow(page);
      assert.equal(await mode(page), "on");
      await waitsAt(see, 60);
      assert.match(page.url(), /#lecture\/1\//);
      assert.equal(await text(see("lecture-title")), "Parity");
      assert.match(await text(see("lecture-claim")), /Sparse parity/);
      assert.match(await text(see("lecture-task")), /relevant bits/);
      assert.equal(await text(see("lecture-note")), "Ask first.");
      // The bar lies over nothing, and in the screen.
      const bar = await see("lecture-bar").boundingBox();
      const view = await page.locator(".run-view").boundingBox();
      assert.ok(bar.y + bar.height <= size.height + 1 && view.y + view.height <= bar.y + 1, JSON.stringify([bar, view]));
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
      assert.deepEqual(await violations(page), [], `${size.width}`);
      await press(page, "n");
      await until(async () => (await see("lecture-note").count()) === 0, "no note");
      await press(page, "n");
      await until(() => see("lecture-note").isVisible(), "the note");
      assert.equal(await stepOf(see), 60, "no other seed");
      // Charts are still gone through.
      const charts = () => page.locator(".plot:visible canvas").evaluateAll((all) => all.map((one) => one.dataset.testid).join());
      const before = await charts();
      await press(page, "c");
      await until(async () => (await charts()) !== before, "the next chart");
      await press(page, "PageDown");
      await place(see, "2 of 3");
      await until(async () => / · 2 of /.test(await text(see("tour-place"))), "the passage");
      assert.equal(await see("lecture-claim").count(), 0);
      await press(page, "PageDown");
      await place(see, "3 of 3");
      await waitsAt(see, 0);
      assert.equal(await see("tour").count(), 0);
      // The button of the last entry has no effect.
      await see("lecture-next").click({ force: true });
      await place(see, "3 of 3");
      await see("lecture-back").click();
      await place(see, "2 of 3");
      // Through the history of the browser.
      await page.goBack();
      await place(see, "3 of 3");
      await page.goForward();
      await place(see, "2 of 3");
      await press(page, "PageUp");
      await place(see, "1 of 3");
      await waitsAt(see, 60);
      // Escape closes first what is on top: cover, dialog, lecture.
      await press(page, "b");
      await until(() => see("cover-black").isVisible(), "a black screen");
      await press(page, "Escape");
      await until(async () => !(await page.locator(".cover[open]").count()), "the screen");
      assert.equal(await mode(page), "on");
      await press(page, "q");
      await until(async () => /#v1\/sparse-parity/.test(await text(see("cover-address"))), "the link of the run");
      await press(page, "Escape");
      await until(async () => !(await page.locator(".cover[open]").count()), "the screen");
      await press(page, "?");
      await opens(page, 1);
      await press(page, "Escape");
      await opens(page, 0);
      assert.equal(await mode(page), "on");
      await place(see, "1 of 3");
      await press(page, "Escape");
      await until(async () => (await mode(page)) === "off", "the page");
      assert.equal(await see("lecture-bar").count(), 0);
      assert.match(page.url(), /#v1\/sparse-parity/);
      // The lecture can be resumed, and edited.
      await openDialog(page, see);
      assert.match(await text(see("lecture-left")), /“Parity” at entry 1 of 3/);
      await see("lecture-edit").click();
      await until(() => see("lecture-entry-2").isVisible(), "its entries");
      await see("lecture-undo").click();
      await see("lecture-resume").click();
      await place(see, "1 of 3");
      await opens(page, 0);
      await press(page, "Escape");
      isQuiet(heard);
      await page.evaluate(() => localStorage.removeItem("vivarium.lecture"));
      await page.close();
    }
  });

  it("shows the picture with the buttons of its run above the bar, and leaves out what the strip does", async () => {
    const address = lectureAddress("Parity", [[`${FIRST}&view=picture&at=60`, "Ask first."]]);
    for (const size of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
      const { page, heard, see } = await open(address, size);
      await place(see, "1 of 1");
      await staysInWindow(page);
      await waitsAt(see, 60);
      await until(() => see("stage-picture").isVisible(), "the picture");
      await until(async () => {
        const [play, bar] = await Promise.all([see("play").boundingBox(), see("lecture-bar").boundingBox()]);
        return play && play.y + play.height <= bar.y + 1;
      }, `Play above the bar at ${size.width}`);
      assert.ok(!(await page.locator(".scrub").isVisible()), "the strip is the slider");
      await see("play").click();
      await until(async () => (await stepOf(see)) > 60, "steps");
      await press(page, "Escape");
      isQuiet(heard);
      await page.close();
    }
  });

  it("starts from the dialog for a class, and says so where a link is cut off", async () => {
    const { page, heard, see } = await open(FIRST);
    await until(() => see("step").isVisible(), "the page");
    await staysInWindow(page);
    await see("teach").click();
    await see("class-lecture").click();
    await until(() => see("lecture-editor").isVisible(), "the dialog");
    await opens(page, 1);
    await see("lecture-add").click();
    await until(() => see("lecture-entry-0").isVisible(), "an entry");
    await see("lecture-start").click();
    await place(see, "1 of 1");
    await waitsAt(see, 0);
    await press(page, "Escape");
    await page.evaluate(() => localStorage.removeItem("vivarium.lecture"));
    isQuiet(heard);
    await page.close();
    const whole = lectureAddress("Parity", [[FIRST, "A note."]]);
    const cut = await open(whole.slice(0, -6));
    await until(async () => /link of this lecture is incomplete/.test(await text(cut.see("message"))), "a sentence");
    assert.equal(await mode(cut.page), "off");
    assert.match(cut.page.url(), /#v1\//);
    await cut.page.close();
  });

  it("closes what is on top, and only that, on Escape", async () => {
    const { page, heard, see } = await open(FIRST);
    await until(() => see("step").isVisible(), "the page");
    await staysInWindow(page);
    // A dialog whose text was clicked, so that no button has the focus: neither Escape nor Space goes through to the page.
    await press(page, "Shift+P");
    await until(async () => (await mode(page)) === "on", "the mode");
    await press(page, "?");
    await opens(page, 1);
    await page.locator("dialog[open] h2").first().click();
    await press(page, " ");
    await press(page, "Escape");
    await opens(page, 0);
    assert.equal(await mode(page), "on");
    assert.equal(await see("play").getAttribute("aria-label"), "Play");
    await press(page, "Escape");
    await until(async () => (await mode(page)) === "off", "the page");
    // The code over the dialog for a class.
    await see("teach").click();
    await see("large-qr-code").click();
    await opens(page, 2);
    await press(page, "Escape");
    await opens(page, 1);
    assert.ok(await see("large-qr-code").isVisible());
    await press(page, "Escape");
    await opens(page, 0);
    // The drawer beside the picture, wherever the focus is, but not before the help over it.
    await see("show-picture").click();
    await until(() => see("stage").isVisible(), "the picture");
    await see("stage-settings").click();
    await until(() => see("stage-drawer").isVisible(), "the drawer");
    await press(page, "?");
    await opens(page, 1);
    await press(page, "Escape");
    await opens(page, 0);
    assert.ok(await see("stage-drawer").isVisible());
    await press(page, "Escape");
    await until(async () => !(await see("stage-drawer").count()), "no drawer");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "stage-settings");
    await see("show-details").click();
    isQuiet(heard);
    await page.close();
  });
}
