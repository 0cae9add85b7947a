// How fast the page is, printed and never asserted: `cargo xtask bench`.

import { open, serve, until, visit } from "./harness.mjs";

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
await browser.close();
site.close();
