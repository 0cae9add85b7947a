// Tells the page around this frame how high the frame should be, so that nothing in it is dropped or cut off.
//
// The message is { type: "vivarium:size", width, height }: at this width of the frame, in CSS pixels, this height is the
// right one. It holds nothing private, so it goes to whatever page is around. It comes once the page is shown, and when
// the width or what is shown has changed. The page around may follow it or not (src/page/share/teaching.rs has a script).
//
// Besides, this file reports to the program whether the frame is in view (src/page/run/lifecycle.rs): a run that nobody sees
// does not train.
//
// The height follows from the width and from what is shown, never from the height that the frame has now: the charts fit
// whatever height there is (styles/teach.css), and a height that followed from theirs could grow without end.

/** What is above and below the charts, in the document's order. */
const PARTS = ".embed-header, .transport, .headline, .numbers";
/** A chart of the height that it is read best at, and the space around each part. */
const [CHART, GAP] = [224, 8];
/** Charts are in one column up to here, and in two above. */
const NARROW = 480;
/** Below these heights some parts are dropped, in one column and in two. */
const FULL = [520, 440];
/** Heights of a frame with the moving picture, in one column and in two. */
const PICTURE = [640, 520];
/** A scroll bar that comes with a height must not take that height back. */
const BAR = 24;
/** Between two looks, in milliseconds. */
const EVERY = 150;

const root = document.documentElement;
const seen = new WeakSet();
const observer = new ResizeObserver(soon);
let told = { width: 0, height: 0, charts: 0 };
let waiting = 0;

function soon() {
  waiting ||= setTimeout(look, EVERY);
}

function look() {
  waiting = 0;
  const plots = document.querySelectorAll(".plots > .plot");
  const parts = document.querySelectorAll(PARTS);
  // What has come since; what is gone has said so.
  for (const element of [root, ...plots, ...parts]) {
    if (!seen.has(element)) observer.observe(element);
    seen.add(element);
  }
  if (!plots.length) return soon();
  if (root.dataset.embed !== "on") return;
  const width = root.clientWidth;
  const columns = width < NARROW ? 1 : 2;
  const isPicture = root.dataset.stage === "on";
  const charts = isPicture ? 0 : Math.ceil(plots.length / columns);
  const heights = [...parts].map((part) => part.offsetHeight).filter(Boolean);
  const above = heights.reduce((sum, height) => sum + height + GAP, GAP);
  const ofCharts = Math.max(FULL[columns - 1], Math.ceil(above + charts * (CHART + GAP)));
  const height = isPicture ? PICTURE[columns - 1] : ofCharts;
  // A line that is longer for a moment must not move what is below the frame: at one width the height only grows.
  const isSame = charts === told.charts && Math.abs(width - told.width) < BAR;
  if (isSame && height <= told.height) return;
  told = { width: isSame ? told.width : width, height, charts };
  parent.postMessage({ type: "vivarium:size", width, height }, "*");
}

look();

/** The latest entry counts: in a busy frame there are several. */
const watch = (entries) => dispatchEvent(new CustomEvent("vivarium-view", { detail: entries.at(-1).isIntersecting }));
new IntersectionObserver(watch).observe(root);
