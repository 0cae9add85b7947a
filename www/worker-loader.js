// Starts a training worker: new Worker("./worker-loader-<build>.js?bin=worker_gpu", { type: "module" }).
//
// The build's name ends the names of this file and of those behind it, so that a browser cannot pair a page with a
// worker of another build from its cache; `cargo xtask serve` builds without it. Why not Trunk's own loader: its address
// of the worker could not carry that name.
//
// It knows its address from the module and not from the worker: in a frame without an origin the worker's own address is
// of a script that imports this one (www/boot.js).
const here = new URL(import.meta.url);
const requested = here.searchParams.get("bin");
const isForGpu = ["worker_fused", "worker_gpu"].includes(requested);
const bin = isForGpu ? requested : "worker";
const [, end] = /worker-loader(.*)\.js$/.exec(here.pathname);
const address = (file) => new URL(`./${file}`, here).href;

// The page gives its trainers on the CPU their program, compiled (www/boot.js): once for all, and before they are there.
let take;
const given = new Promise((resolve) => (take = resolve));
// A browser delivers messages as soon as this file has run, long before the wasm is there to hear them.
const early = [];
const keep = (event) => (event.data === null || event.data instanceof WebAssembly.Module ? take(event.data) : early.push(event));
// In a frame without an origin, the script that imports this one has kept some.
(self.vivariumEarly ?? []).forEach(keep);
self.onmessage = null;
self.addEventListener("message", keep);
self.addEventListener("messageerror", () => take(null));

/**
 * The page knows these words: nothing is wrong with the browser, and another build may have been published. A page that
 * `cargo xtask serve` shows, which has no name of a build, is there before the programs for the GPU.
 */
const missing = () => {
  throw new Error(isForGpu && end === "" ? "program being compiled" : "missing file");
};

// Whether the worker reads a file (src/worker/web.rs), or helps the worker that has opened it (src/worker/web/helpers.rs).
self.vivariumReadsFile = here.searchParams.has("reads");
self.vivariumHelpsRun = here.searchParams.has("helps");
// Whether a program for GPUs trains on the processor (src/bin/worker_gpu.rs).
self.vivariumTrainsOnProcessor = here.searchParams.get("device") === "cpu";
self.vivariumAddress = here.href;
const isGiven = here.searchParams.has("given") && !self.vivariumReadsFile && !self.vivariumHelpsRun;

async function fetched() {
  const program = await fetch(address(`${bin}${end}_bg.wasm`)).catch(missing);
  // Some hosts send their page in place of a file that they do not have.
  return program.ok && !program.headers.get("content-type")?.startsWith("text/html") ? program : missing();
}

try {
  const { default: init, build = "" } = await import(address(`${bin}${end}.js`)).catch(missing);
  // What the file itself says, whatever its name is: the worker greets the page with it (src/worker/web.rs).
  self.vivariumBuild = build;
  await init({ module_or_path: (isGiven && (await given)) || (await fetched()) });
  self.removeEventListener("message", keep);
  for (const { data, ports } of early) {
    self.dispatchEvent(new MessageEvent("message", { data, ports }));
  }
} catch (error) {
  // A rejected promise would stay in here; a thrown error reaches the page's `onerror`. The page knows these words too.
  setTimeout(() => { throw error instanceof WebAssembly.CompileError ? new Error("incomplete file") : error; });
}
