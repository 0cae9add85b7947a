// How fast the page is, printed and never asserted: `cargo xtask bench`.

import { line, open, serve, until, visit } from "./harness.mjs";

const site = await serve({
  // The worker's memory is kept where it can be read.
  "worker-loader.js": (text) => text.replace("await init(", "self.wasm = await init("),
});
const browser = await open();
const number = (text) => Number(text.replace(/[^\d.]/g, ""));

async function measure(name, link, seconds) {
  const fresh = await visit(browser.context, site.address, link);
  await until(async () => number(await fresh.see("step").textContent()) > 200, "steps");
  await fresh.page.waitForTimeout(1000); // opening the page is over, and what follows is training
  await fresh.page.evaluate(() => {
    window.long = [];
    new PerformanceObserver((list) => list.getEntries().forEach((e) => window.long.push(Math.round(e.duration)))).observe({ type: "longtask" });
  });
  const at = async () => [performance.now(), number(await fresh.see("step").textContent())];
  const memory = () => fresh.page.workers()[0].evaluate(() => self.wasm.memory.buffer.byteLength / 2 ** 20);
  const [begin, from, before] = [...(await at()), await memory()];
  await fresh.page.waitForTimeout(seconds * 1000);
  const [end, to, afterwards] = [...(await at()), await memory()];
  const long = await fresh.page.evaluate(() => window.long);
  const paint = await fresh.page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  console.log(
    `${name}: ${Math.round(((to - from) / (end - begin)) * 1000)} steps/s; worker memory ${before.toFixed(1)} to ${afterwards.toFixed(1)} MiB over ${to - from} steps; ` +
      `${long.length} main-thread tasks over 50 ms${long.length ? ` (${long.join(", ")} ms)` : ""}; first paint after ${Math.round(paint)} ms`,
  );
  await fresh.page.close();
}

const ENDLESS = "&steps=10000000&halt=steps&speed=0";
await measure("(50,3), width 100, batch 32, CPU in the browser", `#v1/sparse-parity?every=1000${ENDLESS}`, 20);
await measure("(50,3), measured every 50 steps as by default", `#v1/sparse-parity?${ENDLESS.slice(1)}`, 20);
await measure("(20,3), width 64, memory over 200,000 steps", `#v1/sparse-parity?n=20&width=64&every=1000${ENDLESS}`, 40);

/** Seconds from the opening of a link, and from its first step, to its last one. */
async function whole(name, link, last) {
  const begin = performance.now();
  const { page, see } = await visit(browser.context, site.address, link);
  const step = async () => number(await see("step").textContent());
  await until(async () => (await step()) > 0, "steps", 120);
  const first = performance.now();
  await until(async () => (await step()) >= last, "the last step", 600);
  const seconds = (since) => ((performance.now() - since) / 1000).toFixed(2);
  console.log(`${name}: ${last} steps within ${seconds(begin)} s of the opening and ${seconds(first)} s of the first step seen`);
  await page.close();
}

await whole("100 steps of descent, 1,000 layers at D = 145", "#v1/in-context-regression?speed=0&steps=100&halt=steps", 100);
await whole("the two-layer preset of learning in context", "#v1/in-context-learning?speed=0&device=cpu", 4000);
await whole("a busy beaver by the transformer, 107 tokens", "#v1/turing-machine?speed=0", 107);
await whole("an endless counter by the transformer, 1,000 tokens", "#v1/turing-machine?m=counter&t=1000&steps=1000&speed=0&every=100", 1000);
await whole("the staircase with two heads", "#v1/sparse-token-regression?speed=0&device=cpu&halt=steps&steps=4000", 4000);

/** Pictures a second while a slider of the panel is dragged, by the browser's own frames. */
async function frames(name, link, slider) {
  const { page, see } = await visit(browser.context, site.address, link);
  await until(async () => (await see(slider).count()) === 1, "the slider", 60);
  await page.waitForTimeout(2000);
  const times = await page.evaluate(async (slider) => {
    const input = document.querySelector(`[data-testid="${slider}"]`);
    const [times, most] = [[], Number(input.max)];
    for (let frame = 0; frame < 240; frame++) {
      input.value = String(frame % (most + 1));
      input.dispatchEvent(new Event("input", { bubbles: true }));
      times.push(await new Promise(requestAnimationFrame));
    }
    return times;
  }, slider);
  const gaps = times.slice(1).map((time, at) => time - times[at]).sort((a, b) => a - b);
  const at = (share) => gaps[Math.floor(share * gaps.length)].toFixed(1);
  console.log(`${name}: ms between pictures, median ${at(0.5)}, 95th percentile ${at(0.95)}`);
  await page.close();
}

await frames("layers of one step, scrubbed", "#v1/in-context-regression?start=paused", "layer-slider");

/** How long a person waits for the picture after each press, while networks train: the Event Timing API's durations. */
async function respond(name, link) {
  const { page, see } = await visit(browser.context, site.address, link);
  await until(async () => number(await see("step").textContent()) > 0, "steps");
  await page.waitForTimeout(3000);
  await page.evaluate(() => {
    window.waits = [];
    const note = (list) => list.getEntries().filter((e) => e.interactionId).forEach((e) => window.waits.push([e.name, e.duration]));
    new PerformanceObserver(note).observe({ type: "event", durationThreshold: 16 });
  });
  for (let turn = 0; turn < 3; turn++) {
    for (const key of [" ", " ", ".", " ", "ArrowLeft", "ArrowLeft", " "]) {
      await page.keyboard.press(key);
      await page.waitForTimeout(250);
    }
    for (const id of ["log-y", "log-y", "help"]) {
      if (await see(id).isVisible().catch(() => false)) await see(id).click();
      await page.waitForTimeout(250);
    }
    await page.keyboard.press("Escape");
    // The focus is on the button of the help again, where a space would open the help and not pause the run.
    await page.evaluate(() => document.activeElement?.blur());
    await page.locator("body").press("r");
    await page.waitForTimeout(1500);
  }
  const waits = (await page.evaluate(() => window.waits)).map(([, duration]) => duration).sort((a, b) => a - b);
  const at = (share) => waits[Math.min(waits.length - 1, Math.floor(share * waits.length))];
  console.log(`${name}: interaction to next paint of ${waits.length} that took 16 ms or more: median ${at(0.5)} ms, 98th percentile ${at(0.98)} ms`);
  await page.close();
}

await respond("(50,3) at full speed", `#v1/sparse-parity?${ENDLESS.slice(1)}`);
await respond("addition modulo 23, five charts", "#v1/groups?steps=10000000&halt=steps&speed=0");
await respond("the default Markov run", "#v1/markov?steps=10000000&halt=steps&speed=0");
/** When the first picture is painted and the first step is made, by the clock of the page. */
async function cold(name, encoding, slow) {
  const headers = { "cache-control": "max-age=600" };
  const [compressed, fresh] = [await serve({}, {}, headers, encoding, slow ? line(9e6 / 8, 60) : null), await open()];
  // Once beforehand, in another browser: the server compresses each file when it is first asked for.
  const warm = await open();
  const { see } = await visit(warm.context, compressed.address);
  await until(async () => number(await see("step").textContent()) > 0, "steps", 60);
  await warm.close();
  const page = await fresh.context.newPage();
  if (slow) await (await fresh.context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.addInitScript(() => {
    const look = () => {
      const step = Number((document.querySelector("[data-testid=step]")?.textContent ?? "").replace(/\D/g, ""));
      if (step > 0) window.firstStep ??= performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(compressed.address);
  const step = await until(() => page.evaluate(() => window.firstStep), "the first step", 60);
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  console.log(`${name}: first paint after ${Math.round(paint)} ms, first step after ${Math.round(step)} ms`);
  await fresh.close();
  compressed.close();
}

for (const encoding of ["br", "gzip"]) {
  await cold(`opened anew, ${encoding}`, encoding, false);
  await cold(`opened anew, ${encoding}, on a fourth of the processor, 9 Mbit/s and 60 ms`, encoding, true);
}
await browser.close();
site.close();
