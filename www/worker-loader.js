// Starts a training worker: new Worker("./worker-loader.js?bin=worker_gpu&build=…", { type: "module" }).
//
// Why not Trunk's own loader: `build` must reach the files behind it, or a browser could pair a new
// page with an old worker from its cache.
const query = new URLSearchParams(self.location.search);
const asked = query.get("bin");
const bin = ["worker_fused", "worker_gpu"].includes(asked) ? asked : "worker";
const address = (file) => new URL(`./${file}?build=${query.get("build")}`, self.location.href).href;

// A browser delivers messages as soon as this file has run, long before the wasm is there to hear them.
const early = [];
const keep = (event) => early.push(event);
self.addEventListener("message", keep);

try {
  const { default: init } = await import(address(`${bin}.js`));
  await init({ module_or_path: address(`${bin}_bg.wasm`) });
  self.removeEventListener("message", keep);
  for (const { data, ports } of early) {
    self.dispatchEvent(new MessageEvent("message", { data, ports }));
  }
} catch (error) {
  // A rejected promise would stay in here; a thrown error reaches the page's `onerror`.
  setTimeout(() => { throw error; });
}
