// Groups of tests side by side, each in a process with browsers of its own: much of a test is waiting.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

/** The variable that names the group which a process runs. */
export const GROUP = "VIVARIUM_BROWSER_GROUP";

/** Processes at a time. */
const PROCESSES = Number(process.env.VIVARIUM_BROWSERS ?? Math.min(availableParallelism(), 4));

/** Longest time of a group, in ms: one that hangs must not keep the others from ending. */
const LIMIT = 25 * 60_000;

/** Processes that are running. */
const running = new Set();

/** Ends a process with all browsers that it has started. */
function end(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Runs one group in a process of its own; gives its output, its counts of tests and its time in seconds. */
function runGroup(script, { name }) {
  const start = performance.now();
  console.log(`━━ ${name}: begins`);
  return new Promise((resolve) => {
    // A process group of its own, so that its browsers end with it.
    const options = { env: { ...process.env, [GROUP]: name }, stdio: ["ignore", "pipe", "pipe"], detached: true };
    const child = spawn(process.execPath, ["--test-reporter=tap", script], options);
    running.add(child);
    let output = "";
    const limit = setTimeout(() => {
      output += `\nended after ${LIMIT / 60_000} min\n`;
      end(child);
    }, LIMIT);
    const finish = (isGood) => {
      clearTimeout(limit);
      running.delete(child);
      const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
      const counts = Object.fromEntries(["tests", "pass", "fail", "cancelled", "skipped"].map((what) => [what, count(what)]));
      // A group without a test has lost its tests, unless it says why it skips them.
      const hasTests = counts.tests > 0 || output.includes("# SKIP ");
      resolve({ name, output, isGood: isGood && hasTests, counts, seconds: (performance.now() - start) / 1000 });
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.once("error", (error) => {
      output += error;
      finish(false);
    });
    child.once("close", (code, signal) => {
      if (signal) output += `\nended by ${signal}\n`;
      finish(code === 0);
    });
  });
}

/**
 * Runs groups side by side, the longest first, then those that must be alone, one after the other. Prints the output of each
 * when it has ended, and a table of their times at the end; gives whether all passed.
 */
export async function runGroups(script, groups) {
  assert.ok(Number.isInteger(PROCESSES) && PROCESSES > 0, `VIVARIUM_BROWSERS is the number of processes, not ${process.env.VIVARIUM_BROWSERS}`);
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => {
      running.forEach(end);
      process.exit(1);
    });
  }
  const start = performance.now();
  const results = [];
  const work = async (queue) => {
    for (let group = queue.shift(); group; group = queue.shift()) {
      const result = await runGroup(script, group);
      results.push(result);
      console.log(`${result.output}\n━━ ${result.name}: ${result.isGood ? "passed" : "FAILED"} after ${result.seconds.toFixed(1)} s\n`);
    }
  };
  const together = groups.filter(({ alone }) => !alone).sort((a, b) => b.seconds - a.seconds);
  await Promise.all(Array.from({ length: PROCESSES }, () => work(together)));
  await work(groups.filter(({ alone }) => alone));

  results.sort((a, b) => b.seconds - a.seconds);
  for (const { name, seconds, counts, isGood } of results) {
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${String(counts.tests).padStart(3)} tests  ${isGood ? "" : "FAILED "}${name}`);
  }
  const sum = (what) => results.reduce((sum, { counts }) => sum + counts[what], 0);
  const failed = results.filter(({ isGood }) => !isGood).map(({ name }) => name);
  const groupsFailed = failed.length > 0 ? `; groups that failed: ${failed.join(", ")}` : "";
  const minutes = ((performance.now() - start) / 60_000).toFixed(1);
  console.log(`browser: ${sum("tests")} tests, ${sum("pass")} passed, ${sum("fail") + sum("cancelled")} failed, ${sum("skipped")} skipped in ${minutes} min${groupsFailed}`);
  return failed.length === 0;
}
