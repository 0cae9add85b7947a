// How the elements of a page lie beside each other.

/** How many pairs of these elements lie on one another, and how many of them have words outside of themselves, together. */
export const overlaps = (page, selector) =>
  page.locator(selector).evaluateAll((all) => {
    const boxes = all.map((element) => element.getBoundingClientRect());
    const lie = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const spill = all.filter((element) => element.scrollWidth > element.clientWidth + 1);
    return spill.length + boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => lie(a, b))).length;
  });
