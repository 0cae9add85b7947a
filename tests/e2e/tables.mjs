// Tables: a generated one, forests beside networks, and a CSV file that is opened, kept and never sent.

import assert from "node:assert/strict";
import { it } from "node:test";

import { open, pixels, rows, stepOf, text, until, visit } from "./harness.mjs";

/** A file of 120 rows whose label depends on one of its columns. */
function csv() {
  const line = (i) => {
    const [size, age] = [(i * 37) % 101, (i * i) % 89];
    return [size, age, "word", size > 50 ? "large" : "small", i % 2].join(";");
  };
  return ["size;age;kind;verdict;week", ...Array.from({ length: 120 }, (_, i) => line(i))].join("\n");
}

const file = (name, content) => ({ name, mimeType: "text/csv", buffer: Buffer.from(content) });
const QUICK = "batch=32&steps=60&every=20&replicas=3&widths=16.16&speed=0&device=cpu";

/** Numbers of the files that the browser stores. */
const kept = (page) =>
  page.evaluate(async () => {
    const settled = (request) => new Promise((fine, wrong) => ((request.onsuccess = () => fine(request.result)), (request.onerror = wrong)));
    const name = (await indexedDB.databases())[0]?.name;
    const database = await settled(indexedDB.open(name));
    const keys = await settled(database.transaction(["tables"]).objectStore("tables").getAllKeys());
    database.close();
    return keys;
  });

/** Tests in the browser and at the address that `here` gives. */
export function tables(here) {
  const go = (link, size) => visit(here().context, here().address, link, size);

  it("trains networks and forests on the same generated table", async () => {
    const { page, heard, see } = await go(`#v1/tabular?m=100&${QUICK}`);
    await until(async () => /^The table has 4,000 rows and 20 columns/.test(await text(see("table-texts"))), "the table's sentences");
    assert.match(await text(see("table-texts")), /depends only on columns \d+, \d+ and \d+, and it jumps at one point/);
    await until(async () => (await rows(page)).at(-1)?.step === 60, "the last row");
    const network = await rows(page);
    assert.equal(network.at(-1).test_accuracy.length, 3);
    await until(async () => (await pixels(page, "chart-accuracy")) > 3, "curves to be drawn");
    await see("setting-model").selectOption("random-forest");
    await until(async () => /Random forest/.test(await text(see("status")) + (await page.title())) || (await stepOf(see)) === 60, "the forest");
    await until(async () => (await rows(page)).at(-1)?.train_accuracy?.every((right) => right > 0.97), "trees that fit their sample");
    const forest = await rows(page);
    assert.ok(forest.at(-1).test_accuracy.every((right) => right > 0.55 && right < 1), `${forest.at(-1).test_accuracy}`);
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("opens a CSV file, trains on it, and has it again when the page is loaded anew", async () => {
    const { page, heard, see } = await go(`#v1/tabular?n=7&m=60&${QUICK}`);
    await see("table-input").setInputFiles(file("houses.csv", csv()));
    // The column called "verdict" is no usual name of a label, so that the last one is taken.
    await until(async () => /The label is the column week/.test(await text(see("table-texts"))), "the file's sentences");
    await see("table-label").selectOption({ label: "verdict" });
    await until(async () => /The label is the column verdict, with the two classes large and small/.test(await text(see("table-texts"))), "another label");
    assert.match(await text(see("table-texts")), /Columns left out because some values are not numbers: kind\./);
    const link = await page.evaluate(() => location.hash);
    assert.match(link, /data=own&csv=\d+/);
    await until(async () => (await rows(page)).at(-1)?.step === 60, "the last row");
    const before = await rows(page);
    assert.ok(before.at(-1).test_accuracy.reduce((a, b) => a + b) / 3 > 0.8, "the label is easy");
    // The file is written down meanwhile, which takes as long as the disk takes.
    const number = /csv=(\d+)/.exec(link)[1];
    await until(async () => (await kept(page)).includes(number), "the file in the browser's storage");
    await page.reload();
    await until(async () => /^houses\.csv/.test(await text(see("table"))), "the file that is kept");
    assert.equal(await page.getByTestId("notice").count(), 0);
    await until(async () => (await rows(page)).at(-1)?.step === 60, "the same run");
    assert.deepEqual(await rows(page), before);
    await see("table-generated").click();
    await until(async () => /^A generated table/.test(await text(see("table"))), "the generated one");
    await page.keyboard.press("Control+z");
    await until(async () => /^houses\.csv/.test(await text(see("table"))), "the file again");
    assert.deepEqual(heard.console, []);
    await page.close();

    // Somebody else who is sent the link has no such file.
    const other = await open();
    const alone = await visit(other.context, here().address, link);
    await until(async () => /CSV file of this link is not open on this page/.test(await text(alone.see("notice"))), "a sentence");
    await until(async () => (await stepOf(alone.see)) === 60, "a generated table meanwhile");
    await alone.see("table-input").setInputFiles(file("copy.csv", csv()));
    await until(async () => /^copy\.csv/.test(await text(alone.see("table"))), "the same file under another name");
    await alone.see("table-label").selectOption({ label: "verdict" });
    await until(async () => (await alone.page.evaluate(() => location.hash)) === link, "the same link");
    await until(async () => (await rows(alone.page)).at(-1)?.step === 60, "the same run there");
    assert.deepEqual(await rows(alone.page), before);
    await other.close();
  });

  it("says what is wrong with a file and fits a phone", async () => {
    const { page, heard, see } = await go(`#v1/tabular?m=60&${QUICK}`, { width: 390, height: 844 });
    await until(async () => (await page.getByTestId("table-input").count()) === 1, "the table's card");
    await see("table-input").setInputFiles(file("broken.csv", "a,b\n1,2,3\n"));
    await until(async () => /broken\.csv was not opened: .*the number of cells in line 2 is 3/.test(await text(see("table-error"))), "a sentence");
    await see("table-input").setInputFiles(file("metrics.csv", "step,replica,train_loss\n1,0,2\n"));
    await until(async () => /table of metrics/.test(await text(see("table-error"))), "another sentence");
    assert.match(await page.evaluate(() => location.hash), /^#v1\/tabular\?m=60/);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "nothing is wider than a phone");
    const long = `${"W".repeat(250)}.csv`;
    for (const [content, id, said] of [["a,b\n1,2,3\n", "table-error", /^W+\.csv was not opened/], [csv(), "table", /^W+\.csv/]]) {
      await see("table-input").setInputFiles(file(long, content));
      await until(async () => said.test(await text(see(id))), `the long name in ${id}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), `${id} breaks a long name`);
    }
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("lets another label be chosen where a table is refused", async () => {
    const { page, heard, see } = await go(`#v1/tabular?m=60&${QUICK}`);
    const rows = Array.from({ length: 80 }, (_, i) => `${(i * 37) % 101},${["no", "yes"][i % 2]},same`);
    await until(async () => (await page.getByTestId("table-input").count()) === 1, "the table's card");
    await see("table-input").setInputFiles(file("houses.csv", ["size,sold,kind", ...rows].join("\n")));
    await until(async () => /the same value in all rows/.test(await text(see("table-error"))), "a sentence");
    await see("refused-label").selectOption({ label: "sold" });
    await until(async () => /The label is the column sold/.test(await text(see("table-texts"))), "the other label");
    assert.equal(await page.getByTestId("refused-table").count(), 0);
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("lets the first line and columns that count the rows be chosen", async () => {
    const { page, heard, see } = await go(`#v1/tabular?m=60&${QUICK}`);
    const rows = Array.from({ length: 80 }, (_, i) => `${i},${(i * 37) % 101},${["no", "yes"][i % 2]}`);
    await until(async () => (await page.getByTestId("table-input").count()) === 1, "the table's card");
    await see("table-input").setInputFiles(file("houses.csv", ["id,size,sold", ...rows].join("\n")));
    await until(async () => /left out because they count the rows: id\./.test(await text(see("table-texts"))), "the column of row numbers");
    assert.match(await text(see("table-texts")), /80 rows and 1 columns/);
    await see("table-counters").check();
    await until(async () => /80 rows and 2 columns/.test(await text(see("table-texts"))), "both columns");
    const command = await page.locator(".copy-field", { has: page.getByTestId("copy-command") }).locator("input").inputValue();
    assert.match(command, /^lab run "#v1\/tabular\?data=own&csv=\d+.*" --table houses\.csv --label sold --row-numbers/);
    await see("table-header").selectOption("data");
    await until(async () => /no column contains only numbers/.test(await text(see("table-error"))), "names are no numbers");
    assert.deepEqual(heard.console, []);
    await page.close();
  });

  it("draws what networks and forests err at the end of a sweep", async () => {
    const sweep = "sweep=m:30_90&series=model:deep-mlp_random-forest&halt=steps&show=accuracy.ends";
    const { page, heard, see } = await go(`#v1/tabular?n=6&rows=400&${QUICK}&${sweep}`);
    const said = () => see("chart-ends").getAttribute("aria-label");
    await until(async () => /model = Random forest: \d+\.\d % of the answers on held-out examples are wrong at m = 90\.$/.test(await said()), "all four runs", 60);
    assert.match(await said(), /model = Deep MLP: \d+\.\d % of the answers on held-out examples are wrong at m = 90;/);
    await until(async () => (await pixels(page, "chart-ends")) > 3, "curves to be drawn");
    assert.deepEqual(heard.console, []);
    await page.close();
  });
}
