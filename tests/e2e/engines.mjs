// The page in Firefox and in WebKit's GTK port: what needs no WebGPU is the same there as in Chromium, to the last bit.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { ENGINES } from "./drivers.mjs";
import { inSingle, lab, rows, stepOf, text, until, visit } from "./harness.mjs";
import { stored } from "./library.mjs";

/** Runs with every kind of arithmetic that a network here needs, each of which ends by itself. */
const RUNS = [
  ["bits", "#v1/sparse-parity?n=12&k=2&width=24&seed=3&every=10&held=512&speed=0&device=cpu"],
  ["pairs", "#v1/groups?n=5&width=16&steps=200&every=10&halt=steps&speed=0&device=cpu"],
  ["sequences", "#v1/markov?t=24&batch=8&steps=40&every=4&halt=steps&speed=0&device=cpu"],
];
const LONG = "#v1/sparse-parity?n=14&k=2&width=24&every=10&steps=100000&halt=steps&held=256&speed=150&device=cpu";

const isOver = (see) => until(async () => /^Ended|reached|Found|All|last step|Finished/i.test(await text(see("status"))), "the end");

/** Tests at the address and next to the Chromium that `here` gives. */
export function engines(here) {
  /** What Chromium and the command line measure of a link: the same for all engines. */
  const known = new Map();
  const others = async (link) => {
    if (!known.has(link)) {
      const { page, see } = await visit(here().context, here().address, link);
      await isOver(see);
      known.set(link, [await rows(page), lab(link).map(inSingle)]);
      await page.close();
    }
    return known.get(link);
  };

  for (const { name, start, lacks } of ENGINES) {
    if (lacks) console.log(`${name}: skipped, because ${lacks}`);
    describe(name, { skip: lacks || false }, () => {
      let visited;
      const go = async (link = "") => {
        visited.heard.console.length = 0;
        await visited.go(here().address + link);
        await until(async () => (await text(visited.see("status"))).length > 0, "the page");
        return visited;
      };
      before(async () => {
        visited = await start();
        console.log(`  ${visited.version}`);
      });
      after(() => visited?.close());

      it("opens, trains without a click and finds the parity", async () => {
        const { page, see, heard } = await go();
        await until(async () => (await stepOf(see)) > 50, "steps");
        await isOver(see);
        const measured = await rows(page);
        assert.ok(measured[0].test_loss[0] > 0.8 && measured.at(-1).test_accuracy[0] === 1);
        assert.match(await text(see("device")), /^CPU: /);
        assert.match(await page.url(), /#v1\/sparse-parity\?n=20&width=64&every=10&speed=200$/);
        assert.deepEqual(heard.console, []);
      });

      for (const [what, link] of RUNS) {
        it(`makes the same run of a link as Chromium and the command line: ${what}`, async () => {
          const [chromium, native] = await others(link);
          const { page, see } = await go(link);
          await isOver(see);
          // On a busy machine the sentence of the run before may still stand there.
          await until(async () => (await rows(page)).at(-1)?.step === chromium.at(-1).step, "the last row");
          const mine = await rows(page);
          assert.deepEqual(mine, chromium);
          assert.equal(mine.at(-1).step, native.at(-1).step, "the step of success");
          for (const [i, row] of mine.entries()) assert.deepEqual([row.step, row.test_loss], [native[i].step, native[i].test_loss]);
        });
      }

      it("opens a preset from the gallery", async () => {
        const { page, see, heard } = await go(LONG);
        await until(() => see("strip-gallery").exists(), "the second program");
        await see("gallery").click();
        await until(() => see("card-z23").exists(), "its card");
        await see("card-z23").click();
        await until(async () => /#v1\/groups\?speed=60/.test(await page.url()), "its link");
        await until(async () => (await stepOf(see)) > 0, "its steps");
        assert.deepEqual(heard.console, []);
      });

      it("answers a bad link with a notice, and keeps the rest", async () => {
        const { page, see, heard } = await go("#v1/sparse-parity?n=14&k=2&batch=0&x=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&width=16");
        await until(async () => (await stepOf(see)) > 0, "steps");
        const notice = await text(see("notice"));
        assert.match(notice, /batch/);
        assert.match(notice, /onerror/);
        assert.equal(await page.evaluate("document.querySelectorAll('img[src=x]').length"), 0);
        assert.match(await page.url(), /#v1\/sparse-parity\?n=14&k=2&width=16$/);
        assert.deepEqual(heard.console, []);
      });

      it("pauses, makes one step, begins again, and takes another setting", async () => {
        const { page, see } = await go(LONG);
        await until(async () => (await rows(page)).length > 3, "measurements");
        await see("play").click();
        await until(async () => /Play/.test(await see("play").attribute("aria-label")), "a pause");
        await new Promise((resolve) => setTimeout(resolve, 300));
        const at = await stepOf(see);
        const [first] = await rows(page);
        await see("single-step").click();
        await until(async () => (await stepOf(see)) === at + 1, "one step");
        await see("reset").click();
        await until(async () => (await stepOf(see)) < at && (await rows(page)).length > 0, "a reset");
        assert.deepEqual((await rows(page))[0], first, "the same start");
        await see("setting-width").fill("33");
        await until(async () => /width=33/.test(await page.url()), "the width in the address");
        assert.match(await text(see("message")), /same seed/);
      });

      it("keeps a run through a reload, and goes on with the same curve", async () => {
        // A run has the identity of its link, and earlier tests left some: this one has a link of its own. The speed is no
        // part of the identity. So the run gets a long start over the one that begins at the reload: where that one has
        // caught up before the second program is there, nothing is left to offer.
        const link = LONG.replace("width=24", "width=20").replace("speed=150", "speed=1000");
        const { page, see } = await go(link);
        // WebKitGTK's driver has been seen to lose the answer of such a script once in some thirty runs; it is asked again.
        const kept = () => stored(page, here().address).catch(() => []);
        const far = async () => (await kept()).some((run) => /width=20/.test(run.id) && run.step > 3000);
        await until(far, "the run to be stored");
        await see("setting-speed").fill("40");
        await until(async () => /speed=40$/.test(await page.url()), "the speed in the address");
        await page.reload();
        await until(() => see("continue-run").exists(), "the offer");
        const step = Number(/step ([\d,]+)/.exec(await text(see("continue-run")))[1].replace(",", ""));
        assert.ok(step > 3000, `${step}`);
        await page.evaluate(() => document.querySelector("[data-testid=continue-run] button").click());
        await until(async () => (await stepOf(see)) > step + 50, "more steps");
        assert.ok((await stepOf(see)) < step + 600, "it did not begin again");
        // Read before the command line trains: the page goes on in the meantime.
        const mine = (await rows(page)).filter((row) => row.step > step);
        assert.ok(mine.length > 2);
        const again = lab(link, "--steps", String(mine.at(-1).step)).map(inSingle);
        for (const row of mine) assert.deepEqual(row.test_loss, again.find((other) => other.step === row.step).test_loss, `step ${row.step}`);
      });
    });
  }
}
