// The Markov lab: its run, the panel that looks inside, and the theory, in a browser without WebGPU.

import assert from "node:assert/strict";
import { it } from "node:test";

import { inSingle, lab, pixels, rows, stepOf, text, until, visit } from "./harness.mjs";

/** A number of a sentence, by its place. */
const number = (sentence, at = 0) => Number([...sentence.matchAll(/[−-]?\d+\.\d+/g)].map((m) => m[0].replace("−", "-"))[at]);

/** What a canvas shows, as a checksum. */
const picture = (page, id) =>
  page.getByTestId(id).first().evaluate((node) => {
    const canvas = node.matches("canvas") ? node : node.querySelector("canvas");
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    let sum = 7;
    for (const byte of copy.getImageData(0, 0, canvas.width, canvas.height).data) sum = (Math.imul(sum, 31) + byte) | 0;
    return sum;
  });

/** Moves the slider of a setting by so many presses of a key, and says in how many frames a picture followed. */
const slide = (page, key, id, keyName) =>
  page.evaluate(async ([key, id, keyName]) => {
    const slider = document.querySelector(`#setting-${key}`).closest(".setting").querySelector("input[type=range]");
    const canvas = document.querySelector(`[data-testid=${id}]`);
    const seen = () => {
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
      copy.drawImage(canvas, 0, 0);
      return copy.getImageData(0, 0, canvas.width, canvas.height).data.join();
    };
    const before = seen();
    const begin = performance.now();
    // As a finger moves it: the link waits until it is let go.
    slider.value = String(Number(slider.value) + (keyName === "up" ? 1 : -1) * 120);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    // In frames: on a busy machine each takes longer.
    for (let frames = 1; performance.now() - begin < 20_000; frames++) {
      await new Promise(requestAnimationFrame);
      if (seen() !== before) return { frames, link: location.hash };
    }
    return { frames: Infinity, link: location.hash };
  }, [key, id, keyName]);

/** Lets a slider go. */
const release = (page, key) =>
  page.evaluate((key) => {
    const slider = document.querySelector(`#setting-${key}`).closest(".setting").querySelector("input[type=range]");
    slider.dispatchEvent(new Event("change", { bubbles: true }));
  }, key);

/** Tests in the browser and at the address that `here` gives. */
export function markovLab(here) {
  const open = (link, size) => visit(here().context, here().address, link, size);
  // The browser's own words when it is asked for a GPU and has none.
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);

  it("forms an induction head while one watches, and shows where its heads look", async () => {
    const { page, heard, see } = await open("#v1/markov?speed=0&device=cpu");
    await until(async () => /^Target reached at step \d+: the KL is more than half-way from the unigram KL to the bigram KL\. An induction head has formed/.test(await text(see("status"))), "the second drop", 60);
    const measured = await rows(page);
    assert.ok(measured.at(-1).test_accuracy[0] > 0.5, "more than half-way to the bigram line");
    assert.ok(measured[0].test_loss[0] > 2 * measured.at(-1).test_loss[0]);
    for (const id of ["head-1.1", "head-2.1", "chart-map", "chart-kl"]) {
      await until(async () => (await pixels(page, id)) > 4, `${id} is drawn`);
    }
    // The first layer looks at the symbol before.
    await until(async () => /^Head 1\.1: symbol 50 \(.\) attends to symbol 49 \(.\): 0\.\d+/.test(await see("head-1.1").getAttribute("aria-label")), "the symbol before");
    assert.match(await text(see("origin")), /^Held-out sequence 1 of 64: 50 symbols\.$/);
    for (const who of ["truth", "network", "uniform", "unigram", "bigram"]) {
      assert.match(await text(see(`next-${who}`)), /^\w+(\d+\.\d %){2}$/, who);
    }
    isQuiet(heard);
    await page.close();
  });

  it("is the run: the same bits in the page and on the command line", async () => {
    const links = [
      "#v1/markov?k=3&t=20&data=mixture&batch=8&held=64&steps=60&every=20&speed=0&replicas=2",
      "#v1/markov?gram=3&t=17&heads=2.1&norm=pre&mlp=on&batch=5&held=64&steps=40&every=20&speed=0",
      "#v1/markov?model=minimal-markov&opt=sgd&t=30&alpha=0.4&lr=0.002&held=64&steps=60&every=30&speed=0",
    ];
    for (const link of links) {
      const { page, see } = await open(link);
      await until(async () => /Ended|is learned|are learned|formed/.test(await text(see("status"))) && (await rows(page)).at(-1)?.step === Number(/steps=(\d+)/.exec(link)[1]), "the end");
      assert.deepEqual(await rows(page), lab(link, "--device", "cpu").map(inSingle), link);
      await page.close();
    }
  });

  it("reads a cell of a map by pointer and by keys, and symbols by where the prediction looks", async () => {
    const { page, heard, see } = await open("#v1/markov?d=6&from=circuit&c=200&start=paused&seq=0.1.1.0.1.0.0.1");
    const reading = () => text(see("head-reading"));
    await until(async () => (await pixels(page, "head-1.1")) > 1, "the map");
    const box = await see("head-1.1").boundingBox();
    const cell = (row, column) => [box.x + ((column - 0.5) / 8) * box.width, box.y + ((row - 0.5) / 8) * box.height];
    await see("head-1.1").scrollIntoViewIfNeeded();
    Object.assign(box, await see("head-1.1").boundingBox());
    await page.mouse.move(...cell(6, 5));
    await until(async () => (await reading()) === "Head 1.1: symbol 6 (a) attends to symbol 5 (b): 1.000", "a cell");
    await page.mouse.move(...cell(3, 7));
    await until(async () => (await reading()) === "Head 1.1: symbol 3 (b) cannot attend to later symbols.", "a later one");
    await page.mouse.move(2, 2);
    await see("head-2.1").focus();
    await page.keyboard.press("ArrowUp");
    await until(async () => /^Head 2\.1: symbol 8 \(b\) attends to symbol \d \(.\): 0\.\d+$/.test(await reading()), "the keyboard's cell");
    await page.keyboard.press("ArrowUp");
    await until(async () => (await reading()).startsWith("Head 2.1: symbol 7 (a) attends to"), "the row above");
    assert.doesNotMatch(page.url(), /off=/, "arrows switch nothing off");
    // The strip: arrows choose whose prediction is looked into.
    await see("symbol-8").focus();
    await page.keyboard.press("ArrowLeft");
    await until(() => page.url().includes("place=7"), "the place in the link");
    assert.equal(await see("symbol-7").getAttribute("aria-selected"), "true");
    assert.match(await text(see("strip-note")), /^Symbol 7 \(a\): 0\.\d+ \(head 2\.1\)\.$/);
    await see("symbol-8").hover();
    await until(async () => (await text(see("strip-note"))) === "Symbol 8 (b) comes after the chosen symbol.", "what is not seen");
    await page.keyboard.press("End");
    await until(() => !page.url().includes("place="), "the last symbol");
    isQuiet(heard);
    await page.close();
  });

  it("switches a head off by a press: the loss and the prediction change, and the link says so", async () => {
    const { page, heard, see } = await open("#v1/markov?d=6&from=circuit&c=200&start=paused&chain=10.90.90.10");
    const loss = () => text(see("sequence-loss"));
    await until(async () => /^KL to the truth, mean over this sequence: 0\.\d+\.$/.test(await loss()), "the loss");
    const [before, predicted] = [number(await loss()), await text(see("next-network"))];
    await see("head-1.1").click();
    await until(async () => (await loss()).includes("; with all heads"), "the loss without a head");
    assert.ok(number(await loss()) > before + 0.1, await loss());
    assert.equal(number(await loss(), 1), before);
    assert.notEqual(await text(see("next-network")), predicted);
    await until(() => page.url().endsWith("&off=1"), "the link");
    assert.match(await text(see("heads-off")), /^Head 1\.1 is switched off: predictions and maps/);
    assert.equal(await see("head-1.1").getAttribute("aria-pressed"), "false");
    await page.reload();
    await until(async () => (await loss()).includes("; with all heads"), "the same after loading the link again");
    await see("head-1.1").focus();
    await page.keyboard.press("Enter");
    await until(async () => number(await loss()) === before, "the head on again");
    await see("head-2.1").click();
    await see("all-heads").click();
    await until(() => !page.url().includes("off="), "all on");
    isQuiet(heard);
    await page.close();
  });

  it("measures the KL without each head along the run", async () => {
    const { page, heard, see } = await open("#v1/markov?speed=0&device=cpu&halt=steps&steps=400");
    await see("measure-heads").click();
    await until(async () => /^KL without this head: \d\.\d+ \([+−]\d/.test(await text(see("without-1.1"))), "the loss without the first head", 60);
    assert.match(page.url(), /show=.*ablation/);
    await until(async () => (await pixels(page, "chart-ablation")) > 3, "the chart");
    await until(async () => /^(Ended|Target reached).*$/.test(await text(see("status"))) && (await stepOf(see)) === 400, "the end", 60);
    await until(async () => number(await text(see("without-1.1")), 1) > 0.02, "the previous-token head is needed");
    isQuiet(heard);
    await page.close();
  });

  it("looks into sequences that are typed and clicked, and says what is wrong with one", async () => {
    const { page, heard, see } = await open("#v1/markov?start=paused");
    const own = see("custom-sequence");
    await own.fill("abba");
    await until(() => page.url().includes("seq=0.1.1.0"), "the link");
    assert.equal(await text(see("origin")), "Your own sequence: 4 symbols.");
    const predicted = await text(see("next-bigram"));
    await own.fill("abbac");
    await until(async () => /^Expected symbols from a to b, or from 0 to 1; “c” is not one of these symbols\.$/.test(await text(see("custom-sequence-error"))), "the reason");
    assert.equal(await own.getAttribute("aria-invalid"), "true");
    assert.ok(page.url().includes("seq=0.1.1.0"), "the last one stays");
    assert.deepEqual([await text(see("origin")), await text(see("next-bigram"))], ["Your own sequence: 4 symbols.", predicted]);
    await own.fill("01 10");
    await until(async () => (await text(see("custom-sequence-error"))) === "", "digits are symbols");
    await see("append-b").click();
    await until(() => page.url().includes("seq=0.1.1.0.1"), "a symbol more");
    assert.equal(await text(see("origin")), "Your own sequence: 5 symbols.");
    await see("shorten").click();
    await until(() => /seq=0\.1\.1\.0(&|$)/.test(page.url()), "a symbol less");
    await see("back-to-held-out").click();
    await until(async () => (await text(see("origin"))).startsWith("Held-out sequence 1"), "the held-out one");
    await see("next-example").click();
    await until(async () => (await text(see("origin"))).startsWith("Held-out sequence 2"), "the next one");
    isQuiet(heard);
    await page.close();
  });

  it("draws sequences of one's own chain, and refuses one that is not stochastic", async () => {
    const { page, heard, see } = await open("#v1/markov?start=paused");
    await see("chain-a-b").fill("90");
    await page.keyboard.press("Enter");
    await until(() => /chain=10\.90\.\d+\.\d+/.test(page.url()), "the entry with the rest of its row");
    assert.match(await text(see("origin")), /^Sequence 1 of your chain: 50 symbols\.$/);
    const all = see("custom-rows");
    await all.fill("10 90 / 60 30");
    await all.blur();
    await until(async () => /^Expected 2 rows of 2 numbers, where each row sums to 100; .*row 2.*\.$/.test(await text(see("chain-error"))), "the reason");
    assert.match(page.url(), /chain=10\.90\.\d+\.\d+/, "the last one stays");
    await all.fill("10 90 / 60 40");
    await all.blur();
    await until(() => page.url().endsWith("chain=10.90.60.40"), "the chain");
    assert.equal(await text(see("chain-error")), "");
    assert.equal(await see("chain-b-a").inputValue(), "60");
    assert.equal(await text(see("stationary")), "Shares of the symbols in a very long sequence from this chain: a 40.0 % and b 60.0 %.");
    await see("chain-b-a").fill("120");
    await page.keyboard.press("Enter");
    await until(async () => /whole number of percent from 0 to 100/.test(await text(see("chain-error"))), "the range");
    assert.equal(await see("chain-b-a").inputValue(), "60");
    await see("arrow-a-b").locator("path").first().click({ force: true });
    await until(() => page.evaluate(() => document.activeElement?.id === "chain-a-b"), "an arrow leads to its entry");
    await see("no-chain").click();
    await until(() => !page.url().includes("chain="), "held-out sequences again");
    isQuiet(heard);
    await page.close();
    const bad = await open("#v1/markov?start=paused&chain=90.20.30.70&seq=0.5");
    const notice = await text(bad.see("notice"));
    assert.ok(/row 1/.test(notice) && /as symbols, where k = 2/.test(notice), notice);
    await bad.page.close();
  });

  it("explores the theory at once: drawings follow sliders, and links keep what they were set to", async () => {
    const { page, heard, see } = await open("#v1/markov?model=minimal-markov&speed=0&device=cpu");
    for (const id of ["theory-v", "theory-w", "theory-parts", "theory-ratio", "theory-w-trained"]) {
      await until(async () => (await pixels(page, id)) > 3, `${id} is drawn`);
    }
    await until(async () => /^(Target reached|Ended)/.test(await text(see("status"))) && (await stepOf(see)) === 400, "the run", 60);
    assert.match(await text(see("theory-texts")), /4\.46 times.*distance 1.*favours bigrams/);
    const counts = [];
    for (const [key, id, way] of [["tt", "theory-v", "down"], ["teta", "theory-w", "down"], ["tc", "theory-w", "up"], ["tsteps", "theory-ratio", "up"]]) {
      await page.waitForTimeout(150);
      const before = page.url();
      const { frames, link } = await slide(page, key, id, way);
      assert.ok(before.endsWith(link), "the link waits");
      counts.push(frames);
      await release(page, key);
      await until(() => new RegExp(`[&?]${key}=`).test(page.url()), `${key} in the link`);
    }
    assert.ok(Math.min(...counts) < 6 && counts.every((frames) => frames < 24), `frames until drawn: ${counts}`);
    await see("setting-tdata").selectOption("twostep");
    await until(async () => /outside the diagonal is −/.test(await text(see("theory-texts"))), "the two-step curriculum");
    await page.waitForTimeout(150);
    assert.ok((await slide(page, "teps", "theory-v", "down")).frames < Infinity);
    await release(page, "teps");
    await until(() => page.url().includes("teps="), "ε in the link");
    const [sentences, link] = [await text(see("theory-texts")), page.url()];
    await page.goto("about:blank");
    await page.goto(link);
    await until(async () => (await text(see("theory-texts"))) === sentences, "the same theory from the link");
    assert.equal(page.url(), link);
    isQuiet(heard);
    await page.close();
  });

  it("follows the sharpness of the circuit written by hand", async () => {
    const { page, heard, see } = await open("#v1/markov?d=6&from=circuit&start=paused&chain=10.90.90.10");
    await until(async () => (await pixels(page, "head-1.1")) > 1, "the map");
    const loss = async () => number(await text(see("sequence-loss")));
    const slider = page.getByLabel("Sharpness c, slider");
    let map = await picture(page, "head-1.1");
    const found = [];
    for (const place of ["0", "400", "1000"]) {
      const [link, before] = [page.url(), map];
      await slider.fill(place);
      await until(() => page.url() !== link, "the link");
      // The map is painted in a later frame.
      await until(async () => (map = await picture(page, "head-1.1")) !== before, `the map at ${place}`);
      found.push([await loss(), map]);
    }
    assert.match(page.url(), /c=200/);
    assert.ok(found[0][0] > found[2][0] + 0.3, `blind without sharpness, and right with it: ${found}`);
    assert.equal(new Set(found.map(([, map]) => map)).size, 3, "every sharpness has its own map");
    assert.equal(await stepOf(see), 0, "without a step");
    isQuiet(heard);
    await page.close();
  });

  it("fits a phone, in light and in dark", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const { page, heard, see } = await open("#v1/markov?k=8&heads=4.4&start=paused", { width: 390, height: 844 });
      await page.emulateMedia({ colorScheme });
      await until(async () => (await pixels(page, "head-2.4")) > 1, "the last map");
      await page.getByTestId("theory").locator("summary").click();
      await until(async () => (await pixels(page, "theory-v")) > 3, "the theory");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} pixels too wide`);
      const cut = await see("inside").evaluate((panel) => {
        // Wide tables move in frames of their own.
        const nodes = [...panel.querySelectorAll("button, input, canvas, svg, p")].filter((node) => !node.closest("table"));
        const ends = nodes.map((node) => node.getBoundingClientRect());
        return ends.filter((end) => end.width > 0 && end.right > innerWidth).length;
      });
      assert.equal(cut, 0, "nothing reaches beyond the edge");
      isQuiet(heard);
      await page.close();
    }
  });
}
