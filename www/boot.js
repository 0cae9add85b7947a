// Starts the page. A file of its own, since the content policy allows no inline script. A classic script and no module:
// a sandboxed frame may be refused every module, and this file says so.
(async () => {
  // The text in index.html for a page in which this file does not run.
  document.getElementById("not-started")?.remove();
  const { js, wasm } = document.getElementById("boot").dataset;
  const address = (file) => new URL(file, document.baseURI).href;
  const build = document.querySelector("meta[name=build]").content;
  /** Milliseconds after which the page is kept although a part of it has not come. */
  const PATIENCE = 60_000;
  /** Whether this is a frame with `sandbox` and without `allow-same-origin`: it has no storage and no origin. */
  const isOpaque = self.origin === "null" && location.protocol.startsWith("http");

  // The program says it again and better (src/model/permalink/lesson.rs); until then the picture of the page fits its frame.
  if (/^[#?]v1\/[^?]*\?(.*&)?embed(=(1|on)?)?(&|$)/i.test(location.hash || location.search)) document.documentElement.dataset.embed = "on";

  // The one policy that the content policy allows: whatever becomes markup, or the address of a program, comes by here.
  // The page escapes every text that it writes into markup; this is for the text that somebody forgot.
  const TAG = /<\/?([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*)/gi;
  const RUNS = ["script", "iframe", "frame", "object", "embed", "base", "meta", "link"];
  /** What long markup is searched for first: without any of it there is nothing to look at closely. */
  const SUSPECT = new RegExp(`<(${RUNS.join("|")})|[\\s/"']on\\w*\\s*=|javascript:`, "i");
  /** Addresses of programs that `inOpaqueFrame` has written. */
  const written = new Set();
  const PROGRAM = /^(service-worker|worker-loader(-[0-9a-f]{16})?)\.js$/;

  /** Whether markup would run something: by an element, by a handler, or by an address. */
  function runs(markup) {
    if (!SUSPECT.test(markup)) return false;
    return [...markup.matchAll(TAG)].some(([, name, attributes]) => {
      const names = attributes.replace(/"[^"]*"|'[^']*'/g, " ");
      return RUNS.includes(name.toLowerCase()) || /[\s/]on\w*\s*=/i.test(names) || /=\s*["']?\s*javascript:/i.test(attributes);
    });
  }

  /** Whether this is the address of a program of the page. */
  function isOurs(href) {
    const folder = address(".");
    return href.startsWith(folder) && PROGRAM.test(href.slice(folder.length).split(/[?#]/)[0]);
  }

  globalThis.trustedTypes?.createPolicy("default", {
    // As text, where it would run something: an error would end the page's own program.
    createHTML: (markup) => (runs(markup) ? markup.replaceAll("<", "&lt;") : markup),
    createScriptURL: (program) => (written.has(program) || isOurs(address(program)) ? program : null),
  });

  /** The trainer's program, once a worker wants it. */
  let trainer;
  globalThis.vivariumGive = give;
  // Where `cargo xtask serve` shows the page.
  if (build.startsWith("_")) globalThis.vivariumAwaitPrograms = awaitPrograms;

  if (isOpaque) inOpaqueFrame();
  try {
    const { default: init } = await import(address(js));
    await init({ module_or_path: address(wasm) });
    addEventListener("vivarium-complete", keep, { once: true });
    setTimeout(keep, PATIENCE);
    answer();
    // Without it the frame keeps its size.
    if (parent !== self) import(address("frame.js")).catch(() => {});
    if (document.readyState === "complete") checkStyles();
    else addEventListener("load", checkStyles);
  } catch (error) {
    // A blank page would leave a visitor guessing; the details are for whoever opens the console.
    console.error(error);
    document.querySelector(".loading")?.remove();
    tell(await reason(error));
  }

  async function compile(file) {
    const response = await fetch(address(file));
    if (!response.ok) throw new Error(`${file}: ${response.status}`);
    // Not every host knows the type.
    const isNamed = response.headers.get("content-type")?.startsWith("application/wasm");
    return isNamed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
  }

  /**
   * The program that trains on the CPU, compiled once for all workers that run it. The page fetches it, since a new worker
   * does nothing while the page draws its first picture.
   */
  function trained() {
    const end = build.startsWith("_") ? "" : `-${build}`;
    trainer ??= compile(`worker${end}_bg.wasm`)
      .catch((error) => {
        // Whoever asks again may have a network by then.
        trainer = undefined;
        throw error;
      })
      // The connection is free for the second program (src/app/shell/second_module.rs).
      .finally(() => dispatchEvent(new Event("vivarium-trainer")));
    return trainer;
  }

  /**
   * Sends a worker its program (src/app/trainer/web.rs), or `null`: then the worker fetches the program by itself. Without a
   * worker: one will soon want it.
   */
  async function give(worker) {
    try {
      const program = await trained();
      worker?.postMessage(program);
    } catch {
      worker?.postMessage(null);
    }
  }

  /**
   * Waits until the server has the programs for the GPU, which `cargo xtask serve` compiles after it has shown the page, and
   * tells the page (src/app/store.rs).
   */
  async function awaitPrograms() {
    // One wait is enough.
    globalThis.vivariumAwaitPrograms = () => {};
    const isThere = (file) => fetch(address(file), { method: "HEAD", cache: "no-store" }).then(({ ok }) => ok, () => false);
    for (const file of ["worker_fused.js", "worker_gpu.js"]) {
      while (!(await isThere(file))) await new Promise((resolve) => setTimeout(resolve, 5000));
    }
    globalThis.vivariumAwaitPrograms = awaitPrograms;
    dispatchEvent(new Event("vivarium-programs"));
  }

  /**
   * A frame without an origin may start no worker from an address, not even one of its own site. It may start one that
   * it has written itself, and that one may import the program where the host allows every origin to read its files.
   * Chromium 156 starts no module there, so this is a script that imports one, and keeps what it is told until then.
   */
  function inOpaqueFrame() {
    const Plain = self.Worker;
    self.Worker = class Worker extends Plain {
      constructor(program) {
        const href = address(program);
        if (!isOurs(href)) throw new TypeError("no program of this page");
        const text = `
          self.vivariumEarly = [];
          self.onmessage = (event) => self.vivariumEarly.push(event);
          self.onmessageerror = () => self.vivariumEarly.push({ data: null });
          import(${JSON.stringify(href)}).catch((error) => setTimeout(() => { throw error; }));`;
        const own = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
        written.add(own);
        super(own);
      }
    };
  }

  /** Why the page could not start, as a sentence; `error` is what stopped it. */
  async function reason(error) {
    if (location.protocol === "file:") return "This page was opened as a file. It must be opened from a web server.";
    const links = [...document.querySelectorAll("link[rel=modulepreload], link[rel=preload]")].map((link) => link.href);
    const errors = await Promise.all([...new Set([address(js), address(wasm), ...links])].map(errorOf));
    const sentence = errors.find(Boolean);
    if (sentence) return sentence;
    // Chromium, Safari and Firefox each name the policy in their own words.
    if (/content.security.policy|wasm-unsafe-eval|\bCSP\b/i.test(error?.message)) return "The server's Content-Security-Policy forbids WebAssembly. Its part script-src must contain 'wasm-unsafe-eval'.";
    return "Vivarium could not start. It needs a browser from 2023 or later, with WebAssembly allowed.";
  }

  /** What is wrong with a file as the server sends it, as a sentence; nothing if the file is as it should be. */
  async function errorOf(part) {
    const name = part.replace(/.*\//, "").replace(/-[0-9a-f]{12,16}(?=[._])/, "");
    const response = await fetch(part).catch(() => {});
    if (!response && isOpaque) return "This frame needs allow-same-origin in its sandbox attribute to show Vivarium.";
    if (!response) return "A part of Vivarium could not be fetched. Open the page again when the internet connection works.";
    if (!response.ok) return `A part of Vivarium could not be fetched: the server answers ${response.status} for ${name}.`;
    const bytes = new Uint8Array(await response.arrayBuffer().catch(() => 0));
    const text = new TextDecoder().decode(bytes);
    const type = response.headers.get("content-type")?.split(";")[0] || "a file without a type";
    if (/^\s*</.test(text)) return `The server sends a web page in place of ${name}.`;
    const isScript = name.endsWith(".js");
    if (isScript && !/(java|ecma)script$/.test(type)) return `The server sends ${name} as ${type}, and browsers run it only as text/javascript.`;
    // Neither a text nor a program.
    const isPacked = isScript ? text.slice(0, -1).includes("\ufffd") : bytes.length > 8 && !text.startsWith("\0asm");
    if (isPacked) return `The server sends ${name} in a form that browsers cannot read. The file may have been compressed twice.`;
    // The end of a program for the page, as wasm-bindgen writes it.
    const isCut = isScript ? part === address(js) && !/as default\s*};?\s*$/.test(text) : endsEarly(bytes);
    if (isCut) return `Only a part of ${name} has arrived. If this message stays, the file on the server is incomplete.`;
  }

  /** Whether a program in WebAssembly ends before its last section does. */
  function endsEarly(bytes) {
    let at = 8;
    while (at < bytes.length) {
      let [size, shift] = [0, 0];
      // The length of a section follows its number, seven bits in each byte.
      do size += (bytes[++at] & 127) * 2 ** (7 * shift++);
      while (bytes[at] > 127);
      at += size + 1;
    }
    return at !== bytes.length;
  }

  /** A page without one of its style sheets works, and looks broken. */
  function checkStyles() {
    const sheets = [...document.querySelectorAll("link[rel=stylesheet]:not([media=print])")];
    if (sheets.some(isEmpty)) tell("A part of Vivarium could not be fetched, so parts of the page may look wrong.");
  }

  /** Whether a style sheet has no rules: what could not be fetched is there in some browsers, and empty. */
  function isEmpty({ sheet }) {
    try {
      return !sheet?.cssRules.length;
    } catch {
      // Without an origin no style sheet may be read.
      return !isOpaque;
    }
  }

  /** One sentence, and a way on. */
  function tell(sentence) {
    const [notice, again] = [document.createElement("p"), document.createElement("button")];
    notice.className = "crash";
    notice.setAttribute("role", "alert");
    notice.textContent = `${sentence} `;
    again.textContent = "Open the page again";
    again.onclick = () => location.reload();
    notice.append(again);
    document.body.append(notice);
  }

  /** The service workers of this origin; none in a frame without an origin, where to ask for them is an error. */
  function keepers() {
    return build.startsWith("_") || isOpaque ? undefined : navigator.serviceWorker;
  }

  /** Tells a service worker of which build this tab is: it keeps the files of a build while a tab of that build is open. */
  function answer() {
    keepers()?.addEventListener("message", ({ data, ports }) => data === "which build" && ports[0].postMessage(build));
    keepers()?.startMessages();
  }

  /**
   * Has the page kept for visits without a network, if it is a finished build. That asks for every file of the page once
   * more, so it waits until a trainer has answered and the second program is there: they need the connection first.
   */
  function keep() {
    // Where it is not allowed the page works as well, with a network. A second call changes nothing.
    keepers()?.register(address("service-worker.js")).catch(() => {});
  }
})();
