// The page's own code as WebAssembly, begun, and what every trial of it counts.

import { readFileSync } from "node:fs";

/** Longest task of the page's thread, in ms: five times what is promised, since machines that test are busy. */
const LIMIT_MS = 250;
/** What is promised of a task; how many took longer is said. */
const PROMISE_MS = 50;
/** From so many ms on, a task is tried again, and the processor's time is taken: another program may have been in the way. */
const DOUBT_MS = 20;
/** How often. */
const TRIES = 3;
/** Most that may be held for one link or file, in bytes. */
const LIMIT_HELD = 64 << 20;
/** Memory that the module gets at most, in pages of 64 KiB. */
const LIMIT_PAGES = 2048;
/** Most failures that are told. */
const MOST_TOLD = 20;

export const text = (bytes) => new TextDecoder().decode(bytes);

/** A number that an environment variable may change. */
export const setting = (name, usual) => Number(process.env[name] ?? usual);

/** Compiles the module that the command line names. */
export function compiled(path, usage) {
  if (!path) throw new Error(usage);
  return new WebAssembly.Module(readFileSync(path));
}

/** The module, begun anew. */
export class Core {
  constructor(module) {
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
    this.times = [];
    /** Whether times are looked at closely, since a task took long the first time. */
    this.isDoubted = false;
  }

  read(at, length) {
    return text(new Uint8Array(this.memory.buffer, at, length).slice());
  }

  put(bytes) {
    const at = this.do.room(bytes.length);
    new Uint8Array(this.memory.buffer, at, bytes.length).set(bytes);
  }

  /** Does a task of a page's thread, and remembers how many ms it took. */
  task(work) {
    const used = this.isDoubted ? process.cpuUsage() : null;
    const before = performance.now();
    const result = work();
    const took = performance.now() - before;
    // On a busy machine other programs have their turn meanwhile, and other threads of this one compile. To ask for the
    // processor's time takes a tenth of a millisecond on some.
    const { user, system } = used ? process.cpuUsage(used) : { user: Infinity, system: 0 };
    this.times.push(Math.min(took, (user + system) / 1000));
    return result;
  }
}

/** Trials one after the other, and what they came to. */
export class Trials {
  /**
   * `module` is tried; `tried(core, bytes)` does the tasks of one trial and returns its flags and the bytes that it held;
   * `names` are the words for the flags.
   */
  constructor(module, tried, names) {
    Object.assign(this, { module, tried, names });
    this.core = new Core(module);
    this.count = 0;
    this.failures = 0;
    this.late = 0;
    this.flags = Object.fromEntries(Object.keys(names).map((name) => [name, 0]));
    this.slowest = { ms: 0, of: "" };
    this.largest = { held: 0, of: "" };
    this.begun = performance.now();
  }

  fail(bytes, why) {
    this.failures += 1;
    if (this.failures > MOST_TOLD) return;
    console.error(`FAILED: ${why}\n  ${JSON.stringify(text(bytes))}`);
    // Bytes that are no text are seen in hexadecimal only.
    if (text(bytes).includes("\ufffd")) console.error(`  ${Buffer.from(bytes).toString("hex")}`);
  }

  once(bytes, isDoubted = false) {
    Object.assign(this.core, { times: [], isDoubted });
    const { flags, held } = this.tried(this.core, bytes);
    return { times: this.core.times, flags, held };
  }

  attempt(bytes) {
    this.count += 1;
    try {
      let { times, flags, held } = this.once(bytes);
      for (let again = 1; again < TRIES && Math.max(...times) > DOUBT_MS; again++) {
        const others = this.once(bytes, true).times;
        times = times.map((ms, at) => Math.min(ms, others[at]));
      }
      const ms = Math.max(...times);
      if (ms > this.slowest.ms) this.slowest = { ms, of: text(bytes) };
      if (held > this.largest.held) this.largest = { held, of: text(bytes) };
      for (const [name, flag] of Object.entries(this.names)) {
        if (flags & flag) this.flags[name] += 1;
      }
      if (ms > PROMISE_MS) this.late += 1;
      if (ms > LIMIT_MS) this.fail(bytes, `a task of ${ms.toFixed(0)} ms, where ${LIMIT_MS} are the most (number ${times.indexOf(ms)})`);
      if (held > LIMIT_HELD) this.fail(bytes, `${held} bytes are held, where ${LIMIT_HELD} are the most`);
    } catch (trap) {
      this.fail(bytes, this.core.panic || String(trap.stack));
      // What has trapped is in no state to go on.
      this.core = new Core(this.module);
    }
  }

  /** Trial numbers from `from` to before `end`, each of the bytes that `make` gives, with a word on each 100,000. */
  numbers(from, end, make) {
    for (let number = from; number < end; number++) {
      this.attempt(make(number));
      if ((number + 1) % 100_000 === 0) this.tell(`up to number ${number + 1}: `);
    }
  }

  tell(before = "") {
    const shares = Object.entries({ ...this.flags, late: this.late, failed: this.failures });
    const words = shares.map(([name, number]) => `${number} ${name}`).join(", ");
    const seconds = (performance.now() - this.begun) / 1000;
    console.log(`${before}${this.count} in ${seconds.toFixed(0)} s (${words}); ${this.core.memory.buffer.byteLength >> 20} MiB of memory`);
    console.log(`  slowest task: ${this.slowest.ms.toFixed(1)} ms, ${JSON.stringify(this.slowest.of)}`);
    console.log(`  most held: ${(this.largest.held / 2 ** 20).toFixed(1)} MiB, ${JSON.stringify(this.largest.of)}`);
  }

  /** Says what it came to, and lets the process fail where something did. */
  end() {
    this.tell();
    console.log(`${this.failures} failures`);
    process.exitCode = this.failures > 0 ? 1 : 0;
  }
}
