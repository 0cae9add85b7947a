// The page in a real browser: alone, with WebGPU on a simulated GPU, on a phone's width, and with bad links.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

import { access } from "./access.mjs";
import { charts } from "./charts.mjs";
import { deployments } from "./deploy.mjs";
import { circuitsLab } from "./circuits.mjs";
import { descentLab } from "./descent.mjs";
import { devices } from "./devices.mjs";
import { embeds } from "./embed.mjs";
import { engines } from "./engines.mjs";
import { faults } from "./faults.mjs";
import { files } from "./files.mjs";
import { functionsLab } from "./functions.mjs";
import { gallery } from "./gallery.mjs";
import { glossary } from "./glossary.mjs";
import { closeVisited, lab, open, pixels, rows, serve, stepOf, text, until, visit } from "./harness.mjs";
import { groupsLab } from "./groups.mjs";
import { keeping } from "./keeper.mjs";
import { languages } from "./languages.mjs";
import { lectures } from "./lecture.mjs";
import { links } from "./links.mjs";
import { keptRuns } from "./library.mjs";
import { luck } from "./luck.mjs";
import { machineLab } from "./machines.mjs";
import { markovLab } from "./markov.mjs";
import { ownNetworks } from "./own.mjs";
import { paper } from "./paper.mjs";
import { GROUP, runGroups } from "./parallel.mjs";
import { parityLab } from "./parity.mjs";
import { inContextLab } from "./in_context.mjs";
import { lookupLab } from "./lookup.mjs";
import { perceptronLab } from "./perceptron.mjs";
import { everyView } from "./product.mjs";
import { stage } from "./stage.mjs";
import { soak } from "./soak.mjs";
import { programLab } from "./succinct.mjs";
import { sweeps } from "./sweeps.mjs";
import { tables } from "./tables.mjs";
import { teaching } from "./teaching.mjs";
import { timeAndComparison } from "./time.mjs";
import { translators } from "./translators.mjs";
import { walk } from "./walk.mjs";

const PHONE = { width: 390, height: 844 };
const QUIET = [];

/** Groups of tests. */
const groups = [];

/**
 * Adds a group of tests. With `gpu` it has a browser with a simulated GPU; it runs `alone` if it measures what other groups would
 * disturb. `seconds` is about how long it takes, if that is long: long groups begin first, so that none is left over at the end.
 */
function group(name, body, { gpu = false, alone = false, seconds = 0 } = {}) {
  groups.push({ name, body, gpu, alone, seconds });
}

let site;
let plain;
let simulated;

async function start({ gpu }) {
  // The GPU is kept where a test can reach it, to take it away, its shaders where one can spoil them, and the memory of
  // the worker's program where one can see and fill it.
  const hook = `
    for (const how of ["instantiate", "instantiateStreaming"]) {
      const instantiate = WebAssembly[how];
      WebAssembly[how] = async (...given) => {
        const made = await instantiate.apply(WebAssembly, given);
        self.lentMemory = (made.instance ?? made).exports.memory;
        return made;
      };
    }
    const request = self.GPUAdapter?.prototype.requestDevice;
    if (request) GPUAdapter.prototype.requestDevice = async function (...wish) {
      return (self.lentDevice = await request.apply(this, wish));
    };
    const compile = self.GPUDevice?.prototype.createShaderModule;
    if (compile) GPUDevice.prototype.createShaderModule = function (shader) {
      return compile.call(this, self.spoilt ? { ...shader, code: shader.code + "word" } : shader);
    };\n`;
  site = await serve({ "worker-loader.js": (text) => hook + text });
  plain = await open();
  if (!gpu) return;
  simulated = await open({ gpu: true });
  // The page gives the browser five seconds to find a GPU, whose process starts with the first request.
  const page = await simulated.context.newPage();
  await page.goto(`${site.address}build.txt`);
  await page.evaluate(() => navigator.gpu.requestAdapter().then(Boolean));
  await page.close();
}

async function stop() {
  await plain?.close();
  await simulated?.close();
  site?.close();
}

/** Waits until this learner trains; without it, says which one does, and on which device. */
const trainsWith = (see, learner) => until(
  async () => learner.test(await text(see("learner"))),
  async () => `${learner}: “${await text(see("learner"))}” trains on “${await text(see("device"))}”`,
);

const found = (see, seconds) => until(async () => /found|reached|solved/i.test(await text(see("status"))), "the parity to be found", seconds);

/** Largest difference between two lists of measurements, relative to 1 + the size of the number. */
function difference(a, b, count) {
  let worst = 0;
  for (let i = 0; i < count; i++) {
    assert.equal(a[i].step, b[i].step);
    for (const key of ["train_loss", "test_loss"]) {
      a[i][key].forEach((x, r) => (worst = Math.max(worst, Math.abs(x - b[i][key][r]) / (1 + Math.abs(x)))));
    }
  }
  return worst;
}

group("deployments", () => deployments(), { seconds: 330 });
group("every passage", () => walk(() => ({ context: plain.context, address: site.address })), { seconds: 190 });
group("eyes, hands and paper", () => access(() => ({ context: plain.context, address: site.address })), { seconds: 170 });
group("networks of one's own", () => ownNetworks(() => ({ context: plain.context, address: site.address })), { seconds: 30 });
group("stories and the teacher's link", () => teaching(() => ({ context: plain.context, address: site.address })), { seconds: 200 });
group("the first screen", () => stage(() => site.address), { seconds: 180 });
group("what people keep", () => keptRuns(() => ({ address: site.address })), { seconds: 115 });
group("faults", () => faults(() => ({ context: plain.context, simulated: simulated.context, address: site.address })), { gpu: true, seconds: 100 });
group("links that are dear", () => links(() => ({ context: plain.context, address: site.address })), { seconds: 200 });
group("every view", () => everyView(() => ({ context: plain.context, address: site.address })), { seconds: 105 });
group("files", () => files(() => ({ context: plain.context, address: site.address })), { seconds: 85 });
group("translators and other countries", () => translators(() => ({ address: site.address })), { seconds: 80 });
group("time and comparison", () => timeAndComparison(() => ({ context: plain.context, address: site.address })), { seconds: 80 });
group("sweeps", () => sweeps(() => ({ context: plain.context, address: site.address })));
group("the gallery", () => gallery(() => ({ context: plain.context, address: site.address })), { seconds: 60 });
group("inside other pages", () => embeds(() => ({ context: plain.context, address: site.address })));
group("languages", () => languages(() => ({ address: site.address })));
group("charts", () => charts(() => ({ context: plain.context, address: site.address })));
group("stories on paper", () => paper(() => ({ context: plain.context, address: site.address })));
group("the groups lab", () => groupsLab(() => ({ context: plain.context, address: site.address })));
group("the parity lab", () => parityLab(() => ({ context: plain.context, address: site.address })));
group("the Markov lab", () => markovLab(() => ({ context: plain.context, address: site.address })));
group("the lab of the perceptron", () => perceptronLab(() => ({ context: plain.context, address: site.address })));
group("the look-up lab", () => lookupLab(() => ({ context: plain.context, address: site.address })));
group("the lab of a transformer that is gradient descent", () => descentLab(() => ({ context: plain.context, address: site.address })));
group("the lab of a transformer that runs a Turing machine", () => machineLab(() => ({ context: plain.context, address: site.address })));
group("the in-context lab", () => inContextLab(() => ({ context: plain.context, address: site.address })));
group("the lab of circuits", () => circuitsLab(() => ({ context: plain.context, address: site.address })));
group("the program lab", () => programLab(() => ({ context: plain.context, address: site.address })));
group("the lab of Boolean functions", () => functionsLab(() => ({ context: plain.context, address: site.address })));
group("the lab of tables", () => tables(() => ({ context: plain.context, address: site.address })));
group("what is kept for visits without a network", () => keeping());
group("width and luck", () => luck(() => ({ context: plain.context, address: site.address })));
group("lectures", () => lectures(() => ({ context: plain.context, address: site.address })));
group("the glossary", () => glossary(() => ({ context: plain.context, address: site.address })));
group("other engines", () => engines(() => ({ context: plain.context, address: site.address })));
group("devices", () => devices(() => ({ plain: plain.context, simulated: simulated.context, address: site.address })), { gpu: true, alone: true });
group("many runs", () => soak(() => ({ address: site.address })), { alone: true });

group("the first view", () => {
  it("is alive without a click, finds the parity and says at which step", async () => {
    const { page, heard, see } = await visit(plain.context, site.address);
    await see("chart-loss").waitFor({ timeout: 60_000 });
    assert.match(await page.title(), /Vivarium/);
    await until(async () => (await pixels(page, "chart-loss")) > 2, "axes");
    assert.match(page.url(), /#v1\/sparse-parity\?n=20&width=64&every=10&speed=200$/);
    await until(async () => (await stepOf(see)) > 50, "steps");
    await found(see);
    await until(async () => (await see("play").getAttribute("aria-label")) === "Go on", "the end");
    const measured = await rows(page);
    assert.ok(measured[0].test_loss[0] > 0.8 && measured.at(-1).test_loss[0] < 0.2);
    assert.equal(measured.at(-1).test_accuracy[0], 1);
    assert.match(await text(see("status")), new RegExp(measured.at(-1).step.toLocaleString("en").replace(",", ".?")));
    assert.match(await text(see("device")), /^CPU: a network of this size is trained faster on the CPU/);
    assert.match(await text(see("rate")), /steps\/s/);
    for (const chart of ["chart-loss", "chart-accuracy", "chart-weights"]) {
      assert.ok((await pixels(page, chart)) > 4, `${chart} is drawn`);
      assert.ok((await see(chart).evaluate((n) => (n.closest("[aria-label]") ?? n.querySelector("[aria-label]"))?.getAttribute("aria-label")))?.length > 10);
    }
    assert.deepEqual(heard.console, QUIET);
    assert.ok(heard.requests.every((url) => url.startsWith(new URL(site.address).origin)), "no request leaves the origin");
    assert.ok(!heard.requests.some((url) => url.includes("worker_gpu")), "the GPU's program is only fetched when it is needed");
    await page.close();
  });

  it("keeps the name and the claim of an experiment that is trained further", async () => {
    const link = "#v1/sparse-parity?n=20&width=64&every=10&speed=0";
    const { page, heard, see } = await visit(plain.context, site.address, link);
    await found(see);
    await until(async () => (await see("play").getAttribute("aria-label")) === "Go on", "the end");
    const names = async (page, see) => [await page.title(), await text(see("claim")), await see("preset").inputValue()];
    const before = await names(page, see);
    assert.equal(before[2], "parity-20");
    await see("play").click();
    await until(() => /steps=\d+/.test(page.url()) && /halt=steps/.test(page.url()), "the link of the longer run");
    assert.deepEqual(await names(page, see), before);
    const other = await visit(plain.context, site.address, new URL(page.url()).hash);
    await until(async () => (await stepOf(other.see)) > 0, "steps of the longer run");
    assert.deepEqual(await names(other.page, other.see), before);
    assert.deepEqual(heard.console, QUIET);
    await other.page.close();
    await page.close();
  });

  it("fits a phone, and the narrowest one, in light and in dark", async () => {
    for (const [colorScheme, width] of [["light", 320], ["light", 390], ["dark", 390]]) {
      const { page, heard, see } = await visit(plain.context, site.address, "", { ...PHONE, width });
      await page.emulateMedia({ colorScheme });
      await until(async () => (await stepOf(see)) > 0, "steps");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} pixels too wide at ${width}`);
      await see("play").click();
      await until(async () => /Play/.test(await see("play").getAttribute("aria-label") ?? await text(see("play"))), "a pause");
      assert.deepEqual(heard.console, QUIET);
      await page.close();
    }
  });
});

group("a link", () => {
  const LINK = "#v1/sparse-parity?n=12&k=2&width=24&seed=3&steps=400&halt=steps&every=10&held=512&speed=0";

  it("is the run: the same bits in the page, in the page again, and on the command line", async () => {
    const runs = [];
    for (let i = 0; i < 2; i++) {
      const { page, heard } = await visit(plain.context, site.address, LINK);
      runs.push(await until(async () => { const r = await rows(page); return r.at(-1)?.step === 400 && r; }, "the end"));
      assert.deepEqual(heard.console, QUIET);
      await page.close();
    }
    assert.deepEqual(runs[0], runs[1]);
    const native = lab(LINK, "--device", "cpu");
    assert.equal(native.length, runs[0].length);
    // The loop of the CPU adds in the same order everywhere; autodiff, below, only rounds alike.
    runs[0].forEach((row, i) => {
      for (const key of ["train_loss", "train_accuracy", "test_loss", "test_accuracy"]) {
        assert.deepEqual(row[key], native[i][key].map(Math.fround), `step ${row.step}, ${key}`);
      }
    });
    const link = `${LINK}&learner=autodiff`;
    const { page } = await visit(plain.context, site.address, link);
    const autodiff = await until(async () => { const r = await rows(page); return r.at(-1)?.step === 400 && r; }, "the end");
    await page.close();
    const reference = lab(link, "--device", "cpu");
    // The first ten steps have had no time to magnify the rounding of wider vectors and fused additions.
    assert.ok(difference(autodiff, reference, 2) < 1e-5, `early: ${difference(autodiff, reference, 2)}`);
    assert.ok(difference(autodiff, reference, 41) < 5e-3, `whole run: ${difference(autodiff, reference, 41)}`);
    console.log(`  fused against autodiff in the page: ${difference(runs[0], autodiff, 41).toExponential(1)}`);
  });

  it("stays in the address bar through changes, and pasting one loads it", async () => {
    const { page, see } = await visit(plain.context, site.address, LINK + "&start=paused");
    await until(async () => (await rows(page)).length === 1, "the first measurement");
    await page.evaluate(() => (location.hash = "#v1/sparse-parity?n=14&k=2&width=16&start=paused"));
    await until(async () => (await see("setting-n").inputValue().catch(() => text(see("setting-n")))).includes("14"), "the pasted link");
    assert.match(page.url(), /#v1\/sparse-parity\?n=14&k=2&width=16&start=paused$/);
    await page.close();
  });

  it("is copied to the clipboard", async () => {
    await plain.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { page, see, heard } = await visit(plain.context, site.address, LINK);
    await see("copy-link").click();
    await until(async () => /Copied/.test(await text(see("copy-link"))), "the button to say so");
    const python = page.locator(".links div", { has: see("copy-python") }).locator("input");
    assert.match(await python.inputValue(), /^import vivarium; run = vivarium\.run\("#v1\/[^"]*"(, held_out=\d+)?\); run\.finish\(\)$/);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
    await see("copy-python").click();
    await until(async () => /Copied/.test(await text(see("copy-python"))), "that Python code was copied");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await python.inputValue());
    assert.deepEqual(heard.console, QUIET);
    await page.close();
  });

  it("that is bad is answered with notices, keeps the rest and executes nothing", async () => {
    const bad = "#v1/sparse-parity?n=14&k=2&batch=0&x=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&width=16";
    const { page, heard, see } = await visit(plain.context, site.address, bad);
    page.on("dialog", () => assert.fail("a script was executed"));
    await until(async () => (await stepOf(see)) > 0, "steps");
    const notice = await text(see("notice"));
    assert.match(notice, /batch/);
    assert.match(notice, /onerror/);
    assert.equal(await page.locator("img[src=x]").count(), 0);
    assert.match(page.url(), /#v1\/sparse-parity\?n=14&k=2&width=16$/);
    assert.deepEqual(heard.console, QUIET);
    for (const link of ["#" + "garbage&=".repeat(11_000), "#v7/sparse-parity?n=14", "#v1/tea?n=14", "#v1/sparse-parity?n=4&k=8"]) {
      const other = await visit(plain.context, site.address, link);
      await until(async () => (await text(other.see("notice"))).length > 10, `a notice for ${link.slice(0, 40)}`);
      await until(async () => (await rows(other.page)).length > 0, "a run all the same");
      assert.deepEqual(other.heard.console, QUIET);
      await other.page.close();
    }
    await page.close();
  });
});

group("controls", () => {
  const LINK = "#v1/sparse-parity?n=12&k=2&width=24&every=10&held=512&steps=100000&halt=steps&speed=200";

  it("play, pause, step, reset and seed, by button and by key", async () => {
    const { page, see, heard } = await visit(plain.context, site.address, LINK);
    await until(async () => (await stepOf(see)) > 20, "steps");
    await see("play").click();
    await until(async () => (await see("play").getAttribute("aria-label")) === "Play", "a pause");
    const paused = await stepOf(see);
    await page.waitForTimeout(400);
    assert.equal(await stepOf(see), paused, "paused");
    await see("single-step").click();
    await until(async () => (await stepOf(see)) === paused + 1, "one step");
    await page.locator("body").press("ArrowRight");
    await until(async () => (await stepOf(see)) === paused + 2, "one step by key");
    const before = await rows(page);
    await see("reset").click();
    await until(async () => (await rows(page)).length > 0 && (await rows(page)).length < 4, "a reset");
    assert.deepEqual((await rows(page))[0], before[0], "the same start");
    await page.locator("body").press("n");
    await until(async () => /seed=\d+/.test(page.url()), "a new seed in the address");
    await until(async () => (await rows(page))[0]?.test_loss[0] !== before[0].test_loss[0], "another start");
    assert.deepEqual(heard.console, QUIET);
    await page.close();
  });

  it("change a setting: the run starts again from the same seed, says so, and it can be undone", async () => {
    const { page, see } = await visit(plain.context, site.address, LINK);
    await until(async () => (await stepOf(see)) > 20, "steps");
    const width = see("setting-width");
    const box = (await width.evaluate((n) => n.matches("input"))) ? width : width.locator("input[type=number], input[type=text], input[inputmode]").first();
    await box.fill("33");
    await box.press("Enter");
    await until(() => /width=33/.test(page.url()), "the new width in the address");
    await until(async () => /same seed/i.test(await text(see("message"))), "the message");
    await box.fill("99999");
    await box.press("Enter");
    await until(async () => /16384/.test(await page.locator("body").innerText()), "the range in words");
    assert.match(page.url(), /width=33/);
    await see("undo").click();
    await until(() => /width=24/.test(page.url()), "the old width");
    await page.close();
  });

  it("changes the learning rate live and records it in the link", async () => {
    const { page, see } = await visit(plain.context, site.address, LINK);
    await until(async () => (await stepOf(see)) > 20, "steps");
    const field = see("setting-lr");
    const box = (await field.evaluate((n) => n.matches("input"))) ? field : field.locator("input[type=number], input[type=text], input[inputmode]").first();
    await box.fill("0.02");
    await box.press("Enter");
    await until(() => /lrs=\d+:0\.02/.test(page.url()), "the change in the address");
    const at = Number(/lrs=(\d+):/.exec(page.url())[1]);
    assert.ok(at > 0);
    await see("play").click();
    const live = (await rows(page)).filter((row) => row.step <= at + 40);
    const replayed = lab(page.url(), "--device", "cpu", "--steps", String(at + 60));
    assert.ok(difference(live, replayed, Math.min(live.length, 8)) < 1e-3, "the link replays the change");
    await page.close();
  });

  it("every setting has a label, a help sentence and a range, and can be reached by keyboard", async () => {
    const { page } = await visit(plain.context, site.address, LINK + "&start=paused");
    for (const key of ["n", "k", "s", "m", "noise", "width", "act", "init", "bias", "lr", "wd", "mom", "loss", "batch", "seed", "replicas", "steps", "target", "halt", "every", "held", "device", "speed"]) {
      const field = page.getByTestId(`setting-${key}`).first();
      await field.waitFor({ state: "attached" });
      const named = await field.evaluate((node) => {
        const field = node.matches("input,select") ? node : node.querySelector("input,select");
        const by = (attribute) => (field.getAttribute(attribute) ?? "").split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
        return { name: field.labels?.[0]?.textContent || field.getAttribute("aria-label") || by("aria-labelledby"), help: by("aria-describedby"), tab: field.tabIndex };
      });
      assert.ok(named.name?.trim(), `${key} has a label`);
      assert.ok(named.help.trim().length > 15, `${key} has a help sentence: ${JSON.stringify(named)}`);
      assert.ok(named.tab >= 0);
    }
    await page.close();
  });
});

group("the charts", () => {
  const LINK = "#v1/sparse-parity?n=12&k=2&width=24&every=10&held=512&steps=100000&halt=steps&speed=200";
  const charts = (page) => page.locator("canvas").evaluateAll((all) => all.map((canvas) => canvas.dataset.testid));
  const pressed = (see, id) => see(id).getAttribute("aria-pressed");

  it("are chosen above them, by button and by key, while the run goes on, and the link keeps the choice", async () => {
    const { page, heard, see } = await visit(plain.context, site.address, LINK);
    await until(async () => (await stepOf(see)) > 20, "steps");
    assert.deepEqual(await charts(page), ["chart-loss", "chart-accuracy", "chart-weights"]);
    const before = (await rows(page))[0];
    // What the second program brings moves the buttons: on a busy machine a press may come just then.
    await see("library").waitFor({ timeout: 60_000 });
    await see("show-accuracy").click();
    await until(() => page.url().endsWith("&show=loss.weights"), () => `the choice in the address, not ${page.url()}`);
    assert.deepEqual(await charts(page), ["chart-loss", "chart-weights"]);
    assert.equal(await pressed(see, "show-accuracy"), "false");
    await see("log-x").focus();
    await page.keyboard.press("Space");
    await see("show-accuracy").focus();
    await page.keyboard.press("Enter");
    await until(() => page.url().endsWith("speed=200&x=log"), "the axis in the address");
    await until(async () => (await pixels(page, "chart-accuracy")) > 4, "the chart that came back");
    await see("log-y").click();
    assert.match(await page.locator("figure", { has: see("chart-accuracy") }).innerText(), /Error/);
    await see("show-loss").click();
    await see("show-accuracy").click();
    await until(() => page.url().endsWith("&show=weights&x=log&y=log"), "one chart");
    await see("show-weights").click();
    assert.match(await text(see("message")), /At least one chart must be shown/);
    const at = await stepOf(see);
    await until(async () => (await stepOf(see)) > at, "the run to go on");
    assert.deepEqual((await rows(page))[0], before, "it is the same run");
    await page.reload();
    await until(async () => (await pixels(page, "chart-weights")) > 4, "the same page again");
    assert.deepEqual(await charts(page), ["chart-weights"]);
    assert.deepEqual([await pressed(see, "log-x"), await pressed(see, "log-y")], ["true", "true"]);
    await until(async () => (await stepOf(see)) > 20, "steps");
    await see("show-loss").click();
    await see("undo").click();
    await until(() => page.url().endsWith("&show=weights&x=log&y=log"), "the choice before");
    assert.ok((await stepOf(see)) > 20, "undoing it restarts nothing");
    assert.deepEqual(heard.console, QUIET);
    await page.close();
  });

  it("have a sentence each, and fit every width in any number", async () => {
    const { page, see } = await visit(plain.context, site.address, LINK);
    await see("chart-loss").waitFor();
    // Those that do not apply are folded away.
    await until(async () => /^More charts: \d+$/.test(await text(see("more-charts"))), "what is folded away");
    await see("more-charts").click();
    const slugs = await see("toolbar").locator("[data-testid^=show-]").evaluateAll((all) => all.map((n) => n.dataset.testid.slice(5)));
    const title = (slug) => see(`show-${slug}`).getAttribute("title");
    await until(async () => !/Loading/.test((await Promise.all(slugs.map(title))).join()), "the second program, which draws most");
    for (const slug of slugs) assert.match(await title(slug), /^.{30,}\.$/, slug);
    await page.close();
    for (let count = 1; count <= slugs.length; count++) {
      const link = `${LINK}&show=${slugs.slice(0, count).join(".")}`;
      for (const size of [PHONE, { width: 1440, height: 900 }]) {
        const { page, heard, see } = await visit(plain.context, site.address, link, size);
        await see("toolbar").waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${wide} pixels too wide with ${count} charts`);
        // Charts and toolbar are as wide as the column that they stand in, and no cell of the grid is empty.
        const gap = await page.locator(".plots").evaluate((plots) => {
          const area = (box) => box.width * box.height;
          const boxes = [...plots.querySelectorAll("figure")].map((figure) => figure.getBoundingClientRect());
          const whole = plots.getBoundingClientRect();
          const top = Math.min(...boxes.map((box) => box.top));
          return 1 - boxes.reduce((sum, box) => sum + area(box), 0) / (whole.width * (whole.bottom - top));
        });
        assert.ok(gap < 0.08, `${count} charts leave ${Math.round(100 * gap)} % empty`);
        assert.deepEqual(heard.console, QUIET);
        await page.close();
      }
    }
  });

  it("that nobody knows are named in a notice, and the others are shown", async () => {
    const { page, see, heard } = await visit(plain.context, site.address, `${LINK}&show=loss.astrology`);
    await until(async () => /astrology/.test(await text(see("notice"))), "a notice");
    assert.deepEqual(await charts(page), ["chart-loss"]);
    assert.deepEqual(heard.console, QUIET);
    await page.close();
  });
}, { seconds: 60 });

group("advice", () => {
  it("says why settings cannot learn, and nothing where they can", async () => {
    const { page, see, heard } = await visit(plain.context, site.address, "#v1/sparse-parity?n=12&width=24&act=power&degree=2&start=paused");
    await until(async () => /polynomial of degree 2/.test(await text(see("advice"))), "the reason");
    assert.equal(await see("advice").getAttribute("role"), "note");
    await see("setting-degree").fill("3");
    await page.keyboard.press("Enter");
    await until(async () => (await page.getByTestId("advice").count()) === 0, "no reason");
    assert.deepEqual(heard.console, QUIET);
    await page.close();
  });
});

group("training on a GPU", () => {
  const LINK = "#v1/sparse-parity?n=12&k=2&width=16&every=1&held=128&steps=100&halt=steps&device=gpu&speed=0";

  it("trains through WebGPU, names it, and gives the CPU's numbers up to rounding", async () => {
    const { page, see, heard } = await visit(simulated.context, site.address, LINK);
    const measured = await until(async () => { const r = await rows(page); return r.length === 101 && r; }, "100 steps", 300);
    await until(async () => /^WebGPU \(simulated on the CPU\)/.test(await text(see("device"))), "the device");
    const native = lab(LINK, "--device", "cpu");
    for (const [step, tolerance] of [[1, 1e-5], [10, 1e-4], [100, 2e-3]]) {
      const worst = difference(measured, native, step + 1);
      console.log(`  WebGPU against the CPU after ${step} steps: ${worst.toExponential(1)}`);
      assert.ok(worst < tolerance, `${step} steps: ${worst}`);
    }
    assert.notEqual(measured[100].test_loss[0], measured[0].test_loss[0], "it learns");
    assert.deepEqual(heard.console, QUIET);
    await page.close();
  });

  it("judges rules on WebGPU as the CPU does, to the last digit", async () => {
    const link = "#v1/succinct-learning?model=cell-rules&inputs=5&examples=8&valid=100&replicas=2&steps=400&every=100&held=200&speed=0&device=gpu";
    const { page, see, heard } = await visit(simulated.context, site.address, link);
    const measured = await until(async () => { const r = await rows(page); return r.length === 5 && r; }, "400 restarts", 300);
    await until(async () => /^WebGPU \(simulated on the CPU\)/.test(await text(see("device"))), "the device");
    const native = lab(link, "--device", "cpu");
    for (const at of [1, 2, 3, 4]) assert.ok(difference(measured, native, at + 1) < 1e-7, `restart ${100 * at}`);
    assert.notEqual(measured[4].test_loss[0], measured[0].test_loss[0], "it learns");
    assert.deepEqual(heard.console, QUIET);
    await page.close();
  });

  // Each link is another shader: a loss, an optimizer, an activation, a kind of data, a shape.
  const FAMILIES = [
    "n=11&width=14&loss=square&lr=0.02&mom=0.9&wd=0.01&replicas=2",
    "n=11&width=14&loss=ce&opt=adam&wd=0.1&replicas=2&eps=0.0001",
    "n=10&k=2&width=9&act=power&degree=2&lr=0.02&batch=20",
    "n=10&k=2&width=9&act=zigzag&lr=0.02",
    "n=10&k=2&width=9&act=wave&lr=0.02",
    "n=10&k=2&width=9&act=osc&lr=0.02",
    "n=10&k=2&width=9&act=sin&lr=0.02",
    "n=10&width=5&act=sin&bias=hidden&second=ones&lr=0.01&wd=0.1&loss=corr",
    "model=polynet&n=9&lr=0.03&replicas=2",
    "n=31&width=20&m=100&noise=0.2&replicas=2",
    "n=33&width=70&batch=100&noise=0.1",
    "n=12&width=1024&lr=0.02",
  ];

  it("computes every family of networks in its kernels as autodiff does", async () => {
    const context = simulated.context;
    for (const family of FAMILIES) {
      const link = `#v1/sparse-parity?${family}&every=1&held=128&steps=100&halt=steps&device=gpu&speed=0`;
      const { page, see } = await visit(context, site.address, link);
      const measured = await until(async () => { const r = await rows(page); return r.length === 101 && r; }, family, 120);
      await trainsWith(see, /^fused kernels/);
      const native = lab(`${link}&learner=autodiff`, "--device", "cpu");
      const worst = [[1, 1e-5], [10, 1e-4], [100, 2e-3]].map(([step, tolerance]) => {
        const worst = difference(measured, native, step + 1);
        assert.ok(worst < tolerance, `${family}, ${step} steps: ${worst}`);
        return worst.toExponential(1);
      });
      console.log(`  ${family}: ${worst.join(", ")}`);
      await page.close();
    }
  });

  const SEQUENCES = [
    "t=12&batch=6&opt=sgd&lr=0.05",
    "k=3&t=14&heads=2&norm=pre&std=0.1&lr=0.002&wd=0.1&batch=5&replicas=2",
    "model=minimal-markov&opt=sgd&t=20&lr=0.002&batch=8",
  ];

  it("computes networks on sequences in its kernels as autodiff does", async () => {
    for (const family of SEQUENCES) {
      const link = `#v1/markov?${family}&every=1&held=64&steps=10&device=gpu&speed=0`;
      const { page, see, heard } = await visit(simulated.context, site.address, link);
      const measured = await until(async () => { const r = await rows(page); return r.length === 11 && r; }, family, 120);
      await trainsWith(see, /^fused kernels/);
      const native = lab(`${link}&learner=autodiff`, "--device", "cpu");
      const worst = [[1, 1e-5], [10, 1e-4]].map(([step, tolerance]) => {
        const worst = difference(measured, native, step + 1);
        assert.ok(worst < tolerance, `${family}, ${step} steps: ${worst}`);
        return worst.toExponential(1);
      });
      console.log(`  ${family}: ${worst.join(", ")}`);
      assert.deepEqual(heard.console, QUIET);
      await page.close();
    }
  });

  it("computes group networks in its kernels as autodiff does", async () => {
    const { page } = await visit(simulated.context, site.address, LINK.replace("steps=100", "steps=1"));
    await until(async () => (await rows(page)).length === 2, "the worker's own run", 120);
    const worker = page.workers().find((w) => w.url().includes("worker_fused"));
    const recorded = JSON.parse(readFileSync(new URL("../golden/trials.json", import.meta.url), "utf8"));
    for (const [relu, adam, after] of recorded) {
      for (const many of [false, true]) {
        const worst = [];
        for (const [i, [steps, tolerance]] of [[1, 1e-5], [10, 1e-4], [100, 2e-3]].entries()) {
          const weights = await worker.evaluate(async (wish) => {
            // The worker's own program: its file ends as the loader's does.
            const module = await import(self.location.pathname.replace("worker-loader", "worker_fused"));
            return Array.from(await module.trial(...wish));
          }, [7, 9, relu, adam, many, steps]);
          const scale = Math.max(...after[i].map(Math.abs));
          const apart = Math.max(...weights.map((w, at) => Math.abs(w - after[i][at]))) / scale;
          assert.equal(weights.length, after[i].length);
          assert.ok(apart < tolerance, `${relu ? "ReLU" : "x²"}, ${adam ? "Adam" : "descent"}, ${steps} steps: ${apart}`);
          worst.push(apart.toExponential(1));
        }
        console.log(`  ${relu ? "ReLU" : "x²"}, ${adam ? "Adam" : "descent"}, ${many ? "many workgroups" : "one"}: ${worst.join(", ")}`);
      }
    }
    await page.close();
  });

  it("trains with autodiff on WebGPU where that is wished, and says which learner trains", async () => {
    const link = LINK.replace("steps=100", "steps=10") + "&learner=autodiff";
    const { page, see, heard } = await visit(simulated.context, site.address, link);
    const measured = await until(async () => { const r = await rows(page); return r.length === 11 && r; }, "10 steps", 300);
    await trainsWith(see, /autodiff/i);
    assert.ok(page.workers().some((worker) => worker.url().includes("worker_gpu")));
    assert.ok(difference(measured, lab(link, "--device", "cpu"), 11) < 1e-4);
    assert.deepEqual(heard.console, QUIET);
    await page.close();
  });

  it("says so when a shader does not compile, and goes on on the CPU with no number of it", async () => {
    const { page, see } = await visit(simulated.context, site.address, LINK + "&seed=77");
    const worker = await until(() => page.workers().find((w) => w.url().includes("worker_fused")), "the worker");
    // The spoilt browser: from now on every shader has a word too many.
    await worker.evaluate(() => { self.spoilt = true; }).catch(() => {});
    await see("setting-width").fill("23");
    await page.keyboard.press("Enter");
    await until(async () => /^CPU: WebGPU cannot be used, because/.test(await text(see("device"))), "the CPU", 60);
    const measured = await until(async () => { const r = await rows(page); return r.at(-1)?.step === 100 && r; }, "the end", 60);
    const native = lab(page.url(), "--device", "cpu");
    assert.ok(difference(measured, native, 101) < 1e-3, "all of the run is the CPU's");
    await page.close();
  });

  it("goes on on the CPU from the last checkpoint when the GPU is lost, and says so", async () => {
    const link = LINK.replace("steps=100", "steps=1000000").replace("every=1&", "every=5&").replace("speed=0", "speed=200");
    const { page, see } = await visit(simulated.context, site.address, link);
    await until(async () => (await rows(page)).length >= 3, "measurements", 240);
    const worker = await until(() => page.workers().find((w) => w.url().includes("worker_fused")), "the worker");
    await page.waitForTimeout(2500); // a checkpoint has been sent by now
    await worker.evaluate(() => self.lentDevice.destroy());
    await until(async () => /^CPU: /.test(await text(see("device"))), "the CPU", 60);
    const at = await stepOf(see);
    await until(async () => (await stepOf(see)) > at + 100, "the run to go on", 60);
    const steps = (await rows(page)).map((row) => row.step);
    assert.ok(steps.every((step, i) => i === 0 || step > steps[i - 1]));
    await page.close();
  });

  it("says why there is no WebGPU and trains on the CPU", async () => {
    const { page, see, heard } = await visit(plain.context, site.address, LINK);
    await until(async () => (await rows(page)).at(-1)?.step === 100, "the end");
    assert.match(await text(see("device")), /^CPU: no WebGPU in this browser, because/);
    // The browser's own words when it is asked for a GPU and has none.
    assert.deepEqual(heard.console, ["warning: No available adapters."]);
    await page.close();
  });

  it("stops a diverged run at its last good step, with its data kept", async () => {
    const link = "#v1/sparse-parity?n=10&k=2&width=32&act=power&degree=4&lr=50&loss=square&every=1&held=64&steps=400&halt=steps";
    const { page, see, heard } = await visit(plain.context, site.address, link);
    await until(async () => /finite/i.test(await text(see("status"))), "the sentence");
    assert.ok((await rows(page)).length >= 1);
    assert.deepEqual(heard.console, QUIET);
    await page.close();
  });
}, { gpu: true, seconds: 150 });

const own = process.env[GROUP];
if (own === undefined) {
  // Words behind the script choose groups by their names.
  const words = process.argv.slice(2).map((word) => word.toLowerCase());
  const chosen = groups.filter(({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word)));
  assert.ok(chosen.length > 0, `no group of tests has one of these words in its name: ${words.join(" ")}`);
  process.exitCode = (await runGroups(fileURLToPath(import.meta.url), chosen)) ? 0 : 1;
} else {
  const chosen = groups.filter(({ name }) => name === own);
  assert.equal(chosen.length, 1, `there is no group "${own}"`);
  before(() => start(chosen[0]));
  afterEach(closeVisited);
  after(stop);
  describe(own, chosen[0].body);
}
