// The lab of a transformer that runs a Turing machine: tape and tokens in step, the blocks of one step, the search through
// past tokens, and machines that a person writes.

import assert from "node:assert/strict";
import { it } from "node:test";

import { pixels, stepOf, text, until, visit } from "./harness.mjs";

const LAB = "#v1/turing-machine";
const PHONE = { width: 390, height: 844 };
const GROUPS = ["st", "sym1", "sym2", "pos1", "pos2", "pos3", "scr1", "scr2", "scr3", "scr4", "mv"];

/** Tests in the browser and at the address that `here` gives. */
export function machineLab(here) {
  const open = (link, size) => visit(here().context, here().address, LAB + link, size);
  // The browser's own words when it is asked for a GPU and has none.
  const isQuiet = (heard) => assert.deepEqual(heard.console.filter((said) => said !== "warning: No available adapters."), []);
  const heading = (see) => text(see("block-heading"));
  const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  /** What "Step 37: state B, symbol under the head 1, symbol written 0, head on cell 66." says. */
  const said = async (see) => /^Step ([\d,]+): state (\S+), symbol under the head (.), symbol written (.), head on cell (\d+)\.$/.exec(await text(see("token-summary")));

  it("runs the busy beaver to its end, with tape and tokens in step", async () => {
    const { page, heard, see } = await open("?speed=0");
    await until(async () => (await stepOf(see)) === 107, "the last step");
    const token = await until(async () => { const now = await said(see); return now?.[1] === "107" && now; }, "the last token");
    assert.match(await text(see("agreement")), /^The tokens agree with the simulator in all 107 steps\.$/);
    const tape = /^State (\S+), head on cell (\d+), which holds (.)\.$/.exec(await text(see("tape-summary")));
    assert.deepEqual([tape[1], tape[2], tape[3]], [token[2], token[5], token[3]], "state, cell and symbol");
    assert.equal(await text(see("tape-halted")), "The machine halts in state halt.");
    // The head of the drawn tape stands on the cell that the token names.
    const heads = page.locator("[data-testid=tape-cells] .cell--head");
    assert.equal(await heads.count(), 1);
    assert.equal(await text(heads.locator(".cell__number")), token[5]);
    assert.equal(await text(heads.locator(".cell__symbol")), token[3]);
    assert.match(
      await text(see("machine-counts")),
      /^For T = 107 steps a position has 7 bits\. The transformer has width 46, 11 blocks and 164,436 parameters; 4,276 of the parameters are not 0, and ‖θ‖₁ = 6,104\. .* blocks 69,630 \(1,236; 1,546\), rounding 94,622 \(3,036; 4,554\), encoder 92 \(2; 2\), h₀ 46 \(2; 2\), θ_cls 46 \(0; 0\)\.$/,
    );
    for (const group of GROUPS) assert.equal(await see(`bits-${group}`).count(), 1, group);
    await until(async () => (await pixels(page, "bits-pos1")) > 1, "the numbers of the steps are drawn");
    await until(async () => (await pixels(page, "bits-st")) > 1, "the states are drawn");
    isQuiet(heard);
    await page.close();
  });

  it("goes on with the run", async () => {
    const { page, heard, see } = await open("?speed=8");
    await until(async () => (await said(see)) !== null, "a token");
    const early = Number((await said(see))[1]);
    await until(async () => Number((await said(see))?.[1]) > early, "more tokens");
    assert.match(await text(see("agreement")), /^The (tokens agree|token agrees) with the simulator/);
    isQuiet(heard);
    await page.close();
  });

  it("says from which step on tokens with noise differ from the simulator", async () => {
    const { page, heard, see } = await open("?sigma=0.1&speed=0");
    await until(async () => /^Step \d+ is the first step with a token that differs from the simulator's step\.$/.test(await text(see("agreement"))), "the step");
    assert.ok(await see("agreement").evaluate((of) => of.classList.contains("tape-comparison__agreement--violated")));
    isQuiet(heard);
    await page.close();
  });

  it("is gone through block by block: bits + 4 blocks, each with words of its own", async () => {
    for (const size of [PHONE, undefined]) {
      const { page, heard, see } = await open("?speed=0&layer=0", size);
      await until(async () => (await said(see))?.[1] === "107", "the last token");
      assert.equal(await page.locator("[data-testid=blocks] button").count(), 11);
      assert.equal(await heading(see), "Before the 11 blocks of the step");
      assert.match(await text(see("token-title")), /^Token of step 107 before its blocks$/);
      const seen = new Set();
      await see("block-slider").focus();
      for (let block = 1; block <= 11; block++) {
        await page.keyboard.press("ArrowRight");
        await until(async () => (await heading(see)).startsWith(`Block ${block} of 11: `), `block ${block}`);
        assert.equal(await see(`block-${block}`).getAttribute("aria-pressed"), "true");
        seen.add([await heading(see), await text(see("block-about")), await text(see("block-formula"))].join(" "));
        assert.match(await text(see("block-deviation")), /^Before rounding, the largest distance of a number in the token from the nearer of 0 and 1 is /);
      }
      assert.equal(seen.size, 11);
      assert.match(await text(see("block-result")), /^This is the last block: the token now holds the result of step 107, which agrees with the simulator\.$/);
      assert.match(await text(see("token-title")), /^Token of step 107 after all 11 blocks$/);
      // The buttons take arrow keys too, and the focus goes with them.
      await see("block-11").focus();
      await page.keyboard.press("Home");
      await until(async () => (await heading(see)) === "Block 1 of 11: apply the rule", "the first block");
      assert.equal(await page.evaluate(() => document.activeElement?.id), "block-1");
      assert.ok(await see("bits-st").evaluate((row) => row.classList.contains("bits__row--changed")) ||
        await see("bits-sym2").evaluate((row) => row.classList.contains("bits__row--changed")), "what it writes is marked");
      await see("block-next").click();
      await until(async () => (await heading(see)) === "Block 2 of 11: move the head", "the next block");
      assert.ok(await fits(page), "nothing is wider than the page");
      isQuiet(heard);
      await page.close();
    }
  });

  it("plays the blocks, and pauses", async () => {
    const { page, heard, see } = await open("?speed=0&layer=0");
    await until(async () => (await said(see))?.[1] === "107", "the last token");
    await see("block-play").click();
    await until(async () => (await heading(see)).startsWith("Block 3 of 11: "), "the third block");
    await see("block-play").click();
    assert.equal(await see("block-play").getAttribute("aria-pressed"), "false");
    const at = await heading(see);
    await page.waitForTimeout(2000);
    assert.equal(await heading(see), at, "it stands");
    isQuiet(heard);
    await page.close();
  });

  it("shows the search bit by bit, which ends on one token", async () => {
    const { page, heard, see } = await open("?speed=0&layer=11");
    await until(async () => (await said(see))?.[1] === "107", "the last token");
    const rows = page.locator("[data-testid=search] li");
    assert.equal(await rows.count(), 9, "written?, seven bits, and fetch");
    const found = /^According to the search, step (\d+) is the last step that wrote to cell (\d+); the symbol in the token is (.)\.$/.exec(await text(see("search-conclusion")));
    assert.ok(found, await text(see("search-conclusion")));
    let bits = "";
    for (let row = 1; row <= 7; row++) bits += await text(see(`search-written-${row}`));
    assert.equal(Number.parseInt(bits, 2), Number(found[1]), "the bits are the step's number");
    assert.match(await text(see("search-sentence-8")), /^Fetch: 1 candidate; 1 token has the largest attention weight, and the block writes .\.$/);
    assert.equal(found[3], (await said(see))[3]);
    await until(async () => (await pixels(page, "search-1")) > 1, "candidates are drawn");
    // Rows of later blocks wait for their turn.
    await see("block-4").click();
    await until(async () => (await text(see("search-written-2"))) === "–", "the second bit is open");
    assert.ok(await see("search-1").evaluate((row) => row.classList.contains("search__row--shown")));
    assert.match(await text(see("search-note")), /^Bit 1: \d+ candidates?; /);
    isQuiet(heard);
    await page.close();
  });

  it("takes a machine of the library in one change", async () => {
    const { page, heard, see } = await open("?speed=0", PHONE);
    await until(async () => (await see("machine-example").count()) === 1, "the chooser");
    await see("machine-example").selectOption("increment");
    await until(() => /m=increment/.test(page.url()), "the machine in the link");
    await until(async () => (await said(see))?.[1] === "14", "its last token");
    await until(async () => /^right _ → _ L carry\n/.test(await see("machine-rules").inputValue()), "its rules");
    assert.equal(await see("machine-input").inputValue(), "10111");
    assert.equal(await page.locator("[data-testid=machine-table] tbody tr").count(), 6);
    assert.match(await text(see("machine-about")), /^Adds 1 to a binary number\.$/);
    await page.keyboard.press("Escape");
    await see("block-1").focus();
    await page.keyboard.press("Control+z");
    await until(() => !/m=/.test(page.url()), "the busy beaver again");
    await until(async () => /^A _ → 1 R B\n/.test(await see("machine-rules").inputValue()), "its rules");
    assert.ok(await fits(page), "nothing is wider than a phone");
    isQuiet(heard);
    await page.close();
  });

  it("says what is wrong with rules while they are written, and runs them when they are right", async () => {
    const { page, heard, see } = await open("?speed=0", PHONE);
    await until(async () => (await see("machine-rules").count()) === 1, "the editor");
    await until(async () => (await said(see))?.[1] === "107", "the busy beaver");
    assert.equal(await text(see("machine-state")), "The current run uses this machine.");
    assert.ok(await see("machine-run").isDisabled());
    const before = page.url();
    await see("machine-rules").fill("go 0 -> 1 R go\ngo 1 -> 0 X go");
    await until(async () => (await text(see("machine-error"))) === "Line 2: unknown direction X; write L, R or S (stay).", "the mistake");
    assert.equal(await see("machine-rules").getAttribute("aria-invalid"), "true");
    assert.ok(await see("machine-run").isDisabled());
    await see("machine-line").click();
    const chosen = await see("machine-rules").evaluate((box) => box.value.slice(box.selectionStart, box.selectionEnd));
    assert.equal(chosen, "go 1 -> 0 X go");
    // The form that is used elsewhere, five words a line.
    await see("machine-rules").fill("; flips bits\ngo 0 1 r go\ngo 1 0 r go\ngo _ _ * halt");
    await see("machine-input").fill("0120");
    await until(async () => /^The input has the symbol 2/.test(await text(see("machine-input-error"))), "the symbol");
    await see("machine-input").fill("0110");
    await see("machine-cell").fill("x");
    await until(async () => /^The start cell must be a whole number/.test(await text(see("machine-cell-error"))), "the cell");
    await see("machine-cell").fill("9");
    await until(async () => (await text(see("machine-state"))) === "The current run uses another machine. Press “Run this machine” to run this one.", "it can run");
    assert.match(await text(see("machine-notation")), /^Five words per line \(morphett\.info\): 3 rules, 2 states, 3 symbols\.$/);
    assert.equal(page.url(), before, "nothing has happened yet");
    await see("machine-run").click();
    await until(() => /m=own/.test(page.url()) && /input=0110/.test(page.url()) && /cell=9/.test(page.url()), "the machine in the link");
    await until(async () => (await said(see))?.[1] === "107", "its last token");
    assert.match(await text(see("agreement")), /in all 107 steps\.$/);
    assert.equal(await text(see("tape-halted")), "The machine halts in state halt.");
    const cells = await page.locator("[data-testid=tape-cells] .cell").evaluateAll((all) =>
      all.map((cell) => [cell.querySelector(".cell__number").textContent, cell.querySelector(".cell__symbol").textContent]));
    const tape = Object.fromEntries(cells);
    assert.equal([9, 10, 11, 12].map((cell) => tape[cell]).join(""), "1001", "all bits are flipped");
    assert.match(await see("machine-rules").inputValue(), /^; flips bits\n/, "the text stays as it was written");
    await until(async () => (await text(see("machine-state"))) === "The current run uses this machine.", "the machine to run");
    assert.ok(await fits(page), "nothing is wider than a phone");
    // One undo brings the busy beaver back.
    await see("block-1").focus();
    await page.keyboard.press("Control+z");
    await until(() => !/m=own/.test(page.url()), "the machine before");
    await until(async () => /^A _ → 1 R B\n/.test(await see("machine-rules").inputValue()), "its rules");
    isQuiet(heard);
    await page.close();
  });

  it("can be written and run by keyboard alone", async () => {
    const { page, heard, see } = await open("?speed=0&m=increment&t=14&steps=14");
    await until(async () => (await said(see))?.[1] === "14", "the last token");
    await see("machine-input").focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("111");
    await page.keyboard.press("Enter");
    await until(() => /m=own/.test(page.url()) && /input=111(&|$)/.test(page.url()), "the input in the link");
    await until(async () => (await said(see))?.[1] === "14", "the last token again");
    await see("machine-rules").focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("a * -> * R a");
    await page.keyboard.press("Control+Enter");
    // The input has symbols that these rules do not know.
    await until(async () => /^The input has the symbol 1/.test(await text(see("machine-input-error"))), "the reason");
    await see("machine-discard").focus();
    await page.keyboard.press("Enter");
    await until(async () => /^right _ → _ L carry\n/.test(await see("machine-rules").inputValue()), "the rules that run");
    isQuiet(heard);
    await page.close();
  });

  it("says what is wrong with machines of links, and runs all the same", async () => {
    const many = Array.from({ length: 1000 }, (_, i) => `q${i % 20}~0~~0~R~q`).join(";");
    for (const rest of ["?m=own&rules=nonsense", "?m=own&rules=a~0~~1~R~a;a~0~~0~R~a", "?input=abc", "?m=own&rules=a~*~~*~L~a&cell=2", `?m=own&rules=${many}`]) {
      const { page, heard, see } = await open(`${rest}&speed=0`);
      await until(async () => (await text(see("notice"))).length > 10, `a notice for ${rest.slice(0, 40)}`);
      await until(async () => (await said(see)) !== null, "a run all the same");
      isQuiet(heard);
      await page.close();
    }
  });
}
