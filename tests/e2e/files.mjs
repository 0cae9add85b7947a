// The run as files: saved from the page, read by the command line, opened again, and damaged ones refused.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { it } from "node:test";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { pixels, rows, serve, stepOf, tableLines, text, until, visit, watchTasks } from "./harness.mjs";

const LINK = "#v1/sparse-parity?n=12&k=2&width=24&seed=3&steps=400&halt=steps&every=10&held=512&speed=0";

/** Saves what a button of the dialog offers; its name and bytes. */
async function saved(page, see, id, folder) {
  const [download] = await Promise.all([page.waitForEvent("download"), see(id).click()]);
  const path = join(folder, download.suggestedFilename());
  await download.saveAs(path);
  assert.match(await text(see("files-note")), /^Saved /);
  return { path, name: download.suggestedFilename(), bytes: readFileSync(path) };
}

/** Longest task of the page's thread, in milliseconds: 50 on an ordinary machine, and those of the tests are slow. */
const LONGEST = 150;

/** A table of so many rows of five cells. */
function table(path, rows) {
  const part = Array.from({ length: 1000 }, (_, i) => `${(i * 37) % 101}.5,${(i * i) % 89},${i % 7},word,${i % 2}\n`).join("");
  writeFileSync(path, `size,age,week,kind,sold\n${part.repeat(rows / 1000)}`);
}

/** In the page: whether the table of this number is stored. */
async function isStored(number) {
  const done = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
  const [{ name }] = await indexedDB.databases();
  const database = await done(indexedDB.open(name));
  const keys = await done(database.transaction("tables").objectStore("tables").getAllKeys());
  database.close();
  return keys.includes(number);
}

/** What the page's thread and its program's memory do from now on: the longest task in ms of processor time, and the growth in MiB. */
async function watched(page) {
  const bytes = () => page.evaluate(() => window.wasm.memory.buffer.byteLength / 2 ** 20);
  const before = await bytes();
  const tasks = await watchTasks(page.context().browser());
  return { longest: tasks.longest, growth: async () => (await bytes()) - before };
}

/** Chooses a file, also the one that was chosen last: as the button does, which empties the field. */
async function choose(page, path) {
  const field = page.getByTestId("file-input");
  await field.evaluate((field) => (field.value = ""));
  await field.setInputFiles(path);
}

/** Tests in the browser and at the address that `here` gives. */
export function files(here) {
  const open = (link) => visit(here().context, here().address, link);
  const inFolder = (test) => async () => {
    const folder = mkdtempSync(join(tmpdir(), "vivarium-files-"));
    try {
      await test(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

  it("saves everything by the keyboard, under names that say what it is", inFolder(async (folder) => {
    const { page, heard, see } = await open(LINK);
    await until(async () => /^Ended|^Found/.test(await text(see("status"))) && (await stepOf(see)) === 400, "the end");
    const measured = await rows(page);
    await page.keyboard.press("s");
    await see("files-dialog").waitFor();
    await until(async () => /The weights are those of step 400\./.test(await text(see("files-dialog"))), "the last weights");
    const { bytes: json, name } = await saved(page, see, "save-json", folder);
    assert.equal(name, "sparse-parity-mlp-seed3-step400.json");
    const run = JSON.parse(json);
    assert.deepEqual([run.format, run.version, run.link, run.environment.device], ["vivarium-run", 2, LINK, "CPU"]);
    assert.deepEqual(run.rows.map((row) => row.test_loss.map(Math.fround)), measured.map((row) => row.test_loss));
    assert.deepEqual([run.t_c_resolution, run.relevant.length], [Number(run.settings.every), 2]);
    const csv = (await saved(page, see, "save-csv", folder)).bytes.toString();
    assert.match(csv, /^# program: Vivarium [^]*\n# settings\.n: 12\n[^]*\n# t_c_resolution: \d+\n/);
    assert.ok(csv.includes(`\n# link: ${LINK}\n`));
    const table = tableLines(csv);
    assert.equal(table[0], "step,replica,train_loss,train_accuracy,test_loss,test_accuracy");
    assert.equal(table.length, 1 + measured.length);
    const weights = (await saved(page, see, "save-safetensors", folder)).bytes;
    const header = JSON.parse(weights.subarray(8, 8 + Number(weights.readBigUInt64LE(0))));
    assert.deepEqual([header.w.shape, header.__metadata__.step], [[1, 12, 24], "400"]);
    assert.match((await saved(page, see, "save-py", folder)).bytes.toString(), /^"""[^]*import torch[^]*"n": 12/);
    for (const chart of ["loss", "weights"]) {
      const svg = (await saved(page, see, `save-svg-${chart}`, folder)).bytes.toString();
      assert.match(svg, /^<svg [^]*<title>[^]*<\/svg>\s*$/);
      assert.ok(svg.length > 3000);
      const png = (await saved(page, see, `save-png-${chart}`, folder)).bytes;
      assert.equal(png.subarray(1, 4).toString(), "PNG");
      assert.ok(png.length > 2000);
    }
    await page.keyboard.press("Escape");
    assert.ok(!(await see("files-dialog").isVisible()));
    assert.deepEqual(heard.console, []);
    await page.close();
  }));

  it("saves tables with decimal commas, and remembers the choice", inFolder(async (folder) => {
    const { page, heard, see } = await open(LINK);
    await until(async () => /^Ended|^Found/.test(await text(see("status"))) && (await stepOf(see)) === 400, "the end");
    await page.keyboard.press("s");
    await see("files-dialog").waitFor();
    assert.equal(await see("decimal-commas").isChecked(), false);
    await see("decimal-commas").check();
    const csv = (await saved(page, see, "save-csv", folder)).bytes.toString();
    assert.match(csv, /^\ufeff# program: Vivarium [^]*\n# spreadsheet: semicolons between columns, decimal commas\nstep;replica;train_loss;/);
    assert.match(csv, /\n400;0;[\d,]+;[\d,]+;[\d,]+;[\d,]+\n/);
    const data = (await saved(page, see, "save-data-loss", folder)).bytes.toString();
    assert.match(data, /\nchart;step;kind;name;x;row;value;low;high\nloss;400;/);
    JSON.parse((await saved(page, see, "save-json", folder)).bytes);
    await page.reload();
    await until(async () => (await stepOf(see)) > 0, "steps");
    await page.keyboard.press("s");
    await see("files-dialog").waitFor();
    assert.equal(await see("decimal-commas").isChecked(), true);
    // The other tests share this browser's storage.
    await see("decimal-commas").uncheck();
    assert.deepEqual(heard.console, []);
    await page.close();
  }));

  it("saves the numbers of a chart, the same bytes as the command line", inFolder(async (folder) => {
    const LAB = process.env.LAB ?? join(process.env.CARGO_TARGET_DIR ?? "target", "debug", "lab");
    const link = `${LINK}&device=cpu`;
    const { page, heard, see } = await open(link);
    await until(async () => (await stepOf(see)) === 400 && /^Ended|^Found/.test(await text(see("status"))), "the end");
    await page.keyboard.press("s");
    await see("files-dialog").waitFor();
    for (const chart of ["loss", "accuracy", "weights"]) {
      assert.equal(await text(see(`save-data-${chart}`)), "Data (CSV)");
      assert.match(await see(`save-data-${chart}`).getAttribute("aria-label"), /^Save .+ as Data \(CSV\)$/);
      const { name, bytes } = await saved(page, see, `save-data-${chart}`, folder);
      assert.equal(name, `sparse-parity-mlp-seed3-step400-${chart}.csv`);
      const lines = bytes.toString().split("\n").filter((line) => !line.startsWith("#"));
      assert.equal(lines[0], "chart,step,kind,name,x,row,value,low,high");
      assert.match(bytes.toString(), /^# program: Vivarium [^]*\n# settings\.n: 12\n[^]*\n# t_c_resolution: 10\n/);
      assert.ok(lines.length > 40 && lines.slice(1, -1).every((line) => line.startsWith(`${chart},400,`)));
      const command = execFileSync(LAB, ["probe", link, "--charts", chart, "--format", "csv", "-q"], { encoding: "utf8" });
      assert.equal(bytes.toString(), command, chart);
    }
    // The three buttons of a chart stand in one line, and on a phone nothing is wider than the dialog.
    const tops = await page.evaluate(() => ["svg", "png", "data"].map((kind) =>
      Math.round(document.querySelector(`[data-testid=save-${kind}-loss]`).getBoundingClientRect().top)));
    assert.deepEqual(tops, [tops[0], tops[0], tops[0]]);
    await page.setViewportSize({ width: 390, height: 800 });
    const isWithin = await see("files-dialog").evaluate((dialog) => dialog.scrollWidth <= dialog.clientWidth);
    assert.ok(isWithin, "no part of the dialog is cut off");
    assert.deepEqual(heard.console, []);
    await page.close();
  }));

  it("opens a saved run with its curves, trains it on request, and goes back", inFolder(async (folder) => {
    const first = await open(LINK);
    await until(async () => (await stepOf(first.see)) === 400, "the end");
    const measured = await rows(first.page);
    await first.see("files").click();
    const { path } = await saved(first.page, first.see, "save-json", folder);
    await first.page.close();
    const { page, heard, see } = await open("#v1/groups?n=13&width=50&speed=60");
    await until(async () => (await stepOf(see)) > 5, "steps");
    await see("files").click();
    await choose(page, path);
    await until(async () => page.url().endsWith(LINK), "the run's link");
    assert.ok(!(await see("files-dialog").isVisible()), "the dialog has closed");
    assert.match(await text(see("message")), /^Opened sparse-parity-mlp-seed3-step400\.json: 41 measurements up to step 400\./);
    assert.match(await text(see("device")), /^Opened from a file: CPU/);
    assert.deepEqual(await rows(page), measured);
    await until(async () => (await pixels(page, "chart-loss")) > 4, "the curves");
    await page.waitForTimeout(1500);
    assert.deepEqual(await rows(page), measured, "nothing trains");
    await see("play").click();
    await until(async () => /^CPU: /.test(await text(see("device"))) && (await stepOf(see)) === 400, "the run itself");
    assert.deepEqual(await rows(page), measured);
    await see("undo").click();
    await until(async () => page.url().includes("#v1/groups?n=13"), "the run that was there");
    assert.deepEqual(heard.console, []);
    await page.close();
  }));

  it("says of a run from the weights of a file where they come from", inFolder(async (folder) => {
    const { page, heard, see } = await open(LINK);
    await until(async () => (await stepOf(see)) === 400, "the end");
    await see("files").click();
    const { bytes } = await saved(page, see, "save-json", folder);
    const path = join(folder, "begun.json");
    const what = '"weights":"runs/half.safetensors","weights_of":"step 50 of #v1/sparse-parity, checksum 0123456789abcdef",';
    writeFileSync(path, bytes.toString().replace('"environment":{', `"environment":{${what}`));
    await choose(page, path);
    const note = "The initial weights come from half.safetensors; the link alone does not give the same run.";
    await until(async () => (await text(see("message"))).includes(note), "the run");
    assert.equal(await page.getByText(note, { exact: true }).first().isVisible(), true);
    await see("files").click();
    const table = await saved(page, see, "save-csv", folder);
    assert.match(table.bytes.toString(), /\n# initial_weights: half\.safetensors, step 50 of #v1\/sparse-parity, checksum 0123456789abcdef\n/);
    await page.keyboard.press("Escape");
    await see("play").click();
    await until(async () => /^CPU: /.test(await text(see("device"))) && (await stepOf(see)) === 400, "the run of the link");
    assert.equal(await page.getByText(note, { exact: true }).count(), 0);
    assert.deepEqual(heard.console, []);
    await page.close();
  }));

  it("goes on from weights as it would have gone on", inFolder(async (folder) => {
    const slow = LINK.replace("speed=0", "speed=20");
    const first = await open(slow);
    await until(async () => (await stepOf(first.see)) > 60, "steps");
    await first.see("play").click();
    await until(async () => /^Paused/.test(await text(first.see("status"))), "a pause");
    const at = await stepOf(first.see);
    await first.see("files").click();
    await until(async () => new RegExp(`The weights are those of step ${at}\\.`).test(await text(first.see("files-dialog"))), "its weights");
    const { path } = await saved(first.page, first.see, "save-safetensors", folder);
    await first.page.close();
    const whole = await open(LINK);
    const all = await until(async () => { const r = await rows(whole.page); return r.at(-1)?.step === 400 && r; }, "the end");
    await whole.page.close();
    const { page, heard, see } = await open("#v1/sparse-parity?n=10&k=2&speed=0");
    await until(async () => (await stepOf(see)) > 0, "steps");
    await choose(page, path);
    await until(async () => (await stepOf(see)) === at && /^Paused/.test(await text(see("status"))), "the weights");
    await see("play").click();
    const rest = await until(async () => { const r = await rows(page); return r.at(-1)?.step === 400 && r; }, "the end");
    assert.deepEqual(rest.filter((row) => row.step > at), all.filter((row) => row.step > at));
    assert.deepEqual(heard.console, []);
    await page.close();
  }));

  it("refuses what is damaged or foreign in a sentence, and loses nothing", inFolder(async (folder) => {
    const { page, heard, see } = await open(LINK.replace("speed=0", "speed=20").replace("steps=400", "steps=100000"));
    // Steps that do not rise take two of them.
    await until(async () => (await rows(page)).length > 2, "measurements");
    await see("files").click();
    const { bytes } = await saved(page, see, "save-json", folder);
    const { bytes: weights } = await saved(page, see, "save-safetensors", folder);
    const json = bytes.toString();
    const cases = [
      ["cut.json", json.slice(0, json.length / 2), /not complete JSON/],
      ["other.json", '{"runs": []}', /not a run of this program/],
      ["future.json", json.replace(/"version":\d+/, '"version":7'), /newer version/],
      ["odd.json", json.replace("n=12", "n=12&colour=blue"), /cannot read the link of this file: .*colour/],
      ["steps.json", json.replace('"step":0,', '"step":9999,'), /do not increase/],
      ["empty.json", "", /empty/],
      ["picture.json", Buffer.from([0x89, 0x50, 0x4e, 0x47]), /neither a run/],
      ["table.csv", "step,replica,train_loss\n", /table of metrics/],
      ["cut.safetensors", weights.subarray(0, weights.length - 7), /damaged or cut off/],
    ];
    for (const [name, content, sentence] of cases) {
      writeFileSync(join(folder, name), content);
      await choose(page, join(folder, name));
      const flaw = await until(async () => {
        const said = await text(see("files-error"));
        return said.startsWith(name) && said;
      }, name);
      assert.match(flaw, sentence);
      assert.match(flaw, /Nothing has changed\.$/);
    }
    assert.ok(page.url().includes("n=12&k=2"));
    await page.keyboard.press("Escape");
    const at = await stepOf(see);
    await until(async () => (await stepOf(see)) > at + 5, "the run to go on");
    assert.deepEqual(heard.console, []);
    await page.close();
  }));

  it("takes a file that is dropped on it", async () => {
    const { page, see } = await open(LINK);
    await until(async () => (await stepOf(see)) === 400, "the end");
    await until(async () => (await page.getByTestId("file-input").count()) === 1, "the program that takes files");
    const drop = (type) => page.evaluate((type) => {
      const data = new DataTransfer();
      data.items.add(new File(["{}"], "dropped.json"));
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      return document.documentElement.dataset.drop;
    }, type);
    assert.equal(await drop("dragover"), "yes");
    assert.equal(await drop("drop"), "no");
    await until(async () => /^dropped\.json was not opened: /.test(await text(see("message"))), "the sentence");
    await page.close();
  });

  it("says that it opens one file where several are dropped", async () => {
    const { page, see } = await open(LINK);
    await until(async () => (await page.getByTestId("file-input").count()) === 1, "the program that takes files");
    // The end of the run has a sentence of its own.
    await until(async () => /^Ended|^Found/.test(await text(see("status"))) && (await stepOf(see)) === 400, "the end");
    await page.evaluate(() => {
      const data = new DataTransfer();
      for (const name of ["first.json", "second.json", "third.csv"]) data.items.add(new File(["{}"], name));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    const sentence = /^first\.json was not opened: .*The page opens one file at a time\. Number of other dropped files that the page did not open: 2\.$/;
    await until(async () => sentence.test(await text(see("message"))), "the sentence");
    await page.close();
  });

  it("shares its files with the command line", inFolder(async (folder) => {
    const LAB = process.env.LAB ?? join(process.env.CARGO_TARGET_DIR ?? "target", "debug", "lab");
    const lab = (...words) => execFileSync(LAB, words, { encoding: "utf8" });
    const made = join(folder, "made.json");
    lab("run", LINK, "--device", "cpu", "--format", "json", "--quiet", "--output", made);
    const { page, see } = await open("#v1/sparse-parity?n=10&k=2");
    await choose(page, made);
    await until(async () => (await stepOf(see)) === 400 && /^Opened from a file/.test(await text(see("device"))), "lab's run");
    await see("files").click();
    const { path } = await saved(page, see, "save-json", folder);
    assert.equal(readFileSync(path, "utf8"), readFileSync(made, "utf8").replace("&device=cpu", "&device=cpu"));
    assert.match(lab("check", path), /400, ended at its last step; 41 measurements of 1 replicas\./);
    await page.close();
  }));

  it("makes large steps with helpers, and has the numbers of the command line", inFolder(async (folder) => {
    const LAB = process.env.LAB ?? join(process.env.CARGO_TARGET_DIR ?? "target", "debug", "lab");
    // A helper tells of every word that it says.
    const site = await serve({
      "boot.js": (text) => `window.helped = 0; new BroadcastChannel("helpers").onmessage = () => window.helped++;\n${text}`,
      "worker-loader.js": (text) => text.replace("try {", `if (here.searchParams.has("helps")) {
        const [post, channel] = [self.postMessage.bind(self), new BroadcastChannel("helpers")];
        self.postMessage = (...words) => { channel.postMessage(1); post(...words); };
      }
      try {`),
    });
    const link = "#v1/groups?n=43&width=200&steps=900&every=90&target=1&halt=steps&speed=0&device=cpu";
    const { page, heard, see } = await visit(here().context, site.address, link);
    try {
      await until(async () => (await stepOf(see)) === 900, "the end");
      const cores = await page.evaluate(() => navigator.hardwareConcurrency);
      const helped = await page.evaluate(() => window.helped);
      assert.ok(cores > 1 ? helped > 20 : helped === 0, `${helped} words of helpers on ${cores} cores`);
      await until(async () => (await page.getByTestId("file-input").count()) === 1, "the dialog's program");
      await see("files").click();
      const { bytes } = await saved(page, see, "save-json", folder);
      const own = execFileSync(LAB, ["run", link, "--format", "json", "--quiet", "--threads", "1"], { encoding: "utf8" });
      assert.deepEqual(JSON.parse(bytes.toString()).rows, JSON.parse(own).rows);
      assert.deepEqual(heard.console, []);
    } finally {
      await page.close();
      site.close();
    }
  }));

  /** A page whose program's memory can be seen. */
  const openWatched = (test) => inFolder(async (folder) => {
    const site = await serve({ "boot.js": (text) => text.replace("await init(", "window.wasm = await init(") });
    const { page, heard, see } = await visit(here().context, site.address, LINK.replace("speed=0", "speed=20").replace("steps=400", "steps=100000"));
    await until(async () => (await stepOf(see)) > 5 && (await page.getByTestId("file-input").count()) === 1, "the dialog's program");
    await page.waitForTimeout(1000); // opening the page is over
    try {
      await test({ page, see, folder, workers: page.workers().length });
      // The browser says so of itself where a page asks for a GPU and the machine has none.
      assert.deepEqual(heard.console.filter((line) => line !== "warning: No available adapters."), []);
    } finally {
      await page.close();
      site.close();
    }
  });

  it("refuses a map of 100 MB by its first bytes, without holding up the page", openWatched(async ({ page, see, folder, workers }) => {
    const feature = '{"type":"Feature","geometry":{"type":"Point","coordinates":[12.5,41.9]},"properties":{}},';
    for (const [name, begin, part] of [["map.geojson", '{"type":"FeatureCollection","features":[', feature], ["zeros.json", "[", "0,"]]) {
      writeFileSync(join(folder, name), begin + part.repeat(100e6 / part.length));
      const watch = await watched(page);
      await choose(page, join(folder, name));
      await until(async () => (await text(see("files-error"))).startsWith(`${name} was not opened: this file begins like JSON, but is not a run`), "the sentence");
      assert.equal(page.workers().length, workers, "nobody was asked to read it");
      assert.ok((await watch.longest()) <= LONGEST, `${name}: ${await watch.longest()} ms`);
      assert.ok((await watch.growth()) <= 2, `${name}: ${await watch.growth()} MiB`);
    }
    const at = await stepOf(see);
    await until(async () => (await stepOf(see)) > at, "the run goes on");
  }));

  it("reads a large table apart, says how far it is, and gives the memory back", openWatched(async ({ page, see, folder, workers }) => {
    table(join(folder, "houses.csv"), 300_000);
    const watch = await watched(page);
    await choose(page, join(folder, "houses.csv"));
    await until(async () => /^Reading houses\.csv: \d+ % of \d+ MB\.$/.test(await text(see("file-progress-text"))), "progress");
    await until(() => page.workers().length === workers + 1, "a worker that reads it");
    await until(async () => /data=own&csv=\d+/.test(page.url()), "the table's run", 120);
    assert.match(await text(see("message")), /^Opened houses\.csv: a table of 3 columns/);
    await until(() => page.workers().length === workers, "the worker to end");
    assert.equal(await page.getByTestId("file-progress").count(), 0);
    await until(async () => /^houses\.csv/.test(await text(see("table"))), "the table's card");
    assert.match(await text(see("table-texts")), /300,000 rows and 3 columns/);
    assert.ok((await watch.longest()) <= LONGEST, `${await watch.longest()} ms`);
    // Its 1.2 million numbers have 4.6 MiB; the file has 5, and what reading takes is a multiple of that.
    assert.ok((await watch.growth()) <= 32, `${await watch.growth()} MiB`);
    await see("table-label").selectOption({ label: "week" });
    await until(async () => /The label is the column week/.test(await text(see("table-texts"))), "another label", 120);
    await until(() => page.workers().length === workers, "that worker to end");
    const [, number] = /csv=(\d+)/.exec(page.url());
    await until(() => page.evaluate(isStored, number), "the browser to store the file");
    await page.reload();
    await until(async () => /^houses\.csv/.test(await text(see("table"))), "the file that is kept", 120);
    assert.match(await text(see("table-texts")), /The label is the column week/);
  }));

  it("stops reading when somebody presses Cancel or Escape", openWatched(async ({ page, see, folder, workers }) => {
    table(join(folder, "big.csv"), 1_600_000);
    const link = page.url();
    const cancelled = "big.csv was not opened: reading was cancelled. Nothing has changed.";
    const stops = [
      [async () => {}, () => see("file-progress-cancel").click()],
      [async () => {}, () => page.keyboard.press("Escape")],
      [() => see("files").click(), () => page.keyboard.press("Escape")],
      [() => see("files").click(), () => see("files-dialog").getByTestId("file-progress-cancel").click()],
    ];
    for (const [before, stop] of stops) {
      await before();
      const watch = await watched(page);
      await choose(page, join(folder, "big.csv"));
      await until(async () => (await page.getByTestId("file-progress").count()) === 1, "the bar");
      await until(() => page.workers().length === workers + 1, "somebody who reads it");
      await page.waitForTimeout(500);
      await stop();
      await until(async () => (await text(see("files-error"))) === cancelled, "the sentence");
      await until(() => page.workers().length === workers, "the worker to end");
      assert.equal(await page.getByTestId("file-progress").count(), 0);
      assert.ok((await watch.longest()) <= LONGEST, `${await watch.longest()} ms`);
      assert.ok((await watch.growth()) <= 2, `${await watch.growth()} MiB`);
      if (before !== stops[0][0] && (await see("files-dialog").isVisible())) {
        assert.equal(await text(see("files-error")), cancelled, "the dialog stays, and says so");
        await page.keyboard.press("Escape");
      }
      assert.ok(!(await see("files-dialog").isVisible()));
    }
    assert.equal(page.url(), link);
    // Too large to be a table at all: refused by its cells, while the page goes on.
    table(join(folder, "larger.csv"), 1_800_000);
    await choose(page, join(folder, "larger.csv"));
    await until(async () => /larger\.csv was not opened: this file has more than 8388608 cells/.test(await text(see("files-error"))), "the limit", 180);
    await until(() => page.workers().length === workers, "the worker to end");
  }));
}
