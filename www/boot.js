// Starts the page. A file of its own, since the content policy allows no inline script.
const { js, wasm } = document.getElementById("boot").dataset;
const address = (file) => new URL(file, document.baseURI).href;
const build = document.querySelector("meta[name=build]").content;

// The one policy that the content policy allows: whatever becomes markup, or the address of a program, comes by here.
// The page escapes every text that it writes into markup; this is for the text that somebody forgot.
const TAG = /<\/?([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*)/gi;
const RUNS = ["script", "iframe", "frame", "object", "embed", "base", "meta", "link"];
/** What long markup is searched for first: without any of it there is nothing to look at closely. */
const SUSPECT = new RegExp(`<(${RUNS.join("|")})|[\\s/"']on\\w*\\s*=|javascript:`, "i");
const PROGRAM = /^(service-worker|worker-loader(-[0-9a-f]{16})?)\.js$/;

/** Whether markup would run something: by an element, by a handler, or by an address. */
function runs(markup) {
  if (!SUSPECT.test(markup)) return false;
  return [...markup.matchAll(TAG)].some(([, name, attributes]) => {
    const names = attributes.replace(/"[^"]*"|'[^']*'/g, " ");
    return RUNS.includes(name.toLowerCase()) || /[\s/]on\w*\s*=/i.test(names) || /=\s*["']?\s*javascript:/i.test(attributes);
  });
}

globalThis.trustedTypes?.createPolicy("default", {
  // As text, where it would run something: an error would end the page's own program.
  createHTML: (markup) => (runs(markup) ? markup.replaceAll("<", "&lt;") : markup),
  createScriptURL: (program) => {
    const { href } = new URL(program, document.baseURI);
    const folder = address(".");
    return href.startsWith(folder) && PROGRAM.test(href.slice(folder.length).split(/[?#]/)[0]) ? program : null;
  },
});

try {
  const { default: init } = await import(address(js));
  await init({ module_or_path: address(wasm) });
  keep();
  if (document.readyState === "complete") checkStyles();
  else addEventListener("load", checkStyles);
} catch (error) {
  // A blank page would leave a visitor guessing; the details are for whoever opens the console.
  console.error(error);
  tell(
    (await hasAll())
      ? "Vivarium could not start. It needs a browser from 2023 or later, with WebAssembly allowed."
      : "A part of Vivarium could not be fetched. Open it again, once there is a network.",
  );
}

/** Whether every file that the page begins with can be fetched. */
async function hasAll() {
  const parts = [...document.querySelectorAll("link[rel=modulepreload], link[rel=preload]")].map((link) => link.href);
  const each = [...parts, address(wasm)].map((part) => fetch(part).then(({ ok }) => ok, () => false));
  return !(await Promise.all(each)).includes(false);
}

/** A page without one of its style sheets works, and looks broken. */
function checkStyles() {
  const sheets = [...document.querySelectorAll("link[rel=stylesheet]:not([media=print])")];
  if (sheets.some(isEmpty)) tell("A part of Vivarium could not be fetched: the page looks different from what it should.");
}

/** Whether a style sheet has no rules: what could not be fetched is there in some browsers, and empty. */
function isEmpty({ sheet }) {
  try {
    return !sheet?.cssRules.length;
  } catch {
    return true;
  }
}

/** One sentence, and a way on. */
function tell(sentence) {
  const [notice, again] = [document.createElement("p"), document.createElement("button")];
  notice.className = "crash";
  notice.setAttribute("role", "alert");
  notice.textContent = `${sentence} `;
  again.textContent = "Open it again";
  again.onclick = () => location.reload();
  notice.append(again);
  document.body.append(notice);
}

/** Has the page kept for visits without a network, if it is a finished build. */
function keep() {
  const workers = navigator.serviceWorker;
  if (build.startsWith("_") || !workers) return;
  // It keeps the files of a build while a tab of that build is open.
  workers.addEventListener("message", ({ data, ports }) => data === "which build" && ports[0].postMessage(build));
  workers.startMessages();
  // Where it is not allowed the page works as well, with a network.
  workers.register(address("service-worker.js")).catch(() => {});
}
