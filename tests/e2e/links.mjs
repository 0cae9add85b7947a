// Links that blocked the page: while each runs, the page's thread answers. Besides, links as other programs change them.

import assert from "node:assert/strict";
import { it } from "node:test";

import { stepOf, text, until, watchTasks } from "./harness.mjs";

/**
 * Milliseconds of processor time beyond those of a small run that a task may take. Without parts these links took 0.8 to 42
 * seconds by the clock.
 */
const MORE_MS = 250;

/** A small run, whose first paint and first charts are what any page takes. */
const SMALL = "#v1/markov?k=2&t=20&held=64&speed=0";

/** The links, what each of them shows once it is there, and how long that may take. */
const LINKS = [
  {
    name: "lines over all of 65,536 held-out sequences",
    link: "#v1/markov?k=8&gram=3&t=255&held=65536&alpha=0.3&speed=0",
    is: async (see) => (await stepOf(see)) > 0,
    seconds: 180,
  },
  {
    name: "lines over 256 held-out sequences, until they are drawn",
    link: "#v1/markov?k=8&gram=3&t=255&held=256&alpha=0.3&speed=0",
    is: async (see) => /for the trigram strategy/.test(await see("chart-kl").getAttribute("aria-label")),
    seconds: 180,
  },
  {
    name: "a look into four layers of 128 numbers",
    link: "#v1/markov?k=8&t=256&d=128&heads=8.8.8.8&mlp=on&norm=pre&held=64&batch=1&speed=0",
    is: async (see) => (await stepOf(see)) > 0,
    seconds: 180,
  },
  {
    name: "300 runs that begin with a network of largest margin",
    link: "#v1/groups?n=127&width=4096&from=maximum&sweep=seed:lin:1..300:300&start=paused",
    is: async (see) => /300/.test(await text(see("sweep-progress"))),
    seconds: 120,
  },
  {
    name: "the largest margin of a group of 128 elements",
    link: "#v1/groups?op=product&factors=2.2.2.2.2.4&width=600&start=paused",
    is: async (see) => (await text(see("status"))).length > 0,
    seconds: 60,
  },
  {
    name: "16,384 neurons on 512 bits",
    link: "#v1/sparse-parity?n=512&width=16384&start=paused",
    is: async (see) => (await text(see("status"))).length > 0,
    seconds: 60,
  },
  {
    name: "a deep network whose first layer is small",
    link: "#v1/sparse-parity?model=deep-mlp&widths=1.4096.4096.4096.4096&start=paused",
    is: async (see) => (await text(see("status"))).length > 0,
    seconds: 60,
  },
  {
    name: "4,096 replicas that are measured at every step",
    link: "#v1/sparse-parity?n=10&k=2&width=8&batch=8&held=64&replicas=4096&every=1&steps=400&halt=steps&speed=0",
    is: async (see) => (await stepOf(see)) >= 100,
    seconds: 180,
  },
];

/** Tests in the browser and at the address that `here` gives. */
export function links(here) {
  /** Opens a link, waits until it shows what it should and some seconds more, and gives the longest task in ms of processor time. */
  async function longest({ link, is, seconds }) {
    const page = await here().context.newPage();
    const tasks = await watchTasks(here().context.browser());
    try {
      await page.goto(here().address + link);
      const see = (id) => page.getByTestId(id).first();
      await until(() => is(see).catch(() => false), link, seconds);
      await page.waitForTimeout(4000);
      // Before the end of the page's process, which has the tasks.
      return await tasks.longest();
    } finally {
      await page.close();
    }
  }

  let small;
  for (const one of LINKS) {
    it(`answers while it computes ${one.name}`, async () => {
      const is = async (see) => (await stepOf(see)) > 0;
      small ??= await longest({ link: SMALL, is, seconds: 60 });
      const most = await longest(one);
      assert.ok(most <= Math.max(50, small) + MORE_MS, `a task of ${most} ms; a small run's longest is ${small}`);
    });
  }

  // What other programs make of a link on its way, and how many notices say what was changed.
  const MEANT = "#v1/sparse-parity?n=12&k=2&width=16&start=paused";
  const query = MEANT.slice(1);
  for (const [what, written, notices] of [
    ["? in place of #", `?${query}`, 0],
    ["? in place of #, and the rest encoded", `?${encodeURIComponent(query)}`, 0],
    ["%23 in place of #, which the server takes for a file", `%23${query}`, 0],
    ["%23 in place of #, and the rest encoded", encodeURIComponent(MEANT), 0],
    ["capital letters", MEANT.replace("v1/sparse-parity", "V1/Sparse-Parity"), 2],
    ["&amp; between settings", MEANT.replaceAll("&", "&amp;"), 1],
    ["a parenthesis at the end", `${MEANT})`, 1],
    ["the end of a sentence", `${MEANT}">,`, 1],
    ["%23 in place of #, and all of it encoded once more", encodeURIComponent(encodeURIComponent(MEANT)), 1],
    ["a hyphen at which no line breaks", MEANT.replace("sparse-parity", "sparse\u2011parity"), 1],
    ["an invisible character", MEANT.replace("&k", "&\u200bk"), 1],
    ["the escapes of LaTeX", MEANT.replaceAll("&", "\\&"), 1],
    ["the keys of a newsletter behind it", `${MEANT}?utm_source=letter&utm_medium=mail`, 1],
    ["the place of a footnote behind it", `${MEANT}#fnref1`, 1],
  ]) {
    it(`opens a link as meant with ${what}`, async () => {
      const page = await here().context.newPage();
      // The page for missing addresses leads on at once.
      await page.goto(here().address + written, { waitUntil: "commit" });
      await until(() => page.url() === here().address + MEANT, () => `${MEANT}, not ${page.url()}`);
      const see = (id) => page.getByTestId(id).first();
      await until(async () => (await see("step").count()) > 0, "the page");
      assert.equal(await page.locator("[data-testid=notice] li").count(), notices);
      await page.close();
    });
  }

  it("copies links without the keys by which other sites recognise visitors", async () => {
    const page = await here().context.newPage();
    await page.goto(`${here().address}?fbclid=IwAR0&course=7${MEANT}`);
    const copied = page.locator(".copy-field__text").first();
    await until(async () => (await copied.count()) > 0, "the link");
    assert.equal(await copied.inputValue(), `${here().address}?course=7${MEANT}`);
    await page.close();
  });

  it("has the newest link in the address although the browser refused to change it so often", async () => {
    const page = await here().context.newPage();
    await page.addInitScript(() => {
      // As Safari does with 100 changes in 10 seconds.
      const [MOST, MILLISECONDS] = [5, 4000];
      let times = [];
      window.refusals = 0;
      for (const name of ["pushState", "replaceState"]) {
        const change = history[name].bind(history);
        history[name] = (...words) => {
          times = times.filter((time) => performance.now() - time < MILLISECONDS);
          if (times.length >= MOST) {
            window.refusals += 1;
            throw new DOMException("too often", "SecurityError");
          }
          times.push(performance.now());
          return change(...words);
        };
      }
    });
    await page.goto(here().address + MEANT);
    const seed = page.getByTestId("setting-seed").first();
    await until(() => seed.isVisible(), "the settings");
    // Quickly, however slow the machine is: 20 changes within the page.
    await seed.evaluate(async (field) => {
      for (let seed = 101; seed <= 120; seed++) {
        field.value = `${seed}`;
        field.dispatchEvent(new Event("change", { bubbles: true }));
        // The address follows after the task.
        await new Promise((resolve) => setTimeout(resolve));
      }
    });
    for (let last = 121; last <= 130; last++) {
      await seed.fill(`${last}`);
      await seed.press("Enter");
    }
    await until(() => /[?&]seed=130&/.test(page.url()), () => `the newest seed, not ${page.url()}`);
    assert.ok((await page.evaluate(() => window.refusals)) > 0, "nothing was refused");
    await page.close();
  });

  it("asks before it begins what takes years, and trains nothing until Play", async () => {
    const page = await here().context.newPage();
    const link = "#v1/sparse-parity?n=512&width=4096&batch=1024&replicas=16&steps=10000000&device=cpu";
    await page.goto(here().address + link);
    const see = (id) => page.getByTestId(id).first();
    await until(async () => /^This run needs about .* GiB of memory and up to .* Play starts the run\.$/.test(await text(see("status"))), "the question");
    await page.waitForTimeout(2000);
    assert.equal(page.workers().length, 0, "no worker is opened");
    assert.equal(await stepOf(see), 0);
    await page.close();
  });
}
