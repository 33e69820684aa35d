/** Keyboard shortcuts of the page, and the dialog that lists them. */
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { linkTo } from "../address.js";

const keys = [
  ["/", "search on this page"],
  ["g o", "overview"],
  ["g i", "instances"],
  ["g j", "jobs"],
  ["g c", "create an instance"],
  ["g n", "nodes"],
  ["g g", "node groups"],
  ["g m", "maintenance"],
  ["g b", "balance"],
  ["g f", "filter rules"],
  ["g w", "networks"],
  ["g a", "audit"],
  ["?", "these keys"],
  ["Esc", "leave a field or a dialog"],
] as const;

const targets: Readonly<Record<string, string>> = {
  o: "overview",
  i: "instances",
  j: "jobs",
  c: "create",
  n: "nodes",
  g: "groups",
  m: "maintenance",
  b: "balance",
  f: "rules",
  w: "networks",
  a: "audit",
};

export function useKeys(showHelp: () => void): void {
  useEffect(() => {
    let before = "";
    const follow = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (target.matches("input, textarea, select")) {
        if (event.key === "Escape") target.blur();
        return;
      }
      const place = before === "g" ? targets[event.key] : undefined;
      // The second key of a pair does not start another one, so any key may follow `g g`.
      before = place === undefined ? event.key : "";
      if (place !== undefined) location.hash = linkTo([place]);
      else if (event.key === "?") showHelp();
      else if (event.key === "/") {
        event.preventDefault();
        document.querySelector<HTMLInputElement>("input[type=search]")?.focus();
      }
    };
    addEventListener("keydown", follow);
    return () => removeEventListener("keydown", follow);
  }, []);
}

export function KeyHelp({ dialog }: { readonly dialog: RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog ref={dialog} aria-label="Keys">
      <h2>Keys</h2>
      <dl class="keys">
        {keys.map(([key, meaning]) => (
          <div>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
