// The page's own code for files and for entries of its storage, as WebAssembly with 32 bits, on changed ones:
// `node files.mjs <module> [run|weights|table|entry]`.
//
// Whatever a file holds, it is refused with a sentence and nothing has changed, or the page shows it: nothing traps or
// panics, no task of the page's thread is long, little memory is held, and what is saved of it can be opened again.
//
// VIVARIUM_MUTATIONS=1000000 tries so many of each kind instead of ten thousand, VIVARIUM_SEED=2 others,
// VIVARIUM_FROM=500000 goes on behind so many of them.

import { Trials, compiled, setting } from "./core.mjs";
import { Dice } from "./generator.mjs";

const KINDS = ["run", "weights", "table", "entry"];
const [TAKEN, ILLEGIBLE] = [1, 2];

const [path, ...given] = process.argv.slice(2);
const module = compiled(path, `which module? node files.mjs <module> [${KINDS.join("|")}]`);
const count = setting("VIVARIUM_MUTATIONS", 10_000);
const seed = setting("VIVARIUM_SEED", 1);
const from = setting("VIVARIUM_FROM", 0);

const PIECES = (
  "\" \\ { } [ ] , : \n ; \t null true false -1 0 1e999 -1e308 1e308 3.5e38 1e-400 nan 18446744073709551615 9007199254740993 " +
  "9007199254740992 4294967296 4294967295 2147483648 99999 \u0000 \ufeff é \\ud800 [[[[[[ {\"a\":{ \"rows\":[ \"solved\": " +
  "\"format\":\"vivarium-run\", \"version\":9, replicas=4096 replicas=1 steps=10000000 every=1 sweep=seed:lin:1..9:9 lrs=1:0.5 " +
  "show= x=log y=log count=examples step F32 [0,4] [0,0] \"step\":9007199254740992 \"step\":0 \"ending\":\"diverged\""
).split(" ").map((piece) => new TextEncoder().encode(piece));

/** The bytes with what is from `from` to before `to` replaced. */
function spliced(bytes, from, to, part) {
  const out = new Uint8Array(bytes.length - (to - from) + part.length);
  out.set(bytes.subarray(0, from));
  out.set(part, from);
  out.set(bytes.subarray(to), from + part.length);
  return out;
}

/** Where the numbers of the text stand. */
function numbersIn(bytes) {
  const isDigit = (byte) => byte >= 48 && byte <= 57;
  const found = [];
  for (let at = 0; at < bytes.length; at++) {
    if (!isDigit(bytes[at])) continue;
    const begin = at;
    while (at < bytes.length && (isDigit(bytes[at]) || bytes[at] === 46)) at++;
    found.push([begin, at]);
  }
  return found;
}

/** A few changes; `other` is another sample. */
function changed(dice, sample, other) {
  let bytes = sample;
  for (let edits = 1 + dice.below(3); edits > 0; edits--) {
    const at = dice.below(bytes.length + 1);
    const end = Math.min(bytes.length, at + dice.below(24));
    switch (dice.below(9)) {
      case 0:
      case 1: {
        if (at === bytes.length) break;
        const byte = dice.below(2) ? bytes[at] ^ (1 << dice.below(8)) : dice.below(256);
        bytes = spliced(bytes, at, at + 1, [byte]);
        break;
      }
      case 2:
        bytes = spliced(bytes, at, end, []);
        break;
      case 3:
        // Where most of it is gone, little is tried.
        if (dice.below(4) === 0) bytes = bytes.subarray(0, at);
        break;
      case 4: {
        const to = dice.below(bytes.length + 1);
        bytes = spliced(bytes, to, to, bytes.slice(at, end));
        break;
      }
      case 5: {
        // A part of another one.
        const begin = dice.below(other.length + 1);
        bytes = spliced(bytes, at, end, other.subarray(begin, begin + dice.below(200)));
        break;
      }
      case 6:
        bytes = spliced(bytes, at, at, dice.pick(PIECES));
        break;
      default: {
        const numbers = numbersIn(bytes);
        if (numbers.length > 0) bytes = spliced(bytes, ...dice.pick(numbers), dice.pick(PIECES));
      }
    }
  }
  return bytes;
}

function samples(core, kind) {
  const all = [];
  for (let which = 0; ; which++) {
    const length = core.do.sample(kind, which);
    if (length === 0) return all;
    all.push(new Uint8Array(core.memory.buffer, core.do.text(), length).slice());
  }
}

/** Tries `count` of a kind; how many failed. */
function all(kind) {
  const tried = (core, bytes) => {
    core.do.close();
    core.put(bytes);
    const flags = core.task(() => core.do.open_file(kind));
    const held = core.do.most_held();
    // Several tasks in one, which are not long either.
    if (flags & TAKEN) core.task(() => core.do.use_file());
    core.do.close();
    return { flags, held };
  };
  const trials = new Trials(module, tried, { taken: TAKEN, illegible: ILLEGIBLE });
  const known = samples(trials.core, kind);
  console.log(`${KINDS[kind]}: ${known.length} samples, then ${count} changed ones from seed ${seed}`);
  known.forEach((sample) => trials.attempt(sample));
  if (trials.flags.taken !== known.length) {
    trials.failures += 1;
    console.error("FAILED: not all samples are taken");
  }
  trials.numbers(from, from + count, (number) => {
    const dice = new Dice(seed * 4 + kind, number);
    return changed(dice, dice.pick(known), dice.pick(known));
  });
  const { taken } = trials.flags;
  if (!(taken * 50 > trials.count && taken < trials.count)) {
    trials.failures += 1;
    console.error("FAILED: nearly all are taken, or refused");
  }
  trials.end();
  return trials.failures;
}

const wanted = given.length > 0 ? given.map((name) => KINDS.indexOf(name)) : KINDS.keys();
let failures = 0;
for (const kind of wanted) failures += all(kind);
process.exitCode = failures > 0 ? 1 : 0;
