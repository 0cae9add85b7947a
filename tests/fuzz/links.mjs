// The page's own code for links, as WebAssembly with 32 bits, on links at random: `node links.mjs <module> [link…]`.
//
// Whatever a link says, nothing traps or panics, no task of the page's thread is long, little memory is held before a
// run begins, and the link of the result means the same.
//
// VIVARIUM_MUTATIONS=1000000 tries so many links instead of ten thousand, VIVARIUM_SEED=2 others, VIVARIUM_FROM=500000
// goes on behind so many of them, VIVARIUM_OPENED=20 reads them all and opens every twentieth, which takes most of the
// time. Links that are given are tried alone.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { Trials, compiled, setting } from "./core.mjs";
import { linkOf } from "./generator.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "../..");

/** Parts of what takes long to compute that are looked at, of each link. */
const PARTS = 4;

const [OPENED, NOTICED, ASKED, BUSY, SWEPT] = [16, 1, 2, 4, 8];

const [path, ...given] = process.argv.slice(2);
const module = compiled(path, "which module? node links.mjs <module> [link…]");
const count = setting("VIVARIUM_MUTATIONS", 10_000);
const seed = setting("VIVARIUM_SEED", 1);
const from = setting("VIVARIUM_FROM", 0);
const every = setting("VIVARIUM_OPENED", 1);

/** Whether the link is opened as a page does, besides being read. */
let isOpened = true;

function tried(core, link) {
  core.do.close();
  core.put(link);
  // What a worker draws of it may take its time.
  core.do.draw();
  core.task(() => core.do.check());
  let flags = 0;
  if (isOpened) {
    flags = OPENED | core.task(() => core.do.open());
    let isBusy = (flags & BUSY) !== 0;
    for (let part = 0; isBusy && part < PARTS; part++) isBusy = core.task(() => core.do.work()) !== 0;
  }
  const held = core.do.most_held();
  core.do.close();
  return { flags, held };
}

/** Links that are known: presets, what was recorded, and bad ones. */
function corpus(presets) {
  const lines = (file) => readFileSync(join(ROOT, file), "utf8").split("\n");
  const recorded = lines("src/view/presets/recorded.txt").filter((line) => line.startsWith("link "));
  const links = [...lines("tests/fuzz/links.txt"), ...lines("tests/golden/permalinks.txt").map((line) => line.split(" | ")[0])];
  return [...new Set([...presets, ...recorded.map((line) => line.slice(5)), ...links.filter((line) => line.startsWith("#v"))])];
}

const names = { opened: OPENED, noticed: NOTICED, asked: ASKED, busy: BUSY, swept: SWEPT };
const trials = new Trials(module, tried, names);
const bytes = (link) => new TextEncoder().encode(link);
if (given.length > 0) {
  given.forEach((link) => trials.attempt(bytes(link)));
} else {
  const length = trials.core.do.catalogue();
  const catalogue = JSON.parse(trials.core.read(trials.core.do.text(), length));
  const known = corpus(catalogue.presets);
  console.log(`${known.length} known links, then ${count} from seed ${seed}${from > 0 ? `, from number ${from} on` : ""}`);
  known.forEach((link) => trials.attempt(bytes(link)));
  trials.numbers(from, from + count, (number) => {
    isOpened = number % every === 0;
    return linkOf(seed, number, catalogue, known);
  });
  // A generator that makes nothing but refused links, or none, tests little.
  const { opened, noticed, asked, busy, swept } = trials.flags;
  const isVaried = [noticed, opened - noticed, asked, busy, swept].every((many) => many * 1000 > opened);
  if (!isVaried) {
    trials.failures += 1;
    console.error("FAILED: the links are too much alike");
  }
}
trials.end();
