// The lab of students of a linear teacher: the overlap, and what theory says beside it.

import assert from "node:assert/strict";
import { it } from "node:test";

import { pixels, stepOf, text, until, visit } from "./harness.mjs";

/** Tests in the browser and at the address that `here` gives. */
export function perceptronLab(here) {
  it("learns by Hebb's rule, and theory knows the error", async () => {
    const { page, heard, see } = await visit(here().context, here().address, "#v1/teacher-student?speed=0", { width: 390, height: 844 });
    await until(async () => (await stepOf(see)) === 2000, "the last step");
    assert.equal(await page.title(), "Teacher and student: the default run · Vivarium");
    // A negative loss comes with its formula.
    assert.ok((await text(see("test-loss"))).startsWith("−"), await text(see("test-loss")));
    assert.ok((await page.getByText("Loss −y·f(x), held-out").count()) > 0, "the name of the negative loss");
    // The second program describes the chart, and the last weights come after the last measurement.
    const theory = /is (0\.\d+)\. Theory predicts that a student with this overlap answers (\d+\.\d) %/;
    const said = await until(async () => {
      const label = await see("chart-overlap").getAttribute("aria-label");
      return Number(theory.exec(label)?.[1]) > 0.94 && label;
    }, "the overlap");
    const [, overlap, wrong] = said.match(theory);
    assert.ok(Number(overlap) > 0.94 && Number(overlap) < 0.98, said);
    assert.ok(Math.abs(Number(wrong) - (100 * Math.acos(Number(overlap))) / Math.PI) < 0.5, said);
    await until(async () => (await pixels(page, "chart-overlap")) > 3, "two curves to be drawn");
    await until(async () => /20\.0 examples per weight/.test(await text(see("teacher"))), "what was seen");
    assert.match(await text(see("teacher")), /Theory predicts that 8\.\d % of the answers to new inputs are wrong\./);
    await see("teacher-alpha").press("End");
    await until(async () => /^After 100 examples per weight/.test(await text(see("teacher-summary"))), "more examples");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "nothing is wider than a phone");
    assert.deepEqual(heard.console.filter((message) => message !== "warning: No available adapters."), []);
    await page.close();
  });
}
