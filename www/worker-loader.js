// Starts a training worker: new Worker("./worker-loader-<build>.js?bin=worker_gpu", { type: "module" }).
//
// The build's name ends the names of this file and of those behind it, so that a browser cannot pair a page with a
// worker of another build from its cache; `cargo xtask serve` builds without it. Why not Trunk's own loader: its address
// of the worker could not carry that name.
const asked = new URLSearchParams(self.location.search).get("bin");
const bin = ["worker_fused", "worker_gpu"].includes(asked) ? asked : "worker";
const [, end] = /worker-loader(.*)\.js$/.exec(self.location.pathname);
const address = (file) => new URL(`./${file}`, self.location.href).href;

// A browser delivers messages as soon as this file has run, long before the wasm is there to hear them.
const early = [];
const keep = (event) => early.push(event);
self.addEventListener("message", keep);

/** The page knows these words: nothing is wrong with the browser, and another build may have been published. */
const missing = () => {
  throw new Error("missing file");
};

try {
  const { default: init, build = "" } = await import(address(`${bin}${end}.js`)).catch(missing);
  // What the file itself says, whatever its name is: the worker greets the page with it (src/worker_web.rs).
  self.vivariumBuild = build;
  const program = await fetch(address(`${bin}${end}_bg.wasm`)).catch(missing);
  await init({ module_or_path: program.ok ? program : missing() });
  self.removeEventListener("message", keep);
  for (const { data, ports } of early) {
    self.dispatchEvent(new MessageEvent("message", { data, ports }));
  }
} catch (error) {
  // A rejected promise would stay in here; a thrown error reaches the page's `onerror`.
  setTimeout(() => { throw error; });
}
