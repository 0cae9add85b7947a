// What the browser tests and the browser benches share: a static server, a browser, and the command line.
//
// Environment: DIST (the built page), CHROME (a Chromium), NODE_PATH (where playwright-core is).

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const DIST = process.env.DIST ?? "dist";
const CHROME = process.env.CHROME ?? "/usr/bin/chromium";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
  ".txt": "text/plain; charset=utf-8",
};

/** A file's name without the name of its build or the sum of its contents. */
export const plain = (name) => name.replace(/-[0-9a-f]{12,16}(?=[._])/, "");

/** The sum by which a browser checks a file. */
export const integrity = (bytes) => `sha256-${createHash("sha256").update(bytes).digest("base64")}`;

/** Gives every sum in a service worker's list anew that `sum` gives another for; a file is named there as on the server. */
export const withSums = (program, sum) =>
  program.replace(/^( {2}"([^"]+)": ")sha256-[^"]+(",)$/gm, (line, before, name, after) => {
    const found = sum(name);
    return found ? before + found + after : line;
  });

/** How a file may be compressed on its way. */
const COMPRESS = { gzip: (bytes) => gzipSync(bytes, { level: 6 }), br: (bytes) => brotliCompressSync(bytes) };

/**
 * Serves the page below a sub-path, as GitHub Pages does; `edit` may change a file's text on its way, by its plain name,
 * or have it missing where it is null (what is missing is 404.html with its status), and `folders` serves others beside the page, like `{ "/tools/": "node_modules" }`.
 * The sums of changed files are changed with them. Each answer has `headers`; `encoding`, "gzip" or "br", compresses them as
 * a static host does, and `pace` sends what is compressed, such as a `line`. `deploy` serves another build from then on.
 * `host` is how a server may be set up: `types` by the end of a file's name, `cut` for files that end after so many bytes,
 * by their plain names, `packed` for files that it compresses without a word, `isSinglePage` where it sends the page for whatever is missing, and `isSlashless` where it sends the
 * page for the folder without its slash.
 */
export async function serve(edit = {}, folders = {}, headers = {}, encoding = null, pace = null, host = {}) {
  let dist = DIST;
  const compressed = new Map();
  const sum = (name) => {
    const [change, file] = name === "./" ? [edit[""], "index.html"] : [edit[plain(name)], name];
    return change && integrity(change(readFileSync(join(dist, file), "utf8")));
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    const inside = normalize(path.replace(/^\/sub\/path\//, "/"));
    const [below, root] = Object.entries({ ...folders, "/": dist }).find(([start]) => inside.startsWith(start));
    const change = edit[plain(inside.slice(1))];
    let file = join(root, inside.slice(below.length));
    if (existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
    const isPage = host.isSlashless && path === "/sub/path";
    const isMissing = !path.startsWith("/sub/path/") || !file.startsWith(normalize(root)) || !existsSync(file) || change === null;
    if (isPage || (isMissing && host.isSinglePage)) {
      response.writeHead(200, { ...headers, "content-type": TYPES[".html"] }).end(readFileSync(join(dist, "index.html")));
      return;
    }
    if (isMissing) {
      // As GitHub Pages does, for scripts and programs too.
      response.writeHead(404, { ...headers, "content-type": TYPES[".html"] }).end(readFileSync(join(dist, "404.html")));
      return;
    }
    const type = host.types?.[extname(file)] ?? TYPES[extname(file)] ?? "application/octet-stream";
    const length = host.cut?.[plain(inside.slice(1))];
    if (length !== undefined) {
      response.writeHead(200, { ...headers, "content-type": type }).end(readFileSync(file).subarray(0, length));
      return;
    }
    if (host.packed?.includes(plain(inside.slice(1)))) {
      response.writeHead(200, { ...headers, "content-type": type }).end(COMPRESS.br(readFileSync(file)));
      return;
    }
    if (encoding && !change && inside !== "/service-worker.js" && extname(file) !== ".png") {
      if (!compressed.has(file)) compressed.set(file, COMPRESS[encoding](readFileSync(file)));
      const etag = `"${Math.round(statSync(file).mtimeMs)}-${compressed.get(file).length}"`;
      if (request.headers["if-none-match"] === etag) {
        response.writeHead(304, { ...headers, etag }).end();
        return;
      }
      response.writeHead(200, { ...headers, etag, "content-type": type, "content-encoding": encoding });
      if (pace) pace(response, compressed.get(file));
      else response.end(compressed.get(file));
      return;
    }
    response.writeHead(200, { ...headers, "content-type": type });
    const isKeeper = inside === "/service-worker.js";
    if (change || isKeeper) {
      let text = readFileSync(file, "utf8");
      if (isKeeper) text = withSums(text, sum);
      response.end(change ? change(text) : text);
    } else {
      createReadStream(file).pipe(response);
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}/sub/path/`;
  return { address, deploy: (folder) => (dist = folder), close: () => server.close() };
}

/**
 * One line to the server, which all answers share: for `latency` ms nothing comes, then the answers take turns. Chromium's
 * own throttling knows the page's requests, and not those of its workers.
 */
export function line(bytesPerSecond, latency) {
  let free = 0;
  return async (response, bytes) => {
    await sleep(latency);
    for (let at = 0; at < bytes.length && !response.destroyed; at += 8192) {
      const part = bytes.subarray(at, at + 8192);
      free = Math.max(free, performance.now()) + (part.length / bytesPerSecond) * 1000;
      await sleep(free - performance.now());
      response.write(part);
    }
    response.end();
  };
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const FLAGS = [
  // The new headless mode, which has WebGPU, is a flag of the ordinary browser.
  "--headless=new", "--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
];

/** A visitor who has opened the details of a run once: charts, settings and numbers are what most tests look at. */
const seesDetails = (context) => context.addInitScript(() => {
  try {
    localStorage.setItem("vivarium.view", localStorage.getItem("vivarium.view") ?? "details");
  } catch {
    // An empty page has no storage.
  }
});

/**
 * A browser, with WebGPU simulated on the CPU or without WebGPU; with the details of runs opened, or, without `details`, that
 * of somebody who has never been here; and with texts of `fontSize` pixels, which people choose in the browser's settings.
 */
export async function open({ gpu = false, details = true, fontSize = null } = {}) {
  const profile = mkdtempSync(join(tmpdir(), "vivarium-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROME,
    headless: false,
    args: [
      ...FLAGS,
      ...(gpu ? ["--enable-unsafe-webgpu", "--enable-unsafe-swiftshader"] : []),
      ...(fontSize ? [`--blink-settings=defaultFontSize=${fontSize}`] : []),
    ],
    viewport: { width: 1440, height: 900 },
  });
  // Within `until`, its own limit counts.
  context.setDefaultTimeout(90_000);
  if (details) await seesDetails(context);
  return {
    context,
    close: async () => {
      await context.close();
      await discard(profile);
    },
  };
}

/**
 * Removes a browser's folder. A part of the browser that has not ended yet may still write there, and the retries of
 * `rmSync` try the same list of files again, so each try here lists them anew. What is left after the last try is a
 * temporary folder, which is no reason to fail a test of the page.
 */
export async function discard(folder) {
  for (let left = 50; left > 0; left--) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  console.log(`  ${folder} could not be removed`);
}

/** A browser without WebGPU whose tabs are hidden where another one is in front: Playwright's own are always seen. */
export async function openAsPeopleDo() {
  const profile = mkdtempSync(join(tmpdir(), "vivarium-browser-"));
  const words = [...FLAGS, "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"];
  const program = spawn(CHROME, words, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => program.once("exit", resolve));
  let said = "";
  program.stderr.on("data", (bytes) => (said += bytes));
  const close = async () => {
    program.kill();
    await ended;
    await discard(profile);
  };
  try {
    const address = await until(() => /DevTools listening on (ws:\S+)/.exec(said)?.[1], "the browser");
    const browser = await chromium.connectOverCDP(address, { noDefaults: true });
    browser.contexts()[0].setDefaultTimeout(90_000);
    await seesDetails(browser.contexts()[0]);
    return { context: browser.contexts()[0], close: () => browser.close().then(close) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Pages that `visit` has opened and nobody has closed. */
const visited = new Set();

/** Closes what a test that failed has left open: a page that goes on training and saving disturbs the tests after it. */
export async function closeVisited() {
  await Promise.allSettled([...visited].map((page) => page.close()));
  visited.clear();
}

/** Opens the page at a link and keeps what the console says and which requests it makes. */
export async function visit(context, address, link = "", size = { width: 1440, height: 900 }) {
  const page = await context.newPage();
  visited.add(page);
  page.on("close", () => visited.delete(page));
  await page.setViewportSize(size);
  const heard = { console: [], requests: [] };
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) heard.console.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => heard.console.push(`page error: ${error.message}`));
  page.on("request", (request) => heard.requests.push(request.url()));
  await page.goto(address + link);
  return { page, heard, see: (id) => page.getByTestId(id).first() };
}

/** Waits until `check` gives something true, and gives it; `what` says what for, or finds it out when the time is over. */
export async function until(check, what, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  let last;
  while (Date.now() < end) {
    last = await check();
    if (last) return last;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`waited ${seconds} s for ${typeof what === "function" ? await what() : what}`);
}

/** Categories of a trace that has the tasks of each thread, and the process of each page. */
const TASKS = ["-*", "disabled-by-default-devtools.timeline"];

/** The browser whose trace is being recorded, if any. */
let traced = null;

/**
 * Begins to watch the threads that show pages of a browser. `longest` ends the watch and gives the processor time of their
 * longest task in ms. The duration of tasks by the clock, which `PerformanceObserver` gives, also has the time for which the
 * thread waited for a processor on a busy machine.
 */
export async function watchTasks(browser) {
  // A test may have failed before it has ended its trace, and its browser may be closed.
  await traced?.stopTracing().catch(() => {});
  await browser.startTracing(undefined, { categories: TASKS });
  traced = browser;
  const end = async () => {
    traced = null;
    const events = JSON.parse((await browser.stopTracing()).toString()).traceEvents;
    const name = ({ pid, tid }) => `${pid} ${tid}`;
    const threads = new Set(events.filter((event) => event.name === "thread_name" && event.args.name === "CrRendererMain").map(name));
    const tasks = events.filter((event) => event.name === "RunTask" && threads.has(name(event)));
    assert.ok(tasks.length > 10, `${tasks.length} tasks in the trace`);
    return Math.round(Math.max(...tasks.map(({ tdur }) => tdur ?? 0)) / 1000);
  };
  let longest;
  return { longest: () => (longest ??= end()) };
}

/** What stands in an element. */
export const text = async (locator) => (await locator.textContent())?.trim() ?? "";

/** The step that the page shows. */
export const stepOf = async (see) => Number((await text(see("step"))).replace(/\D/g, ""));

/** Colours in a chart: 0 where it is not drawn. */
export const pixels = (page, id) =>
  page.getByTestId(id).first().evaluate((node) => {
    const canvas = node.matches("canvas") ? node : node.querySelector("canvas");
    if (!canvas?.width) return 0;
    // On a copy: reading the page's own canvas back would make the browser warn of it.
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return colours.size;
  });

/** Measurements that the page has, oldest first. */
export const rows = (page) => page.evaluate(() => window.vivarium?.rows() ?? []);

/** The program behind `cargo lab`, built by the native tests. */
const LAB = process.env.LAB ?? join(process.env.CARGO_TARGET_DIR ?? "target", "debug", "lab");

/** What is measured of networks on sequences besides, in the order of a row. */
const MEASURES = [
  ...["uniform", "unigram", "bigram", "trigram", "tetragram"].map((strategy) => `kl_from_${strategy}`),
  ...["previous_token_attention", "induction_attention"],
  ...["dirichlet", "iid", "ds"].map((chains) => `kl_to_truth_on_${chains}`),
];

/** The lists of a row that all tasks have. Each task has names of its own for them in CSV, where they follow step and replica. */
const LISTS = ["train_loss", "train_accuracy", "test_loss", "test_accuracy"];

/** Lines of a table, without what is said of its runs. */
export const tableLines = (text) => text.trim().split("\n").filter((line) => !line.startsWith("#"));

/** Metrics of `lab run`, in the page's form. */
export function lab(link, ...more) {
  const text = execFileSync(LAB, ["run", link, "--format", "csv", "--quiet", ...more], { encoding: "utf8", maxBuffer: 1 << 28 });
  const [header, ...lines] = tableLines(text).map((line) => line.split(","));
  LISTS.forEach((name, i) => (header[2 + i] = name));
  const is = (name) => header.includes(name);
  const found = [];
  for (const line of lines) {
    const at = (name) => Number(line[header.indexOf(name)]);
    if (at("replica") === 0) {
      found.push({
        step: at("step"),
        ...Object.fromEntries([...LISTS, "margin"].map((name) => [name, []])),
        // All or none of them; those that do not apply are empty.
        measures: MEASURES.some(is) ? MEASURES.map(() => []) : [],
      });
    }
    const { step, measures, ...columns } = found.at(-1);
    for (const [name, values] of Object.entries(columns)) if (is(name)) values.push(at(name));
    MEASURES.forEach((name, of) => is(name) && measures[of].push(at(name)));
  }
  return found;
}

/** A row with its numbers as the page has them, in single precision. */
export const inSingle = (row) => Object.fromEntries(Object.entries(row).map(([key, values]) => [key, key === "step" ? values : single(values)]));
const single = (value) => (Array.isArray(value) ? value.map(single) : Math.fround(value));
