// How the elements of a page lie beside each other.

/** How many pairs of these elements lie on one another by more than `tolerance` pixels. */
export const overlappingPairs = (page, selector, tolerance = 0) =>
  page.locator(selector).evaluateAll((all, tolerance) => {
    const boxes = all.map((element) => element.getBoundingClientRect());
    const meet = (low, high, otherLow, otherHigh) => low + tolerance < otherHigh && otherLow + tolerance < high;
    const overlap = (a, b) => meet(a.left, a.right, b.left, b.right) && meet(a.top, a.bottom, b.top, b.bottom);
    return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => overlap(a, b))).length;
  }, tolerance);

/** How many pairs of these elements lie on one another, and how many of them have words outside of themselves, together. */
export const overlaps = async (page, selector) => {
  const spill = (all) => all.filter((element) => element.scrollWidth > element.clientWidth + 1).length;
  return (await page.locator(selector).evaluateAll(spill)) + (await overlappingPairs(page, selector));
};
