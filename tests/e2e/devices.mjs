// Which device trains a run: timed where no estimate can tell, and the bench that times them all.

import assert from "node:assert/strict";
import { it } from "node:test";

import { rows, stepOf, text, until, visit } from "./harness.mjs";
import { violations } from "./product.mjs";

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };

/** A run of so many replicas that either device may be the faster one. */
const LINK = "#v1/sparse-parity?n=12&k=2&width=24&replicas=20&steps=100000&halt=steps&every=100&held=64&speed=0";

/** Has the page take the simulated GPU for a real one. */
const asReal = (page) => page.addInitScript(() => {
  const own = Object.getOwnPropertyDescriptor(GPUAdapter.prototype, "info");
  const get = function () {
    return { vendor: own.get.call(this).vendor, architecture: "lent", description: "", isFallbackAdapter: false };
  };
  Object.defineProperty(GPUAdapter.prototype, "info", { ...own, get });
});

/** Tests in the browsers and at the address that `here` gives. */
export function devices(here) {
  const number = (words) => Number(words.replaceAll(",", ""));

  it("times a run on both devices where no estimate decides, trains it on the faster one, and remembers which", async () => {
    const { page, heard, see } = await visit(here().simulated, here().address, "#v1/sparse-parity?device=cpu");
    await until(async () => (await stepOf(see)) > 0, "the first run");
    await asReal(page);
    await page.goto("about:blank");
    heard.requests.length = 0;
    await page.goto(here().address + LINK);
    const said = await until(async () => {
      const device = await text(see("device"));
      return / steps per second (on the CPU|with WebGPU), and /.test(device) && device;
    }, "the speeds", 120);
    const [here_, other] = [...said.matchAll(/([\d,.]+) (?=steps|with|on)|and ([\d,.]+)/g)].map((match) => number(match[1] ?? match[2]));
    assert.ok(here_ > other && other > 0, said);
    await until(async () => (await stepOf(see)) > 100, "steps");
    assert.ok(heard.requests.some((url) => url.includes("worker_fused")), "the GPU was tried");
    const kept = await page.evaluate(() => localStorage.getItem("vivarium.speeds"));
    assert.equal(kept.split("\n").length, 2, kept);
    // Opened again, nothing is timed: only the program that trains is fetched.
    await page.goto("about:blank");
    heard.requests.length = 0;
    await page.goto(here().address + LINK);
    await until(async () => (await stepOf(see)) > 100, "the run again");
    assert.equal(await text(see("device")), said);
    const programs = heard.requests.filter((url) => /worker-loader/.test(url)).map((url) => new URL(url).searchParams.get("bin"));
    assert.deepEqual([...new Set(programs)], [said.startsWith("CPU") ? "worker" : "worker_fused"]);
    // Another browser, or a newer one, knows nothing of it.
    await page.evaluate(() => localStorage.setItem("vivarium.speeds", "another browser"));
    await page.goto("about:blank");
    heard.requests.length = 0;
    await page.goto(here().address + LINK);
    await until(async () => heard.requests.some((url) => url.includes("worker_fused")), "another trial");
    await page.close();
  });

  it("times ten networks on the CPU, compares them with a pasted table, and goes back to the run", async () => {
    await here().plain.grantPermissions(["clipboard-read", "clipboard-write"]);
    // A run that does not end before the bench begins, however busy the machine is.
    const { page, heard, see } = await visit(here().plain, here().address, "#v1/sparse-parity?steps=1000000&halt=steps", DESK);
    await until(async () => (await stepOf(see)) > 0, "steps");
    const run = page.url();
    await see("help").click();
    await see("bench").click();
    await until(() => see("bench-view").isVisible(), "the bench");
    assert.ok(page.url().endsWith("#bench") && !(await see("play").isVisible()));
    assert.equal(await page.title(), "Speed of this device · Vivarium");
    await see("bench-start").click();
    await until(async () => /^CPU: .* \(3 of 10\)$/.test(await text(see("bench-status"))), "the third network");
    assert.deepEqual(await violations(page), []);
    await until(async () => (await text(see("bench-status"))) === "The benchmark has ended.", "the end", 120);
    assert.equal(await page.locator("[data-testid=bench-rows] tbody tr").count(), 10);
    assert.match(await text(see("bench-view")), /This browser offers no GPU adapter that this page can use, so the benchmark measures only the CPU\./);
    const speeds = await page.locator("[data-testid=bench-rows] tbody tr td:nth-of-type(3)").allTextContents();
    assert.ok(speeds.every((speed) => number(speed) > 0), speeds.join());
    for (const form of ["markdown", "json"]) {
      await see(`bench-${form}`).click();
      const copied = await until(async () => {
        const said = await page.evaluate(() => navigator.clipboard.readText());
        return (form === "json" ? said.startsWith("{") : said.startsWith("Program: ")) && said;
      }, `the table as ${form}`);
      await see("bench-other").fill(copied);
      assert.match(await text(see("bench-compared")), /^The other table is from .*Chrom/);
      const times = await page.locator("[data-testid=bench-rows] tbody tr td:last-child").allTextContents();
      assert.ok(times.every((times) => /^(1\.00|0\.99\d|1\.0\d)$/.test(times)), times.join());
    }
    await see("bench-other").fill("no table");
    assert.match(await text(see("bench-compared")), /^The text is not a results table of the benchmark/);
    for (const [size, colorScheme] of [[{ ...PHONE, width: 320 }, "dark"], [PHONE, "dark"], [PHONE, "light"], [DESK, "dark"]]) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, "it fits");
      assert.deepEqual(await violations(page), []);
    }
    await page.keyboard.press("Escape");
    await until(async () => (await see("play").isVisible()) && page.url() === run, "the run");
    assert.match(await see("play").getAttribute("aria-label") ?? await text(see("play")), /Play/, "it has waited");
    const said = heard.console.filter((words) => !/No available adapters/.test(words));
    assert.deepEqual(said, []);
    await page.close();
  });

  it("times the simulated GPU too, is stopped, and the CPU is the right choice there", async () => {
    const { page, see } = await visit(here().simulated, here().address, "#bench");
    await see("bench-start").click();
    await until(async () => /^GPU, kernels of this page: .* \(3 of 10\)$/.test(await text(see("bench-status"))), "the GPU", 240);
    await see("bench-stop").click();
    assert.equal(await text(see("bench-status")), "The benchmark was stopped.");
    const found = await page.locator("[data-testid=bench-rows] tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    const speed = (network, kind) => found.find(([name, device]) => name === network && device.startsWith(kind))?.[3];
    for (const [network, device] of found.filter(([, device]) => !device.startsWith("CPU"))) {
      const [cpu, gpu] = ["CPU", "WebGPU"].map((kind) => number(speed(network, kind)));
      assert.ok(cpu > 0.9 * gpu, `${network}: ${cpu} on the CPU, ${gpu} on ${device}`);
    }
    assert.equal(found.filter(([, device]) => !device.startsWith("CPU")).length, 2);
    await page.close();
  });
}
