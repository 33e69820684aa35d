/** Keyboard shortcuts of the page, and the dialog that lists them. */
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { linkTo } from "../address.js";

/** Pages by the key that follows `g`, with their names in the help. */
const targets: Readonly<Record<string, readonly [path: string, name: string]>> = {
  o: ["overview", "overview"],
  i: ["instances", "instances"],
  j: ["jobs", "jobs"],
  c: ["create", "create an instance"],
  n: ["nodes", "nodes"],
  g: ["groups", "node groups"],
  m: ["maintenance", "maintenance"],
  b: ["balance", "balance"],
  f: ["rules", "filter rules"],
  w: ["networks", "networks"],
  a: ["audit", "audit"],
};

const keys = [
  ["/", "search on this page"],
  ...Object.entries(targets).map(([key, [, name]]) => [`g ${key}`, name]),
  ["?", "these keys"],
  ["Esc", "leave a field or a dialog"],
];

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
      const place = before === "g" ? targets[event.key]?.[0] : undefined;
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
