// Many runs one after the other in one tab, and one run that is measured at every step: what the page and its worker hold
// grows neither with the number of runs nor with that of measurements, except for the numbers that a file of the run contains.
//
// Environment: VIVARIUM_SOAK_RUNS, the number of runs, and VIVARIUM_SOAK, that of measurements, in place of a few.

import assert from "node:assert/strict";
import { it } from "node:test";

import { open, stepOf, until, visit } from "./harness.mjs";

const RUNS = Number(process.env.VIVARIUM_SOAK_RUNS ?? 12);
const MEASURED = Number(process.env.VIVARIUM_SOAK ?? 40_000);

/** Samples of the long run. */
const SAMPLES = 40;

/**
 * Measurements a second of the long run: few enough that the samples fall within the run. All samples of a run that is not
 * slowed down came after its end, and the test compared two moments of a page at rest.
 */
const RATE = 2000;

/** Bytes of one measurement of the long run that the page keeps for a file of the run: four values, step and two indices. */
const PACKED_BYTES = 40;

/** Short runs of three labs, with their last steps. */
const LINKS = [
  ["#v1/sparse-parity?n=12&k=2&width=16&held=128&every=5&steps=200&halt=steps&speed=0&device=cpu", 200],
  ["#v1/groups?n=5&width=16&every=5&steps=150&halt=steps&speed=0&device=cpu", 150],
  ["#v1/markov?t=16&batch=4&held=16&every=5&steps=20&halt=steps&speed=0&device=cpu", 20],
];

/** Seeds of each of them, one after the other and then again: fewer runs than the browser stores. */
const SEEDS = 30;

/** Which run comes when, with its last step: each is of another lab than the one before. */
const run = (at) => {
  const [link, last] = LINKS[at % LINKS.length];
  return [`${link}&seed=${Math.floor(at / LINKS.length) % SEEDS}`, last];
};

/** What each of these may grow by between the second quarter and the last: MiB, or how many. */
const MORE = { heap: 1, page: 1, worker: 1, nodes: 600, listeners: 100 };
const MIB = 1 << 20;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * What `work` says that the page holds, one sample after the other: as much in the last quarter as in the second. `work` gives
 * to each sample the bytes that the page keeps on purpose; they do not count.
 */
async function flat(here, link, work) {
  const browser = await open();
  try {
    await browser.context.addInitScript(() => {
      const instantiate = WebAssembly.instantiateStreaming;
      WebAssembly.instantiateStreaming = async (...given) => {
        const made = await instantiate.apply(WebAssembly, given);
        globalThis.lentMemory ??= made.instance.exports.memory;
        return made;
      };
    });
    const visited = await visit(browser.context, here().address, link);
    const { page, heard } = visited;
    const session = await browser.context.newCDPSession(page);
    await session.send("Performance.enable");
    const held = [];
    await work(visited, async (kept = 0) => {
      await session.send("HeapProfiler.collectGarbage");
      const { metrics } = await session.send("Performance.getMetrics");
      const of = (name) => metrics.find((metric) => metric.name === name).value;
      const bytes = () => (self.lentMemory?.buffer.byteLength ?? 0);
      held.push({
        heap: of("JSHeapUsedSize") / MIB,
        page: ((await page.evaluate(bytes)) - kept) / MIB,
        worker: (await page.workers()[0].evaluate(bytes)) / MIB,
        nodes: of("Nodes"),
        listeners: of("JSEventListeners"),
        workers: page.workers().length,
      });
      return held.at(-1);
    });
    // The worker has not been replaced, and no second one is left behind.
    assert.ok(held.every(({ workers }) => workers === 1));
    for (const [what, more] of Object.entries(MORE)) {
      const part = (from, to) => median(held.slice(Math.floor(from * held.length), Math.ceil(to * held.length)).map((sample) => sample[what]));
      const [middle, end] = [part(0.25, 0.5), part(0.75, 1)];
      console.log(`  ${what}: ${middle.toFixed(1)}, then ${end.toFixed(1)}`);
      assert.ok(middle > 0 && end < middle + more, `${what}: ${middle}, then ${end}`);
    }
    assert.deepEqual(heard.console, []);
  } finally {
    await browser.close();
  }
}

/** Tests in browsers of their own, at the address that `here` gives. */
export function soak(here) {
  it(`holds no more after ${RUNS} runs in one tab than after half of them`, () =>
    flat(here, run(0)[0], async ({ page, see }, sample) => {
      for (let at = 0; at < RUNS; at++) {
        const [link, last] = run(at);
        if (at > 0) await page.evaluate((link) => (location.hash = link), link);
        await until(async () => page.url().includes(link.split("?")[0]) && (await stepOf(see)) === last, `run ${at}`);
        const held = await sample();
        if (process.env.VIVARIUM_SOAK_RUNS && at % 10 === 0) console.log(`  ${at}: ${JSON.stringify(held)}`);
      }
    }));

  it(`holds no more after ${MEASURED} measured steps than after half of them, but for their numbers`, () =>
    flat(here, `#v1/sparse-parity?n=2&k=1&width=1&batch=1&held=64&every=1&steps=${MEASURED}&halt=steps&speed=${RATE}&device=cpu`, async ({ see }, sample) => {
      for (let at = 1; at <= SAMPLES; at++) {
        const goal = Math.floor((at / SAMPLES) * MEASURED);
        await until(async () => (await stepOf(see)) >= goal, `step ${goal}`, 600);
        const held = await sample(PACKED_BYTES * (await stepOf(see)));
        if (process.env.VIVARIUM_SOAK) console.log(`  ${await stepOf(see)}: ${JSON.stringify(held)}`);
      }
    }));
}
