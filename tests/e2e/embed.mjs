// The page inside other pages: frames of any size, frames without an origin, a deck of slides, and a notebook.
//
// Environment besides that of harness.mjs: NODE_PATH also leads to reveal.js; PYTHON (a Python that may have nbconvert).

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, it } from "node:test";

import { serve, text, until, visit } from "./harness.mjs";

const SHORT = "n=12&k=2&width=24&every=10&held=512&steps=100000&halt=steps&speed=200";
const ONE = `#v1/sparse-parity?${SHORT}&show=loss&embed=on`;
const FOUR = `#v1/sparse-parity?${SHORT}&show=loss.accuracy.weights.movement&embed=on`;
const PYTHON = process.env.PYTHON ?? "python3";

const frame = (address, more = "") => `<iframe src="${address.replaceAll("&", "&amp;")}" class="vivarium" title="Vivarium" ${more}></iframe>`;
const sheet = (body, head = "") => `<!DOCTYPE html><html lang="en"><head><title>Around</title><link rel="icon" href="data:,">${head}</head><body style="margin:0">${body}</body></html>`;

/** Whether a program of Python can be called. */
function hasNbconvert() {
  try {
    execFileSync(PYTHON, ["-m", "nbconvert", "--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Tests in the browser and at the address that `here` gives. */
export function embeds(here) {
  let folder;
  /** Pages of another origin than the page's: another port. */
  let around;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "vivarium-around-"));
    const reveal = dirname(createRequire(import.meta.url).resolve("reveal.js"));
    around = await serve({}, { "/around/": folder, "/reveal/": reveal });
  });
  after(() => {
    around?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens a page around the page, which keeps the messages that it gets; `heard` is what the frame said to the console. */
  async function open(html, size, address = here().address) {
    writeFileSync(join(folder, "page.html"), html);
    const page = await here().context.newPage();
    await page.setViewportSize(size);
    await page.addInitScript(() => {
      window.got = [];
      addEventListener("message", ({ data, source }) => source !== window && data?.type === "vivarium:size" && window.got.push(data));
    });
    const heard = [];
    page.on("console", (message) => {
      const isOurs = message.location().url.startsWith(address);
      if (isOurs && ["error", "warning"].includes(message.type())) heard.push(`${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => heard.push(`page error: ${error.message}`));
    await page.goto(`${around.address}around/page.html`);
    const find = () => page.frames().find((frame) => frame.url().startsWith(address));
    return { page, heard, find, got: () => page.evaluate(() => window.got) };
  }

  const inside = async (find) => {
    const inner = await until(find, "the frame");
    return { inner, see: (id) => inner.getByTestId(id).first() };
  };
  const steps = async (see) => Number((await text(see("step"))).replace(/\D/g, ""));
  const trains = (see) => until(async () => (await see("step").count()) && (await steps(see)) > 0, "steps");
  const isQuiet = (heard) => assert.deepEqual(heard.filter((said) => said !== "warning: No available adapters."), []);

  /** What scrolls, and what is beyond an edge of the frame or has no room for its own text. */
  const misfits = (inner) =>
    inner.evaluate(() => {
      const { scrollHeight, scrollWidth } = document.documentElement;
      const found = [];
      if (scrollHeight > innerHeight || scrollWidth > innerWidth) found.push(`scrolls: ${scrollWidth} by ${scrollHeight}`);
      for (const element of document.querySelectorAll(".stage *")) {
        const { left, top, right, bottom, width } = element.getBoundingClientRect();
        // What is for the ear is a pixel wide.
        if (width < 2 || !element.getClientRects().length) continue;
        const name = element.className.baseVal ?? element.className;
        if (left < -0.5 || top < -0.5 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5) found.push(`beyond an edge: ${name}`);
      }
      for (const canvas of document.querySelectorAll(".plot__canvas")) {
        if (canvas.clientWidth && canvas.clientHeight < 60) found.push(`a chart ${canvas.clientHeight} pixels high`);
      }
      return found;
    });

  it("fits every frame from 320 by 240 on, without a scroll bar", async () => {
    for (const [link, most] of [[ONE, 1], [FOUR, 4]]) {
      const { page, see, heard } = await visit(here().context, here().address, link, { width: 720, height: 440 });
      await trains(see);
      const sizes = [[600, 400], [720, 420], [720, 440], [720, 670], [320, 240], [400, 300], [480, 320], [390, 700], [390, 1200], [1200, 800]];
      for (const [width, height] of sizes) {
        await page.setViewportSize({ width, height });
        await page.waitForTimeout(300);
        assert.deepEqual(await misfits(page), [], `${most} charts, ${width} by ${height}`);
        for (const part of ["embed-title", "embed-open", "play", "step", "chart-loss"]) {
          assert.ok(await see(part).isVisible(), `${part}, ${width} by ${height}`);
        }
        const shown = await page.locator(".plot:visible").count();
        assert.ok(shown >= 1 && shown <= most, `${shown} of ${most} charts`);
        if (width >= 600 && height >= 400) assert.ok((await see("test-loss").isVisible()) && (await see("scrub").isVisible()));
        if (width === 720 && height === 670) assert.equal(shown, most);
      }
      assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);
      await page.close();
    }
  });

  it("names its task and its run, and leads to the whole page", async () => {
    for (const [link, name] of [
      ["#v1/sparse-parity?embed=on&start=paused", /^.+ · Sparse parity$/],
      ["#v1/sparse-parity?n=12&k=2&embed=on&start=paused", /^Sparse parity, .+/],
    ]) {
      const { page, see } = await visit(here().context, here().address, link, { width: 600, height: 400 });
      assert.match(await text(see("embed-title")), name);
      assert.equal(`${await text(see("embed-title"))} · Vivarium`, await page.title());
      const [tab] = await Promise.all([here().context.waitForEvent("page"), see("embed-open").click()]);
      await tab.getByTestId("task").waitFor();
      assert.equal(tab.url(), page.url().replace(/embed=on&?|&embed=on/, "").replace(/\?$/, ""));
      await tab.close();
      await page.close();
    }
  });

  it("tells the page around a height that shows everything, and does not grow by it", async () => {
    await here().context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const teacher = await visit(here().context, here().address, FOUR.replace("&embed=on", ""));
    await trains(teacher.see);
    await teacher.see("teach").click();
    await teacher.page.locator('.teacher select[name="view"]').selectOption("");
    const copied = async (id, end) => {
      await teacher.see(id).click();
      return until(async () => {
        const text = await teacher.page.evaluate(() => navigator.clipboard.readText());
        return text.endsWith(end) && text;
      }, `the text of ${id}`);
    };
    const plain = await copied("copy-frame", "</iframe>");
    const following = await copied("copy-following", "</script>");
    assert.ok(following.startsWith(plain) && plain.includes('title="Sparse parity, ') && plain.includes('height="670"'), plain);
    await teacher.page.close();

    // Half as high as it should be, and without an origin of its own for the message.
    const low = following.replace('height="670"', 'height="300"');
    const { page, heard, find, got } = await open(sheet(`${low}<iframe src="about:blank" class="vivarium" height="77"></iframe>`), { width: 800, height: 900 });
    const { inner, see } = await inside(find);
    await trains(see);
    const height = () => page.locator("iframe").first().evaluate((frame) => frame.offsetHeight);
    await until(async () => (await height()) > 500, "a higher frame");
    const settled = await until(async () => {
      const now = await height();
      await page.waitForTimeout(1500);
      return (await height()) === now && now;
    }, "a height that stays");
    assert.deepEqual(await misfits(inner), []);
    assert.equal(await inner.locator(".plot:visible").count(), 4);
    assert.ok(await see("reach-other").isVisible());
    await page.waitForTimeout(1500);
    assert.equal(await height(), settled, "no growth");
    const messages = await got();
    assert.ok(messages.length >= 1 && messages.length <= 4, JSON.stringify(messages));
    assert.deepEqual(messages.at(-1), { type: "vivarium:size", width: 720, height: settled });
    assert.equal(await page.locator("iframe").nth(1).evaluate((frame) => frame.offsetHeight), 77 + 4, "another frame stays as it is");
    // A narrower frame shows its charts in one column, and asks for more.
    await page.locator("iframe").first().evaluate((frame) => (frame.style.width = "400px"));
    await until(async () => (await height()) > settled + 200, "one column");
    await until(async () => !(await misfits(inner)).length, async () => JSON.stringify(await misfits(inner)));
    isQuiet(heard);
    await page.close();
  });

  it("trains in a frame without an origin where the host lets everybody read its files", async () => {
    const site = await serve({}, {}, { "access-control-allow-origin": "*" });
    try {
      const { page, heard, find, got } = await open(sheet(frame(site.address + ONE, 'sandbox="allow-scripts" width="600" height="440"')), { width: 640, height: 480 }, site.address);
      const { inner, see } = await inside(find);
      await until(async () => (await see("step").count()) && /^Found/.test(await text(see("status"))), "the parity");
      assert.equal(await inner.evaluate(() => self.origin), "null");
      assert.deepEqual(await misfits(inner), []);
      await see("play").click();
      await until(async () => (await see("play").getAttribute("aria-label")) === "Play", "a pause");
      await see("single-step").click();
      await until(async () => (await got()).length > 0, "its height");
      isQuiet(heard);
      await page.close();

      // The whole page has a list of stored runs, and says that there are none.
      const whole = await open(sheet(frame(site.address + ONE.replace("&embed=on", ""), 'sandbox="allow-scripts" width="1000" height="900"')), { width: 1040, height: 940 }, site.address);
      const more = await inside(whole.find);
      await trains(more.see);
      await until(async () => /stores nothing/.test(await text(more.see("library-error"))), "a sentence");
      assert.deepEqual(await whole.got(), [], "only an embedded page tells its height");
      isQuiet(whole.heard);
      await whole.page.close();
    } finally {
      site.close();
    }
  });

  it("says what a frame without an origin needs where the host does not let it read the files", async () => {
    const { page, find } = await open(sheet(frame(here().address + ONE, 'sandbox="allow-scripts" width="600" height="440"')), { width: 640, height: 480 });
    const { inner } = await inside(find);
    const notice = inner.locator(".crash");
    await until(() => notice.count(), "a sentence");
    assert.match(await text(notice), /^This frame needs allow-same-origin in its sandbox attribute to show Vivarium\./);
    await page.close();
  });

  it("rests in frames that nobody sees, and goes on where somebody scrolls to one", async () => {
    const many = 4;
    const one = `<div style="height:1600px">${frame(here().address + ONE, 'width="720" height="440"')}</div>`;
    const { page, heard, find } = await open(sheet(one.repeat(many)), { width: 800, height: 500 });
    await until(find, "the frames");
    const frames = await until(() => {
      const found = page.frames().filter((frame) => frame.url().startsWith(here().address));
      return found.length === many && found;
    }, "all frames");
    // In the order of the page: frames are listed as they were attached.
    const sees = frames.map((inner) => (id) => inner.getByTestId(id).first());
    const all = () => Promise.all(sees.map(async (see) => ((await see("step").count()) ? steps(see) : 0)));
    const isPlaying = async (see) => (await see("play").getAttribute("aria-label")) === "Pause";
    for (const at of [0, many - 1, 1]) {
      await page.evaluate((y) => scrollTo(0, y), 1600 * at);
      await until(async () => (await sees[at]("play").count()) && (await isPlaying(sees[at])) && (await steps(sees[at])) > 0, `frame ${at} to train`);
      await until(async () => {
        const playing = await Promise.all(sees.map(async (see) => (await see("play").count()) && isPlaying(see)));
        return playing.every((is, of) => Boolean(is) === (of === at));
      }, "the others to rest");
      const others = async () => (await all()).filter((_, of) => of !== at).join();
      await until(async () => {
        const then = await others();
        await page.waitForTimeout(1000);
        return (await others()) === then;
      }, "what was on its way when they were paused");
      const before = await all();
      await page.waitForTimeout(2000);
      await until(async () => (await steps(sees[at])) > before[at], "the frame in view to go on");
      const after = await all();
      after.forEach((step, of) => assert.ok(of === at ? step > before[of] : step === before[of], `frame ${of} of which ${at} is in view: ${before} to ${after}`));
    }
    // A reader's own pause stays.
    await sees[1]("play").click();
    await until(async () => !(await isPlaying(sees[1])), "a pause");
    for (const y of [0, 1600]) {
      await page.evaluate((y) => scrollTo(0, y), y);
      await page.waitForTimeout(500);
    }
    assert.ok(!(await isPlaying(sees[1])), "it is still paused");
    isQuiet(heard);
    await page.close();
  });

  it("trains on a slide of reveal.js, which keeps its keys", async () => {
    // A slide that still moves is elsewhere by the time that a click arrives.
    const deck = `<div class="reveal"><div class="slides">
      <section><h2>One</h2></section>
      <section>${frame(here().address + ONE, 'width="720" height="440" loading="lazy"')}</section>
      <section><h2>Three</h2></section></div></div>
      <script src="../reveal/reveal.js"></script><script>Reveal.initialize({ transition: "none" })</script>`;
    const { page, heard, find } = await open(sheet(deck, '<link rel="stylesheet" href="../reveal/reveal.css">'), { width: 1280, height: 720 });
    const said = [];
    page.on("console", (message) => said.push(message.text()));
    const slide = () => page.evaluate(() => Reveal.getIndices().h);
    await until(() => page.evaluate(() => Reveal.isReady()), "the deck");
    await page.keyboard.press("ArrowRight");
    const { inner, see } = await inside(find);
    await trains(see);
    assert.deepEqual(await misfits(inner), []);
    // The frame has not taken the focus, so the deck turns its slides.
    for (const [key, at] of [["ArrowRight", 2], ["ArrowLeft", 1]]) {
      await page.keyboard.press(key);
      await until(async () => (await slide()) === at, `slide ${at}`);
    }
    // Where somebody works in the frame, its own keys hold.
    await see("play").click();
    await until(async () => (await see("play").getAttribute("aria-label")) === "Play", "a pause");
    const before = await steps(see);
    await page.keyboard.press("ArrowRight");
    await until(async () => (await steps(see)) === before + 1, "one step");
    assert.equal(await slide(), 1);
    isQuiet([...heard, ...said.map((text) => `warning: ${text}`)]);
    await page.close();
  });

  it("trains in the output of a notebook", { skip: !hasNbconvert() && "no nbconvert here: python3 -m pip install nbconvert, or set PYTHON" }, async () => {
    const address = here().address + ONE;
    // What IPython.display.IFrame(address, 720, 440) leaves in the notebook, and HTML(snippet).
    const outputs = [`<iframe width="720" height="440" src="${address}" frameborder="0" allowfullscreen></iframe>`, frame(address, 'width="720" height="440"')];
    const cells = outputs.map((html, at) => ({
      cell_type: "code",
      id: `cell-${at}`,
      execution_count: at + 1,
      metadata: {},
      source: "show()",
      outputs: [{ output_type: "display_data", metadata: {}, data: { "text/html": [html] } }],
    }));
    const notebook = join(folder, "notebook.ipynb");
    writeFileSync(notebook, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }));
    execFileSync(PYTHON, ["-m", "nbconvert", "--to", "html", notebook], { stdio: "ignore" });
    // Its formulas come from elsewhere, and there are none.
    const html = readFileSync(join(folder, "notebook.html"), "utf8").replace(/<script[^>]+src="https:[^"]+"[^>]*>\s*<\/script>/g, "");
    const { page, heard, find } = await open(html, { width: 1100, height: 1100 });
    await until(find, "the frames");
    const frames = page.frames().filter((frame) => frame.url().startsWith(here().address));
    assert.equal(frames.length, 2);
    for (const inner of frames) {
      await trains((id) => inner.getByTestId(id).first());
      assert.deepEqual(await misfits(inner), []);
    }
    isQuiet(heard.filter((said) => !said.startsWith("page error: ")));
    await page.close();
  });
}
