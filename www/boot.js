// Starts the page. A file of its own, since the content policy allows no inline script.
const { js, wasm } = document.getElementById("boot").dataset;
const address = (file) => new URL(file, document.baseURI).href;

try {
  const { default: init } = await import(address(js));
  await init({ module_or_path: address(wasm) });
  keep();
} catch (error) {
  // A blank page would leave a visitor guessing; the details are for whoever opens the console.
  console.error(error);
  const notice = document.createElement("p");
  notice.setAttribute("role", "alert");
  notice.textContent =
    "Vivarium could not start. It needs a browser from 2023 or later, with WebAssembly allowed.";
  document.body.append(notice);
}

/** Has the page kept for visits without a network, if it is a finished build. */
function keep() {
  const build = document.querySelector("meta[name=build]").content;
  if (build.startsWith("_") || !("serviceWorker" in navigator)) return;
  // Where it is not allowed the page works as well, with a network.
  navigator.serviceWorker.register(address("service-worker.js")).catch(() => {});
}
