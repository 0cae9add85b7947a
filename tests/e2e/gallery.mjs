// The gallery, the titles of links, and the pages that show what a link is, in a browser without WebGPU.

import assert from "node:assert/strict";
import { it } from "node:test";

import { serve, stepOf, text, until, visit } from "./harness.mjs";
import { violations } from "./product.mjs";

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };

/** Tests in the browser and at the address that `here` gives. */
export function gallery(here) {
  const open = (link, size) => visit(here().context, here().address, link, size);
  // The browser's own words when it is asked for a GPU and has none.
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);
  const cards = (page) => page.locator(".gallery-card").count();
  /** How a tile's picture looks: a sum over its pixels, 0 where nothing is painted. */
  const painted = (page, lab) =>
    page.locator(`#picture-of-${lab}`).evaluate((canvas) => {
      // On a copy: reading the page's own canvas back would make the browser warn of it.
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
      copy.drawImage(canvas, 0, 0);
      const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
      return data.reduce((sum, value, at) => (sum + value * ((at % 9973) + 1)) % 2 ** 40, 0);
    });
  const drawn = (page) => until(async () => (await page.locator(".gallery-card svg").count()) > 50, "recorded curves");

  it("opens from the first view, which trains before any click, and goes back to it", async () => {
    const { page, heard, see } = await open("");
    await until(async () => (await stepOf(see)) > 0, "steps");
    assert.ok(!heard.requests.some((url) => /recorded\.txt|\/tiles\//.test(url)), "curves and tiles are fetched when they are wanted");
    // It comes with the second program, which is fetched beside the trainer.
    await until(() => see("strip-gallery").isVisible(), "the strip");
    const run = page.url();
    await see("gallery").click();
    await drawn(page);
    assert.ok(page.url().endsWith("#gallery"));
    assert.equal(await page.title(), "Gallery · Vivarium");
    assert.ok(!(await see("play").isVisible()), "the run is behind it");
    await until(() => page.evaluate(() => document.activeElement.className === "gallery__title"), "the heading in focus");
    const all = await cards(page);
    assert.match(await text(see("gallery-count")), new RegExp(`^${all} of ${all} experiments and stories are shown\\.$`));
    assert.ok(all > 90);
    // Each curve says that it is recorded, and what is seen.
    const curves = await page.locator(".gallery-card svg").evaluateAll((all) => all.map((svg) => svg.getAttribute("aria-label")));
    assert.ok(curves.every((label) => /, recorded: \S+.* at the first point, \S+.* at the last point/.test(label)), curves.find((label) => !/recorded/.test(label)));
    assert.equal(await page.locator(".gallery-card__chart").count(), curves.length);
    const at = await stepOf(see);
    await page.goBack();
    await until(async () => (await see("play").isVisible()) && page.url() === run, "the run");
    assert.ok((await stepOf(see)) >= at, "it went on and was not started again");
    assert.equal(await page.locator(".gallery").count(), 0);
    isQuiet(heard);
    await page.close();
  });

  it("filters by words, topic and time, and says how many there are", async () => {
    const { page, heard, see } = await open("#gallery");
    await drawn(page);
    const all = await cards(page);
    await see("filter-topic").selectOption("lab.markov");
    await until(async () => (await cards(page)) < all, "fewer cards");
    const links = () => page.locator(".gallery-card__name").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    assert.ok((await links()).every((link) => link.startsWith("#v1/markov")));
    const markov = await cards(page);
    await see("filter-words").fill("plateau");
    await until(async () => (await cards(page)) < markov, "those with the word");
    assert.ok((await cards(page)) > 0);
    assert.match(await text(see("gallery-count")), new RegExp(`^${await cards(page)} of ${all} experiments and stories are shown\\.$`));
    await see("filter-words").fill("astrology");
    await until(async () => /No experiment or story matches/.test(await text(see("gallery-count"))), "a sentence");
    await see("filter-words").fill("");
    await see("filter-topic").selectOption("");
    await see("filter-time").selectOption("seconds");
    await until(async () => { const many = await cards(page); return many > 50 && many < all; }, "quick ones");
    // What was chosen is there after a visit of a run.
    await see("card-sine-1").click();
    await until(async () => /act=sin/.test(page.url()) && (await see("play").isVisible()), "the run");
    await page.goBack();
    await until(async () => (await page.locator(".gallery").count()) === 1, "the gallery");
    assert.equal(await see("filter-time").inputValue(), "seconds");
    isQuiet(heard);
    await page.close();
  });

  it("opens a preset and a story by their cards, with titles, and by keyboard alone", async () => {
    const { page, heard, see } = await open("#v1/sparse-parity?n=12&k=2&width=16&every=10&steps=100000&halt=steps&speed=200");
    await until(async () => (await page.title()) === "Sparse parity, n = 12, k = 2, width = 16, … · Vivarium", "the title of the link");
    await until(async () => (await stepOf(see)) > 0, "steps");
    await page.locator("body").press("g");
    await drawn(page);
    // Keys of the run are not for a run that nobody sees.
    await page.keyboard.press("r");
    await page.keyboard.press("n");
    await page.keyboard.press("Escape");
    await until(async () => await see("play").isVisible(), "the run");
    assert.match(page.url(), /n=12&k=2&width=16/);
    assert.ok(!page.url().includes("seed="));
    await until(() => page.evaluate(() => document.activeElement.dataset.testid === "gallery"), "the focus back");
    await page.keyboard.press("Enter");
    await drawn(page);
    await until(() => page.evaluate(() => document.activeElement.className === "gallery__title"), "the heading in focus");
    const focused = () => page.evaluate(() => document.activeElement.dataset.testid);
    const order = [];
    const tiles = await page.locator(".tile__name").evaluateAll((all) => all.map((a) => a.dataset.testid));
    assert.equal(tiles.length, 13);
    for (let i = 0; i < 19; i++) {
      await page.keyboard.press("Tab");
      order.push(await focused());
    }
    assert.deepEqual(order, ["gallery-close", "filter-words", "filter-topic", "filter-time", ...tiles, "tiles-stop", "card-hidden-progress"]);
    await see("card-z23").focus();
    await page.keyboard.press("Enter");
    await until(async () => /#v1\/groups\?speed=60/.test(page.url()) && (await see("play").isVisible()), "the preset");
    await until(async () => / · Modular addition and finite groups · Vivarium$/.test(await page.title()), "its title");
    await until(async () => (await stepOf(see)) > 0, "its steps");
    await page.goBack();
    await until(async () => (await page.locator(".gallery").count()) === 1, "the gallery");
    await see("card-one-note").click();
    await until(async () => / · 1 of \d$/.test(await text(see("tour-place"))), "the story");
    assert.equal(await page.title(), "One frequency per neuron · Vivarium");
    isQuiet(heard);
    await page.close();
  });

  it("opens where it was left by a card when one goes back, and at its top otherwise", async () => {
    const { page, heard, see } = await open("#v1/sparse-parity?n=12&k=2&width=16&start=paused", DESK);
    const scrolled = () => page.evaluate(() => scrollY);
    const focused = () => page.evaluate(() => document.activeElement.dataset.testid);
    const heading = () => until(() => page.evaluate(() => document.activeElement.className === "gallery__title"), "the heading in focus");
    const run = () => until(async () => (await see("play").isVisible()) && (await scrolled()) === 0, "the run from its top");
    await see("gallery").click();
    await drawn(page);
    await heading();
    await see("card-z23").evaluate((card) => card.scrollIntoView({ block: "center" }));
    const at = await scrolled();
    assert.ok(at > 2 * DESK.height, `the card is at ${at}`);
    const isThere = async () => Math.abs((await scrolled()) - at) < 2 && (await focused()) === "card-z23";
    await see("card-z23").click();
    await run();
    await page.goBack();
    await until(isThere, "the place in the gallery");
    // After a reload, too, where the curves come later than the cards.
    await page.reload();
    await drawn(page);
    await until(isThere, "the place after a reload");
    // A gallery of other cards has no such place.
    await see("filter-topic").selectOption("lab.groups");
    await page.goForward();
    await run();
    await page.goBack();
    await heading();
    assert.equal(await scrolled(), 0);
    await see("filter-topic").selectOption("");
    await page.goForward();
    await run();
    // Nor has one that is opened anew.
    await see("gallery").click();
    await heading();
    assert.equal(await scrolled(), 0);
    isQuiet(heard);
    await page.close();
  });

  it("begins with a moving tile for each lab, which opens its run and can be stopped", async () => {
    const { page, heard, see } = await open("#gallery", DESK);
    await drawn(page);
    const names = page.locator(".tile__name");
    assert.equal(await names.count(), 13);
    const lefts = await page.locator(".tile").evaluateAll((all) => new Set(all.map((tile) => Math.round(tile.getBoundingClientRect().left))).size);
    assert.ok(lefts === 4 || lefts === 5, `${lefts} tiles in a row`);
    // The place of a picture is reserved before it is fetched.
    const [width, height] = await page.locator(".tile__picture").first().evaluate((canvas) => [canvas.clientWidth, canvas.clientHeight]);
    assert.ok(Math.abs(height - (width * 7) / 15) <= 1, `${width} × ${height}`);
    for (const lab of ["sparse-parity", "groups"]) {
      await until(() => painted(page, lab), `the picture of ${lab}`);
      const first = await painted(page, lab);
      await until(async () => (await painted(page, lab)) !== first, `${lab} to move`);
    }
    const label = await page.locator("#picture-of-sparse-parity").getAttribute("aria-label");
    assert.match(label, /^Recorded run: .*parity/);
    await see("tiles-stop").click();
    await until(async () => (await text(see("tiles-stop"))) === "Move the pictures", "the other label");
    // The button is below the tiles; pictures move while they are in view.
    const toTop = () => page.evaluate(() => scrollTo(0, 0));
    await toTop();
    // A tile is painted with a frame after it has come into view.
    await page.evaluate(async () => {
      for (let frame = 0; frame < 10; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    });
    const stopped = await painted(page, "sparse-parity");
    await page.waitForTimeout(2000);
    assert.equal(await painted(page, "sparse-parity"), stopped);
    await see("tiles-stop").click();
    await toTop();
    await until(async () => (await painted(page, "sparse-parity")) !== stopped, "it to move again");
    // All of the tile is its link; the way back leads to it.
    const machine = see("tile-turing-machine");
    await machine.evaluate((link) => link.scrollIntoView({ block: "center" }));
    const at = await page.evaluate(() => scrollY);
    await page.locator(".tile", { has: machine }).click({ position: { x: 20, y: 20 } });
    await until(async () => /#v1\/turing-machine$/.test(page.url()) && (await see("play").isVisible()), "the run");
    await page.goBack();
    const isThere = () => page.evaluate((at) => Math.abs(scrollY - at) < 2 && document.activeElement.id === "tile-turing-machine", at);
    await until(isThere, "the place of the tile");
    isQuiet(heard);
    await page.close();
  });

  it("shows the tiles of labs that match, and fetches those that come into view", async () => {
    const { page, heard, see } = await open("#gallery", PHONE);
    await drawn(page);
    const fetched = (lab) => page.evaluate((lab) => performance.getEntriesByType("resource").some(({ name }) => name.includes(`/tiles/${lab}.txt`)), lab);
    await until(() => painted(page, "sparse-parity"), "the first picture");
    const lefts = await page.locator(".tile").evaluateAll((all) => new Set(all.map((tile) => Math.round(tile.getBoundingClientRect().left))).size);
    assert.ok(lefts === 1 || lefts === 2, `${lefts} tiles in a row`);
    assert.ok(!(await fetched("succinct-learning")), "nobody sees the last tile");
    const last = page.locator("#picture-of-succinct-learning");
    await last.evaluate((canvas) => canvas.scrollIntoView());
    await until(() => painted(page, "succinct-learning"), "the last picture");
    assert.ok(await fetched("succinct-learning"));
    const tiles = () => page.locator(".tile").count();
    await see("filter-topic").selectOption("lab.markov");
    await until(async () => (await tiles()) === 1, "one tile");
    await page.evaluate(() => scrollTo(0, 0));
    await until(() => painted(page, "markov"), "its picture");
    await see("filter-topic").selectOption("stories");
    await until(async () => !(await see("tiles").isVisible()), "no tile");
    await see("filter-topic").selectOption("");
    await see("filter-words").fill("grokking");
    await until(async () => (await see("tile-groups").isVisible()) && (await tiles()) < 13, "labs with the word");
    // The number of matches is seen at once, above the tiles.
    await page.evaluate(() => scrollTo(0, 0));
    const [count, first] = await Promise.all([see("gallery-count").boundingBox(), page.locator(".tile").first().boundingBox()]);
    assert.ok(count.y + count.height <= first.y && first.y < PHONE.height, JSON.stringify([count, first]));
    isQuiet(heard);
    await page.close();
  });

  it("shows the last picture of each tile to whoever wants no motion", async () => {
    const { page, heard, see } = await open("", DESK);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await see("gallery").click();
    await until(() => painted(page, "sparse-parity"), "a picture");
    const still = await painted(page, "sparse-parity");
    await page.waitForTimeout(2000);
    assert.equal(await painted(page, "sparse-parity"), still);
    assert.ok(!(await see("tiles-stop").isVisible()), "there is nothing to stop");
    // Colours follow the theme.
    await page.emulateMedia({ reducedMotion: "reduce", colorScheme: "dark" });
    await until(async () => (await painted(page, "sparse-parity")) !== still, "the colours of the night");
    isQuiet(heard);
    await page.close();
  });

  it("has no violation that axe-core knows, and fits every width, in light and dark", async () => {
    for (const [colorScheme, size] of [["light", DESK], ["dark", DESK], ["light", PHONE], ["dark", PHONE]]) {
      const { page, heard } = await open("#gallery", size);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await drawn(page);
      assert.deepEqual(await violations(page), [], `${colorScheme}, ${size.width}`);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${size.width}`);
      const lefts = await page.locator(".gallery-card").evaluateAll((all) => new Set(all.map((card) => Math.round(card.getBoundingClientRect().left))).size);
      assert.ok(size === PHONE ? lefts === 1 : lefts > 2, `${lefts} columns`);
      await page.setViewportSize({ width: 320, height: 700 });
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, "the narrowest phone");
      isQuiet(heard);
      await page.close();
    }
  });

  it("works where the curves cannot be fetched, and says so", async () => {
    // Elsewhere, where the page is not kept: from there the curves come without a request.
    const site = await serve({ "service-worker.js": () => "throw new Error();" });
    const { page, see } = await visit(here().context, site.address, "#v1/sparse-parity?n=12&k=2&width=16&start=paused");
    await page.route("**/recorded.txt*", (route) => route.fulfill({ status: 404, body: "" }));
    await page.route("**/tiles/*", (route) => route.fulfill({ status: 404, body: "" }));
    await see("gallery").click();
    await until(async () => /recorded curves are missing/.test(await text(see("gallery-count"))), "a sentence");
    // A tile without its file has its name alone.
    assert.equal(await page.locator(".tile__name").count(), 13);
    assert.equal(await painted(page, "sparse-parity"), 0);
    await see("card-parity-50").click();
    await until(() => /#v1\/sparse-parity\?speed=1000$/.test(page.url()), "the preset");
    await page.close();
    site.close();
  });

  it("has a page for every preset, with a picture, that leads to its link", async () => {
    const { page } = await open("#gallery");
    await drawn(page);
    const slugs = await page.locator(".gallery-card:has(svg) .gallery-card__name[href^='#v1/']").evaluateAll((all) => all.map((a) => a.dataset.testid.slice(5)));
    const wide = await page.evaluate((slugs) => Promise.all(slugs.map(async (slug) => {
      const picture = new Image();
      picture.src = `p/${slug}.png`;
      await picture.decode();
      return picture.naturalWidth;
    })), slugs);
    assert.deepEqual([...new Set(wide)], [480], "every picture is one");
    const front = await page.evaluate(async () => {
      const picture = new Image();
      // A build for a known address has the whole of it there.
      picture.src = document.querySelector("meta[property='og:image']").content.split("/").pop();
      await picture.decode();
      return [picture.naturalWidth, picture.naturalHeight];
    });
    assert.deepEqual(front, [1200, 630]);
    const shared = await here().context.newPage();
    const source = await (await shared.request.get(`${here().address}p/induction.html`)).text();
    assert.match(source, /<meta property="og:image" content="(https:[^"]*\/)?induction\.png">/);
    assert.match(source, /<meta name="description" content="The KL divergence to the true distribution falls/);
    await shared.goto(`${here().address}p/induction.html`);
    await until(() => shared.url() === `${here().address}#v1/markov`, "the link");
    await until(async () => (await stepOf((id) => shared.getByTestId(id).first())) > 0, "its run");
    await shared.close();
    await page.close();
  });
}
