// Firefox and WebKit's GTK port without a program in between: Firefox over WebDriver BiDi, which it speaks itself, and
// WebKit over WebDriver, which its package brings. Both are the distribution's, so that a test is a visit with what people
// have; what a page looks like here is what the helpers of harness.mjs need of one.
//
// Why not Playwright: it drives builds of its own of both, and its BiDi asks more of Firefox than the long-term version has.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { discard, until } from "./harness.mjs";

// Node has its own from version 22 on.
const WebSocket = globalThis.WebSocket ?? createRequire(import.meta.url)("playwright-core/lib/utilsBundle").ws;

/** The first of these programs that is on the path. */
const find = (...names) => {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file));
};

const FIREFOX = process.env.FIREFOX || find("firefox-esr", "firefox");

/** Whether a program, or the script that stands for it, is a snap: such a one sees no folder that we make for it. */
const isSnap = (file) => [realpathSync(file), String(readFileSync(file).subarray(0, 4096))].some((words) => words.includes("/snap"));

/** What asks nothing of the network and no question of anybody. */
const QUIET = {
  "app.normandy.enabled": false,
  "app.update.disabledForTesting": true,
  "browser.aboutwelcome.enabled": false,
  "browser.newtabpage.enabled": false,
  "browser.safebrowsing.blockedURIs.enabled": false,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "extensions.systemAddon.update.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,",
  "toolkit.telemetry.enabled": false,
};

/** A page of an engine, of which `ask` gives the value of an expression and `open` goes to an address. */
function pageOf({ ask, open, reload }) {
  // Functions as text: the page's content policy lets nothing in the page become a program.
  const evaluate = (what) => ask(typeof what === "function" ? `(${what})()` : what);
  const see = (id) => {
    const on = (deed) => evaluate(`((node) => ${deed})(document.querySelector('[data-testid="${id}"]'))`);
    return {
      textContent: () => on("node?.textContent ?? ''"),
      exists: () => on("Boolean(node)"),
      click: () => on("node.click()"),
      attribute: (name) => on(`node.getAttribute("${name}")`),
      /** Types into a field and leaves it. */
      fill: (words) =>
        on(`(() => {
          node.value = ${JSON.stringify(words)};
          for (const name of ["input", "change"]) node.dispatchEvent(new Event(name, { bubbles: true }));
        })()`),
    };
  };
  const go = async (address) => {
    // A new hash alone would not open the page anew.
    await open("about:blank");
    await open(address);
  };
  return { page: { evaluate, reload, url: () => ask("location.href") }, go, see };
}

/** A program of its own group, with what ends all of it. */
function start(program, words, options = {}) {
  const child = spawn(program, words, { detached: true, ...options });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.once("error", () => {});
  const end = async () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await ended;
  };
  return { child, ended, end };
}

/** Rejects where `wait` has given nothing after some seconds. */
const within = (seconds, what, wait) => {
  let clock;
  const late = new Promise((_, reject) => (clock = setTimeout(() => reject(new Error(`waited ${seconds} s for ${what}`)), seconds * 1000)));
  return Promise.race([wait, late]).finally(() => clearTimeout(clock));
};

async function firefox() {
  const profile = mkdtempSync(join(tmpdir(), "vivarium-firefox-"));
  writeFileSync(join(profile, "user.js"), Object.entries(QUIET).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`).join(""));
  const words = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0", "about:blank"];
  const run = start(FIREFOX, words, { stdio: ["ignore", "ignore", "pipe"] });
  const close = async (socket) => {
    socket?.close();
    await run.end();
    await discard(profile);
  };
  let socket;
  try {
    const address = await within(60, "Firefox", new Promise((resolve) => {
      let said = "";
      run.child.stderr.on("data", (bytes) => {
        said += bytes;
        const found = /WebDriver BiDi listening on (ws:\S+)/.exec(said);
        if (found) resolve(found[1]);
      });
    }));
    socket = new WebSocket(`${address}/session`);
    await within(60, "its socket", new Promise((resolve, reject) => ((socket.onopen = resolve), (socket.onerror = reject))));
    const [waits, heard] = [new Map(), { console: [] }];
    socket.onmessage = ({ data }) => {
      const { id, type, result, error, message, method, params } = JSON.parse(data);
      const [resolve, reject] = waits.get(id) ?? [];
      waits.delete(id);
      if (type === "error") reject?.(new Error(`${error}: ${message}`));
      else if (resolve) resolve(result);
      else if (method === "log.entryAdded" && ["error", "warn"].includes(params.level)) heard.console.push(`${params.level}: ${params.text}`);
    };
    let count = 0;
    const send = (method, params = {}) => within(60, method, new Promise((resolve, reject) => {
      waits.set(++count, [resolve, reject]);
      socket.send(JSON.stringify({ id: count, method, params }));
    }));
    const { capabilities } = await send("session.new", { capabilities: {} });
    await send("session.subscribe", { events: ["log.entryAdded"] });
    const { contexts } = await send("browsingContext.getTree");
    const { context } = contexts[0];
    const ask = async (expression) => {
      const given = { expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value) ?? "null")`, target: { context }, awaitPromise: true };
      const { type, result, exceptionDetails } = await send("script.evaluate", given);
      if (type === "exception") throw new Error(exceptionDetails.text);
      return JSON.parse(result.value);
    };
    const open = (url) => send("browsingContext.navigate", { context, url, wait: "complete" });
    const reload = () => send("browsingContext.reload", { context, wait: "complete" });
    return { ...pageOf({ ask, open, reload }), version: `Firefox ${capabilities.browserVersion}`, heard, close: () => close(socket) };
  } catch (error) {
    await close(socket);
    throw error;
  }
}

/** The browser that comes with the library. */
function miniBrowser() {
  const libraries = ["/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/local/libexec"];
  const folders = libraries.flatMap((folder) => [folder, ...(existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith("-linux-gnu")).map((name) => join(folder, name)) : [])]);
  const versions = ["webkitgtk-6.0", "webkit2gtk-4.1", "webkit2gtk-4.0"];
  return versions.flatMap((version) => folders.map((folder) => join(folder, version, "MiniBrowser"))).find((file) => existsSync(file));
}

/** A port that nobody listens on. */
const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

async function webkit() {
  const home = mkdtempSync(join(tmpdir(), "vivarium-webkit-"));
  // It has no mode without a screen.
  const screen = start(find("Xvfb"), ["-displayfd", "3", "-screen", "0", "1440x900x24", "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  let driver;
  const close = async () => {
    await driver?.end();
    await screen.end();
    await discard(home);
  };
  try {
    const display = await within(30, "a screen", new Promise((resolve) => screen.child.stdio[3].once("data", (bytes) => resolve(`:${String(bytes).trim()}`))));
    const env = {
      ...process.env, DISPLAY: display, WAYLAND_DISPLAY: "", GDK_BACKEND: "x11", HOME: home, NO_AT_BRIDGE: "1",
      LIBGL_ALWAYS_SOFTWARE: "1",
      // Its sandbox wants rights that root and containers do not have; only our own page is opened.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
    };
    for (const name of ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"]) env[name] = home;
    const port = await freePort();
    driver = start(find("WebKitWebDriver"), [`--port=${port}`], { env, stdio: "ignore" });
    const send = async (method, path, body) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body), signal: AbortSignal.timeout(60_000) });
      const { value } = await answer.json();
      if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
      return value;
    };
    await until(() => send("GET", "/status").then(() => true, () => false), "WebKitWebDriver");
    const options = { binary: miniBrowser(), args: ["--automation"] };
    const { sessionId, capabilities } = await send("POST", "/session", { capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } } });
    const path = `/session/${sessionId}`;
    // An answer that the driver has lost is given up after some seconds, so that it can be asked for again.
    await send("POST", `${path}/timeouts`, { script: 5_000 });
    const ask = (expression) => send("POST", `${path}/execute/sync`, { script: `return (${expression});`, args: [] });
    const open = (url) => send("POST", `${path}/url`, { url });
    const reload = () => send("POST", `${path}/refresh`, {});
    const end = async () => {
      await send("DELETE", path).catch(() => {});
      await close();
    };
    return { ...pageOf({ ask, open, reload }), version: `WebKitGTK ${capabilities.browserVersion}`, heard: { console: [] }, close: end };
  } catch (error) {
    await close();
    throw error;
  }
}

const LACKS = {
  Firefox: !FIREFOX ? "Firefox is not installed" : isSnap(FIREFOX) ? "Firefox is a snap; FIREFOX may name another" : "",
  WebKit: !find("WebKitWebDriver") || !miniBrowser() ? "WebKitGTK's driver is not installed" : !find("Xvfb") ? "Xvfb is not installed" : "",
};

/** The engines besides Chromium, each with what starts it, and what it lacks on this machine, if anything. */
export const ENGINES = [
  { name: "Firefox", start: firefox, lacks: LACKS.Firefox },
  { name: "WebKit", start: webkit, lacks: LACKS.WebKit },
];
