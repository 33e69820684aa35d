/**
 * Script of a page: arrow keys move between nodes, and the details of a node open inside the window. Without
 * the script every node is a tab stop.
 */
import { Markup } from "./markup.js";

export const script = new Markup(`
for (const map of document.querySelectorAll(".map")) {
  const tiles = [...map.children];
  const visit = (tile) => {
    for (const other of tiles) other.tabIndex = other === tile ? 0 : -1;
    tile.focus();
  };
  tiles.forEach((tile, i) => { tile.tabIndex = i === 0 ? 0 : -1; });
  const turn = ({ target }) => {
    const tile = target.closest(".tile");
    if (tile) tile.classList.toggle("end", tile.getBoundingClientRect().left > innerWidth - 290);
  };
  map.addEventListener("focusin", turn);
  map.addEventListener("mouseover", turn);
  map.addEventListener("keydown", (event) => {
    const at = tiles.indexOf(document.activeElement);
    if (at < 0) return;
    const inSecondRow = tiles.findIndex((tile) => tile.offsetTop > tiles[0].offsetTop);
    const perRow = inSecondRow < 0 ? tiles.length : inSecondRow;
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: perRow, ArrowUp: -perRow, Home: -at, End: tiles.length - 1 - at };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = tiles[at + step];
    if (next) visit(next);
  });
}
`);
