// How fast the page is next to TensorFlow.js, printed and never asserted: `cargo xtask bench --web`.
//
// Everything runs on the same page of the same browser, one after the other in turns, so that whatever else
// the machine does hits all of them; the page's own training rests while TensorFlow.js trains in a worker.
// Options: --seconds 3 (per turn), --rounds 5.
//
// Environment: that of harness.mjs; NODE_PATH also leads to TensorFlow.js.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { open, serve, until, visit } from "./harness.mjs";

const { values: options } = parseArgs({
  options: { seconds: { type: "string", default: "3" }, rounds: { type: "string", default: "5" } },
});
const [seconds, rounds] = [Number(options.seconds), Number(options.rounds)];
if (!(seconds > 0 && rounds >= 1)) {
  console.error("--seconds and --rounds are numbers above 0");
  process.exit(2);
}

const PATIENCE = 120; // seconds until whoever has said nothing is given up
const WARM_UP_MS = 1500;
const WORK = "#v1/sparse-parity?every=1000&steps=10000000&halt=steps&speed=0&start=paused";

const installed = createRequire(import.meta.url);
const folder = (name) => dirname(installed.resolve(`@tensorflow/${name}/package.json`));
const { version } = installed("@tensorflow/tfjs/package.json");
const site = await serve({}, {
  ...Object.fromEntries(["tfjs-backend-wasm", "tfjs-backend-webgpu", "tfjs"].map((name) => [`/peers/${name}/`, folder(name)])),
  "/peers/": join(dirname(fileURLToPath(import.meta.url)), "../peers"),
});
const browser = await open({ gpu: true });

// The contenders ----------------------------------------------------------------------------------

/** The page on one device; gives the function that takes a turn. */
async function vivarium(device) {
  const { page, see } = await visit(browser.context, site.address, `${WORK}&device=${device}`);
  const press = async (word) => {
    await until(async () => (await see("play").getAttribute("aria-label")) === word, `the button to say ${word}`, PATIENCE);
    await see("play").click();
  };
  const turn = async () => {
    await page.bringToFront();
    const before = await see("step").textContent();
    await press("Play");
    await until(async () => (await see("step").textContent()) !== before, "steps", PATIENCE);
    await page.waitForTimeout(WARM_UP_MS);
    const name = await see("device").textContent();
    if (device === "gpu" && !name.startsWith("WebGPU")) throw new Error(`the page trains on ${name}`);
    const rate = await page.evaluate(rateOfSteps, seconds * 1000);
    await press("Pause");
    return rate;
  };
  return { page, turn };
}

/** In the page: steps per second between two changes of the number that it shows. */
async function rateOfSteps(ms) {
  const shown = document.querySelector("[data-testid=step]");
  const change = () =>
    new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        observer.disconnect();
        resolve([performance.now(), Number(shown.textContent.replace(/\D/g, ""))]);
      });
      observer.observe(shown, { childList: true, characterData: true, subtree: true });
    });
  const [begin, from] = await change();
  await new Promise((resolve) => setTimeout(resolve, ms));
  const [end, to] = await change();
  return ((to - from) / (end - begin)) * 1000;
}

/** TensorFlow.js on one backend, in a fresh worker of that page. */
async function tensorflow(page, backend) {
  await page.bringToFront();
  const { rate, reason } = await page.evaluate(
    ([task, patience]) =>
      new Promise((resolve) => {
        const worker = new Worker("peers/tfjs_worker.js");
        const end = (answer) => (worker.terminate(), resolve(answer));
        worker.onmessage = ({ data }) => end(data);
        worker.onerror = (event) => end({ reason: event.message ?? "its worker did not start" });
        setTimeout(end, patience * 1000, { reason: `no answer within ${patience} s` });
        worker.postMessage(task);
      }),
    [{ backend, seconds }, PATIENCE + seconds],
  );
  if (reason) throw new Error(reason);
  return rate;
}

// The turns ---------------------------------------------------------------------------------------

const cpu = await vivarium("cpu");
const adapter = await cpu.page.evaluate(async () => {
  const found = await navigator.gpu?.requestAdapter();
  const { vendor, architecture, description } = found?.info ?? {};
  return found && [vendor, architecture, description].filter(Boolean).join(" ");
});
const gpu = adapter == null ? null : await vivarium("gpu");

const contenders = [["Vivarium, CPU", cpu.turn]];
if (gpu) {
  // Once it has failed it may be training on the CPU, which the others need.
  const turn = () => gpu.turn().catch((error) => gpu.page.close().then(() => Promise.reject(error)));
  contenders.push(["Vivarium, WebGPU", turn]);
}
for (const backend of gpu ? ["wasm", "cpu", "webgpu"] : ["wasm", "cpu"]) {
  contenders.push([`TensorFlow.js ${version}, ${backend}`, () => tensorflow(cpu.page, backend)]);
}
const turns = contenders.map(([name, turn]) => ({ name, turn, rates: [], reason: null }));

for (let round = 0; round <= rounds; round++) {
  // Workers are still loading and code is still being compiled in the first one.
  process.stderr.write(round ? `round ${round} of ${rounds}\n` : "a round that does not count\n");
  // Each round starts with another one, so that nobody always follows the same neighbour.
  for (let i = 0; i < turns.length; i++) {
    const it = turns[(round + i) % turns.length];
    if (it.reason) continue;
    try {
      const rate = await it.turn();
      if (round) it.rates.push(rate);
    } catch (error) {
      it.reason = error.message.split("\n")[0];
    }
  }
}
await browser.close();
site.close();

// The account -------------------------------------------------------------------------------------

const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
const spread = (numbers, format) => `${format(median(numbers))} (${format(Math.min(...numbers))} to ${format(Math.max(...numbers))})`;
const whole = (number) => (number < 10 ? number.toFixed(1) : Math.round(number).toLocaleString("en"));
const digits = (number) => number.toLocaleString("en", { maximumSignificantDigits: 3 });
/** Ratios round by round: what slows a whole round down cancels. */
const ratio = (a, b) => spread(a.rates.map((rate, round) => rate / b.rates[round]), digits);
const able = turns.filter((it) => !it.reason);
const [ours, theirs] = ["Vivarium", "TensorFlow.js"].map((who) => able.filter((it) => it.name.startsWith(who)));
const best = (group) => [...group].sort((a, b) => median(b.rates) - median(a.rates))[0];

console.log(`(50,3)-parity, width 100, batch 32, hinge loss, SGD, fresh data every step; steps/s, medians of ${rounds} rounds of ${seconds} s`);
console.log(adapter == null ? "no WebGPU in this browser" : `WebGPU: ${adapter || "an adapter without a name"}`);
for (const it of turns) {
  console.log(`  ${it.name.padEnd(28)} ${it.reason ?? spread(it.rates, whole)}`);
  for (const our of theirs.includes(it) ? ours : []) {
    const isLike = our.name.endsWith("CPU") || it.name.endsWith("webgpu");
    if (isLike) console.log(`    ratio of ${our.name} to it: ${ratio(our, it)}`);
  }
}
const [our, their] = [best(ours), best(theirs)];
if (our && their) {
  console.log(`best TensorFlow.js backend: ${their.name}, ${spread(their.rates, whole)}; ratio of ${our.name} to it: ${ratio(our, their)}`);
} else {
  console.log(`no ratio, since ${our ? "no backend of TensorFlow.js" : "no device of the page"} got through all rounds`);
}
