// Opens the link that follows %23 in the address, or %2523: some programs write # so, and then the server looks for a file
// of that name. Any other address gets a link to the page.
(() => {
  // At the root of a site both addresses in 404.html are this file.
  if (document.querySelector("a")) return;
  const [, folder, link] = /^([^?#]*?\/)%(?:25)*23(.+)$/.exec(location.href) ?? [];
  if (link) return location.replace(`${folder}#${link}`);
  const [line, way] = [document.createElement("p"), document.createElement("a")];
  way.href = new URL(".", document.currentScript.src).href;
  way.textContent = "Open Vivarium";
  line.append(way);
  document.body.append(line);
})();
