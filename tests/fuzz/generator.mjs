// Links at random: in range over every setting of the catalogue, and changed ones. The same seed gives the same links.

/** Random numbers, by mulberry32 (Tommy Ettinger, 2017). */
export class Dice {
  constructor(seed, number) {
    this.state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0;
    this.share();
  }

  /** A number from 0 to 1, without 1. */
  share() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number below `end`. */
  below(end) {
    return Math.floor(this.share() * end);
  }

  /** One of them. */
  pick(list) {
    return list[this.below(list.length)];
  }

  /** So many, made one after the other. */
  many(count, one) {
    return Array.from({ length: count }, one);
  }
}

/** A whole number from `low` to `high`: an end, a power of two, or any, small ones as often as large ones. */
function whole(dice, low, high) {
  const between = (value) => Math.min(high, Math.max(low, Math.floor(value)));
  switch (dice.below(8)) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return between(2 ** dice.below(Math.log2(high + 1) + 1) - dice.below(2));
    case 3:
    case 4:
      return between(low + dice.share() * (high - low + 1));
    default:
      return between(low + Math.exp(dice.share() * Math.log(high - low + 1)) - 1);
  }
}

/** A number from `low` to `high`, likewise. */
function real(dice, low, high) {
  const span = high - low;
  switch (dice.below(5)) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return low + span * dice.share();
    default:
      return Number((low + span * 10 ** (-7 * dice.share())).toPrecision(1 + dice.below(4)));
  }
}

/** How long a list is: mostly short. */
const length = (dice, most) => (dice.below(6) === 0 ? most : Math.min(most, 1 + dice.below(6)));

/** The products of a cyclic group, with a few changed ones at times. */
function table(dice, most) {
  const rows = whole(dice, 1, most);
  const entries = dice.many(rows * rows, (_, at) => (Math.floor(at / rows) + at) % rows);
  if (dice.below(3) === 0) entries[dice.below(entries.length)] = dice.below(rows + 1);
  return entries.join(".");
}

/** A setting with several values, out of those of a run. */
function axis(dice, settings) {
  const numbers = settings.filter(({ range }) => range.kind === "int" || range.kind === "real");
  const { key, range } = dice.pick(dice.below(3) === 0 ? settings : numbers);
  if (dice.below(3) > 0 || !["int", "real"].includes(range.kind)) {
    return `${key}:${dice.many(length(dice, 40), () => value(dice, range, [])).join("_")}`;
  }
  const ends = dice.many(2, () => value(dice, range, [])).sort((a, b) => a - b);
  const count = dice.pick([2, 8, 16, 32, 64, 300, 1000]);
  return `${key}:${dice.pick(["lin", "log"])}:${ends.join("..")}:${count}`;
}

/** A formula over some bits, a truth table, or neither. */
function formula(dice) {
  const kind = dice.below(8);
  if (kind === 0) return written(dice, 40);
  if (kind === 1) return `0x${dice.many(2 ** dice.below(8), () => "0123456789abcdef"[dice.below(16)]).join("")}`;
  if (kind === 2) return "~(".repeat(dice.below(300)) + "x1";
  const part = (depth) => {
    if (depth === 0 || dice.below(3) === 0) return `${dice.pick(["", "~", "not_"])}x${1 + dice.below(4)}`;
    if (dice.below(4) === 0) return `maj(${dice.many(3, () => part(depth - 1)).join(",")})`;
    return `(${part(depth - 1)}${dice.pick(["*", "+", "@", "_and_", "_xor_"])}${part(depth - 1)})`;
  };
  return part(3);
}

/** The text of a value in `range`; `settings` are those that a sweep can have. */
function value(dice, range, settings) {
  const { kind, low, high, most, options } = range;
  const numbers = (count) => dice.many(count, () => whole(dice, low, high));
  switch (kind) {
    case "int":
      return String(whole(dice, Number(low), Number(high)));
    case "real":
      return String(real(dice, low, high));
    case "choice":
      return dice.pick(options);
    case "set":
      return dice.many(length(dice, options.length), () => dice.pick(options)).join(".");
    case "list":
      return [...new Set(numbers(dice.below(10) === 0 ? 64 : dice.below(10)))].join(".");
    case "sizes":
      return numbers(length(dice, most)).join(".");
    case "numbers":
      return numbers(dice.below(5) === 0 ? 0 : length(dice, most)).join(".");
    case "table":
      return table(dice, most);
    case "schedule": {
      const steps = numbersUpwards(dice, length(dice, 64));
      return steps.map((step) => `${step}:${real(dice, low, high)}`).join("_");
    }
    case "points":
      return dice.many(length(dice, most), () => `${real(dice, low, high)}:${real(dice, low, high)}`).join("_");
    case "text":
      return dice.below(2) === 0 ? text(dice, most) : written(dice, most);
    case "formula":
      return formula(dice).slice(0, most);
    case "axis":
      return settings.length > 0 ? axis(dice, settings) : "";
    case "axes":
      return settings.length > 0 ? dice.many(length(dice, 20), () => axis(dice, settings)).join(",") : "";
    default:
      throw new Error(`links of the kind "${kind}" are not known here`);
  }
}

/** Rules of a machine as they stand in a link, most of which fit together, or a word over its symbols. */
function text(dice, most) {
  if (dice.below(3) === 0) {
    return dice.many(dice.below(12), () => dice.pick(["0", "1", "_", "+", "~", "!23!"])).join("");
  }
  const states = 1 + dice.below(dice.below(8) === 0 ? 30 : 5);
  const symbols = ["_", "0", "1", "x", "!23!"].slice(0, 1 + dice.below(5));
  const rules = [];
  for (let state = 0; state < states; state += 1) {
    for (const symbol of symbols.filter(() => dice.below(8) > 0)) {
      const next = dice.below(9) === 0 ? "halt" : `q${dice.below(states)}`;
      rules.push(`q${state}~${symbol}~~${dice.pick(symbols)}~${dice.pick(["L", "R", "S"])}~${next}`);
    }
  }
  return rules.join(";").slice(0, most);
}

/** Lines of a text as it stands in a link, some of them of a circuit. */
function written(dice, most) {
  const name = () => dice.pick(["a", "b", "c", "s", "t", "out"]);
  const line = () => dice.pick([`${name()}=${name()}~and~${name()}`, `${name()}=${name()}~or~${name()}`, `${name()}=not~${name()}`, "inputs~a~b", "!2192!", "~", ""]);
  return dice.many(length(dice, 60), line).join(";").slice(0, most);
}

function numbersUpwards(dice, count) {
  let step = 0;
  return dice.many(count, () => (step += 1 + whole(dice, 0, 100000)));
}

/** A link as long as links are: all of its lists, and all of them full. */
function full(dice, catalogue, { task, model, optimizer }) {
  const settings = [...task.settings, ...model.settings, ...optimizer.settings, ...catalogue.run];
  const counts = (key) => settings.some((setting) => setting.key === key && setting.range.kind === "int");
  const countable = settings.filter(({ range }) => range.kind === "int" && Number(range.high) > 1000);
  const text = ({ key, range: { kind, low, high, most } }) => {
    switch (kind) {
      case "schedule": {
        let step = dice.pick([0n, 10n ** 15n, 18446744073709551000n]);
        return dice.many(64, () => `${(step += 1n + BigInt(dice.below(4)))}:${low + (high - low) * dice.share()}`).join("_");
      }
      case "text":
        return "1".repeat(most);
      case "formula":
        return "x1*".repeat(most).slice(0, most);
      case "points":
        return dice.many(most, () => `${low + (high - low) * dice.share()}:${low}`).join("_");
      case "axis": {
        // Whole numbers on a logarithmic axis, the repeated ones left out: no range says which are left.
        const { key } = dice.pick(countable);
        return counts(key) ? `${key}:log:${1 + dice.below(99)}..${1000 + dice.below(3096)}:${300 + dice.below(500)}` : "";
      }
      case "list":
        return [...new Set(dice.many(64, () => whole(dice, Math.max(low, high - 999), high)))].join(".");
      case "numbers":
        return dice.many(most, () => whole(dice, low, high)).join(".");
      case "sizes":
        return dice.many(most, () => whole(dice, low, Math.min(high, 99))).join(".");
      case "table":
        return dice.many(most * most, (_, at) => 100 + ((Math.floor(at / most) + at) % most)).join(".");
      default:
        return "";
    }
  };
  const lists = [...settings, ...catalogue.view, ...task.theory].map((setting) => [setting.key, text(setting)]);
  return lists.filter(([, text]) => text !== "" && dice.below(8) > 0).map(([key, text]) => `${key}=${text}`);
}

/** A link whose values are each in range; they need not go together. */
export function inRange(dice, catalogue) {
  const task = dice.pick(catalogue.tasks);
  const suits = dice.below(8) > 0 && task.models.length > 0;
  const slugs = suits ? task.models : catalogue.models.map((model) => model.slug);
  const slug = dice.pick(slugs);
  const model = catalogue.models.find((model) => model.slug === slug);
  const optimizer = dice.pick(catalogue.optimizers);
  const pairs = [];
  if (dice.below(10) > 0) pairs.push(`${catalogue.modelKey}=${slug}`);
  if (dice.below(2) > 0) pairs.push(`${catalogue.optimizerKey}=${optimizer.slug}`);
  const swept = [...task.settings, ...model.settings, ...optimizer.settings, ...catalogue.run];
  // What makes a run large is in these, so they come more often than their number.
  const groups = [task.settings, task.settings, model.settings, model.settings, optimizer.settings, catalogue.run, catalogue.run];
  groups.push(catalogue.view, task.theory);
  const count = dice.below(dice.pick([4, 8, 16, 40]));
  for (let at = 0; at < count; at++) {
    const group = dice.pick(groups);
    if (group.length === 0) continue;
    const { key, range } = dice.pick(group);
    // Most links are of one run, and most sweeps are refused.
    if (["axis", "axes"].includes(range.kind) && dice.below(3) > 0) continue;
    pairs.push(`${key}=${value(dice, range, swept)}`);
  }
  if (dice.below(12) === 0) pairs.push(teaching(dice, catalogue, swept));
  if (dice.below(200) === 0) pairs.push(...full(dice, catalogue, { task, model, optimizer }));
  return `#v1/${task.slug}?${pairs.join("&")}`;
}

/** A teacher's part of a link. */
function teaching(dice, { reserved, parts }, settings) {
  const names = () => dice.many(1 + dice.below(4), () => (dice.below(2) ? dice.pick(parts) : dice.pick(settings).key));
  return `${dice.pick(reserved)}=${dice.pick(["", "on", "100", "1000000000", names().join(",")])}`;
}

/** Numbers that 32 bits, 64 bits or a browser cannot hold, and what looks like numbers. */
const NUMBERS = (
  "-1 -0 0 1 2 7 127 128 129 255 256 999 1000 4095 4096 4097 16384 65535 65536 65537 99999999 2147483647 2147483648 " +
  "4294967295 4294967296 4294967297 9007199254740991 9007199254740993 18446744073709551615 18446744073709551616 " +
  "1e5 1e9 1e15 1e19 1e308 1e309 1e999 -1e308 1e-320 0.1 0.5 .5 5. 1.0000000001 nan NaN inf infinity +5 1_000 0x10 ٣"
).split(" ");

const PIECES = (
  "& && = == ? ?? # #v1/ #v2/ / // . .. , _ : :: % %% %2 %25 %26 %3D %00 %FF %C0%80 %E2%82 %F0%9F%90%A0 + - é 🐠 \u0000 " +
  "\u2028 <script> lin: log: .. from=maximum batch=0 replicas=4096 sweep=seed:lin:1..300:300 series=k:2_3 model= opt= " +
  "lock= hide= embed at=99 show= v1 null undefined __proto__ n= width= held=65536 every=1 steps=10000000"
).split(" ");

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** `link`, as bytes, with a few changes; parts of `other` may come into it. */
export function changed(dice, link, other) {
  let bytes = [...encoder.encode(link)];
  const text = () => decoder.decode(Uint8Array.from(bytes));
  const put = (from, to, part) => bytes.splice(from, to - from, ...encoder.encode(part));
  for (let edits = 1 + dice.below(4); edits > 0; edits--) {
    const from = dice.below(bytes.length + 1);
    const to = Math.min(bytes.length, from + dice.below(24));
    switch (dice.below(14)) {
      case 0:
        if (from < bytes.length) bytes[from] ^= 1 << dice.below(8);
        break;
      case 1:
        if (from < bytes.length) bytes[from] = dice.below(256);
        break;
      case 2:
        bytes.splice(from, to - from);
        break;
      case 3:
        bytes.length = from;
        break;
      case 4:
        bytes.splice(dice.below(bytes.length + 1), 0, ...bytes.slice(from, to));
        break;
      case 5:
        put(from, to, dice.pick(PIECES));
        break;
      case 6:
        put(from, from, dice.pick(PIECES));
        break;
      case 7: {
        // What comes behind a place is that of the other link.
        const behind = encoder.encode(other);
        bytes.splice(from, bytes.length - from, ...behind.slice(dice.below(behind.length + 1)));
        break;
      }
      case 8: {
        const escaped = bytes.slice(from, to).map((byte) => `%${byte.toString(16).padStart(2, "0")}`);
        put(from, to, escaped.join(""));
        break;
      }
      case 9: {
        // A key once more, with the value of another.
        const pairs = text().split(/[?&]/).slice(1);
        if (pairs.length === 0) break;
        const [key] = dice.pick(pairs).split("=");
        const given = dice.pick(pairs).split("=")[1] ?? "";
        put(bytes.length, bytes.length, `&${key}=${dice.below(2) ? given : dice.pick(NUMBERS)}`);
        break;
      }
      case 10:
        if (bytes.length < 4000) bytes = [...bytes, ...bytes];
        break;
      default: {
        const numbers = [...text().matchAll(/\d+/g)];
        if (numbers.length === 0) break;
        const at = dice.pick(numbers);
        bytes = [...encoder.encode(text())];
        const before = encoder.encode(text().slice(0, at.index)).length;
        put(before, before + at[0].length, dice.pick(NUMBERS));
      }
    }
  }
  return Uint8Array.from(bytes);
}

/** Link number `number` of a seed, as bytes; `corpus` holds links that are known. */
export function linkOf(seed, number, catalogue, corpus) {
  const dice = new Dice(seed, number);
  const known = () => (dice.below(2) ? dice.pick(corpus) : inRange(dice, catalogue));
  return dice.below(2) ? encoder.encode(inRange(dice, catalogue)) : changed(dice, known(), known());
}
