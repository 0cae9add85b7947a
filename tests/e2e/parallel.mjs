// Groups of tests side by side, each in a process with browsers of its own: much of a test is waiting.

import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

/** Processes at a time: BROWSERS, or one for each core up to four. */
const PROCESSES = Number(process.env.BROWSERS ?? Math.min(availableParallelism(), 4));

/** Runs one group in a process of its own; gives its output, its counts of tests and its time in seconds. */
function runGroup(script, { name }) {
  const start = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script], { env: { ...process.env, GROUP: name }, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.once("error", (error) => resolve({ name, output: String(error), isGood: false, counts: {}, seconds: 0 }));
    child.once("close", (code) => {
      const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
      const counts = Object.fromEntries(["tests", "pass", "fail", "cancelled", "skipped"].map((what) => [what, count(what)]));
      // A group without a test has lost its tests.
      resolve({ name, output, isGood: code === 0 && counts.tests > 0, counts, seconds: (performance.now() - start) / 1000 });
    });
  });
}

/**
 * Runs groups, longest first where they stand so in the list, then those that must be alone, one after the other. Prints the
 * output of each when it has ended, and a table of their times at the end; gives whether all passed.
 */
export async function runGroups(script, groups) {
  const start = performance.now();
  const results = [];
  const work = async (queue) => {
    for (let group = queue.shift(); group; group = queue.shift()) {
      const result = await runGroup(script, group);
      results.push(result);
      process.stdout.write(`${result.output}\n━━ ${result.name}: ${result.isGood ? "passed" : "FAILED"} after ${result.seconds.toFixed(1)} s\n\n`);
    }
  };
  const together = groups.filter(({ alone }) => !alone);
  await Promise.all(Array.from({ length: Math.max(PROCESSES, 1) }, () => work(together)));
  await work(groups.filter(({ alone }) => alone));

  results.sort((a, b) => b.seconds - a.seconds);
  for (const { name, seconds, counts, isGood } of results) {
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${String(counts.tests ?? 0).padStart(3)} tests  ${isGood ? "" : "FAILED "}${name}`);
  }
  const sum = (what) => results.reduce((sum, { counts }) => sum + (counts[what] ?? 0), 0);
  const minutes = ((performance.now() - start) / 60_000).toFixed(1);
  console.log(`browser: ${sum("tests")} tests, ${sum("pass")} passed, ${sum("fail") + sum("cancelled")} failed, ${sum("skipped")} skipped in ${minutes} min`);
  return results.length === groups.length && results.every(({ isGood }) => isGood);
}
