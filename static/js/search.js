// Arrow keys go from the box to the results and between them; Enter then opens the one that has the focus.

document.addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const stops = [document.getElementById("q"), ...document.querySelectorAll("[data-hit]")];
  const here = stops.indexOf(document.activeElement);
  if (here < 0) return;
  event.preventDefault();
  stops[Math.min(Math.max(here + (event.key === "ArrowDown" ? 1 : -1), 0), stops.length - 1)].focus();
});
