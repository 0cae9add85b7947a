// The page's own code for links, as WebAssembly with 32 bits, on links at random: `node links.mjs <module> [link…]`.
//
// Whatever a link says, nothing traps or panics, no task of the page's thread is long, little memory is held before a
// run begins, and the link of the result means the same.
//
// VIVARIUM_MUTATIONS=1000000 tries so many links instead of ten thousand, VIVARIUM_SEED=2 others, VIVARIUM_OPENED=20
// reads them all and opens every twentieth, which takes most of the time. Links that are given are tried alone.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { linkOf } from "./generator.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "../..");

/** Longest task of the page's thread, in ms: five times what is promised, since machines that test are busy. */
const LIMIT_MS = 250;
/** What is promised of a task; how many links took longer is said. */
const PROMISE_MS = 50;
/** From so many ms on, a task is tried again: another program may have been in the way. */
const DOUBT_MS = 20;
/** How often. */
const TRIES = 3;
/** Parts of what takes long to compute that are looked at, of each link. */
const PARTS = 4;
/** Most that may be held for one link, in bytes. */
const LIMIT_HELD = 64 << 20;
/** Memory that the module gets at most, in pages of 64 KiB. */
const LIMIT_PAGES = 2048;
/** Most failures that are told. */
const MOST_TOLD = 20;

const [path, ...given] = process.argv.slice(2);
if (!path) throw new Error("which module? node links.mjs <module> [link…]");
const count = Number(process.env.VIVARIUM_MUTATIONS ?? 10_000);
const seed = Number(process.env.VIVARIUM_SEED ?? 1);
const opened = Number(process.env.VIVARIUM_OPENED ?? 1);
const module = new WebAssembly.Module(readFileSync(path));
const text = (bytes) => new TextDecoder().decode(bytes);

/** The module, begun anew. */
class Page {
  constructor() {
    this.memory = new WebAssembly.Memory({ initial: 128, maximum: LIMIT_PAGES });
    this.panic = "";
    const strange = (name) => () => {
      throw new Error(`the core calls ${name}, which only a page has`);
    };
    const imports = { env: { memory: this.memory }, node: { panicked: (at, length) => (this.panic = this.read(at, length)) } };
    for (const { module: room, name } of WebAssembly.Module.imports(module)) {
      imports[room] ??= {};
      imports[room][name] ??= strange(name);
    }
    this.do = new WebAssembly.Instance(module, imports).exports;
    this.do.start();
  }

  read(at, length) {
    return text(new Uint8Array(this.memory.buffer, at, length).slice());
  }

  catalogue() {
    const length = this.do.catalogue();
    return JSON.parse(this.read(this.do.text(), length));
  }

  put(link) {
    const at = this.do.room(link.length);
    new Uint8Array(this.memory.buffer, at, link.length).set(link);
  }

  /**
   * Reads a link, and opens it as a page does if `isOpened`: how long each task took in ms, what the link is, and how
   * many bytes were held.
   */
  take(link, isOpened) {
    this.do.close();
    this.put(link);
    const times = [];
    const task = (work) => {
      const [before, used] = [performance.now(), process.cpuUsage()];
      const result = work();
      const { user, system } = process.cpuUsage(used);
      // On a busy machine other programs have their turn meanwhile, and other threads of this one compile.
      times.push(Math.min(performance.now() - before, (user + system) / 1000));
      return result;
    };
    this.do.draw();
    task(() => this.do.check());
    const flags = isOpened ? task(() => this.do.open()) : 0;
    let isBusy = (flags & BUSY) !== 0;
    for (let part = 0; isBusy && part < PARTS; part++) isBusy = task(() => this.do.work()) !== 0;
    const held = this.do.most_held();
    this.do.close();
    return { times, flags, held };
  }
}

const [NOTICED, ASKED, BUSY, SWEPT] = [1, 2, 4, 8];

/** Links that are known: presets, what was recorded, and bad ones. */
function corpus(presets) {
  const lines = (file) => readFileSync(join(ROOT, file), "utf8").split("\n");
  const recorded = lines("src/presets/recorded.txt").filter((line) => line.startsWith("link "));
  const links = [...lines("tests/fuzz/links.txt"), ...lines("tests/golden/permalinks.txt").map((line) => line.split(" | ")[0])];
  return [...new Set([...presets, ...recorded.map((line) => line.slice(5)), ...links.filter((line) => line.startsWith("#v"))])];
}

let page = new Page();
const catalogue = page.catalogue();
const known = corpus(catalogue.presets);
const total = { links: 0, opened: 0, noticed: 0, asked: 0, busy: 0, swept: 0, late: 0 };
let slowest = { ms: 0, link: "" };
let largest = { held: 0, link: "" };
let failures = 0;

function fail(link, why) {
  failures += 1;
  if (failures > MOST_TOLD) return;
  console.error(`FAILED: ${why}\n  ${JSON.stringify(text(link))}`);
  // Bytes that are no text are seen in hexadecimal only.
  if (text(link).includes("\ufffd")) console.error(`  ${Buffer.from(link).toString("hex")}`);
}

function attempt(link, isOpened = true) {
  total.links += 1;
  if (isOpened) total.opened += 1;
  try {
    let { times, flags, held } = page.take(link, isOpened);
    for (let again = 1; again < TRIES && Math.max(...times) > DOUBT_MS; again++) {
      const others = page.take(link, isOpened).times;
      times = times.map((ms, at) => Math.min(ms, others[at]));
    }
    const ms = Math.max(...times);
    if (ms > slowest.ms) slowest = { ms, link: text(link) };
    if (held > largest.held) largest = { held, link: text(link) };
    for (const [name, flag] of Object.entries({ noticed: NOTICED, asked: ASKED, busy: BUSY, swept: SWEPT })) {
      if (flags & flag) total[name] += 1;
    }
    if (ms > PROMISE_MS) total.late += 1;
    if (ms > LIMIT_MS) fail(link, `a task of ${ms.toFixed(0)} ms, where ${LIMIT_MS} are the most (number ${times.indexOf(ms)})`);
    if (held > LIMIT_HELD) fail(link, `${held} bytes are held, where ${LIMIT_HELD} are the most`);
  } catch (trap) {
    fail(link, page.panic || String(trap.stack));
    // What has trapped is in no state to go on.
    page = new Page();
  }
}

function told() {
  const shares = Object.entries(total).map(([name, number]) => `${number} ${name}`);
  console.log(`${shares.join(", ")}; ${page.memory.buffer.byteLength >> 20} MiB of memory`);
  console.log(`slowest task: ${slowest.ms.toFixed(1)} ms, ${JSON.stringify(slowest.link)}`);
  console.log(`most held: ${(largest.held / 2 ** 20).toFixed(1)} MiB, ${JSON.stringify(largest.link)}`);
}

const begun = performance.now();
const bytes = (link) => new TextEncoder().encode(link);
if (given.length > 0) {
  given.forEach((link) => attempt(bytes(link)));
} else {
  console.log(`${known.length} known links, then ${count} from seed ${seed}`);
  known.forEach((link) => attempt(bytes(link)));
  for (let number = 0; number < count; number++) {
    attempt(linkOf(seed, number, catalogue, known), number % opened === 0);
    if ((number + 1) % 100_000 === 0) told();
  }
  // A generator that makes nothing but refused links, or none, tests little.
  const { noticed, asked, busy, swept } = total;
  const isVaried = [noticed, total.opened - noticed, asked, busy, swept].every((many) => many * 1000 > total.opened);
  if (!isVaried) {
    failures += 1;
    console.error("FAILED: the links are too much alike");
  }
}
told();
console.log(`${failures} failures in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
process.exitCode = failures > 0 ? 1 : 0;
