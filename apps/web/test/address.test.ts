// The page's state in the URL.
import { afterEach, expect, test, vi } from "vitest";
import { linkTo, replaceWhileAt } from "../src/address.js";

afterEach(() => vi.unstubAllGlobals());

/** The address after a form at `rules/new` has written its state. */
function written(hash: string): string {
  const location = {
    hash,
    replace(link: string) {
      location.hash = link;
    },
  };
  vi.stubGlobal("location", location);
  const path = ["rules", "new"];
  replaceWhileAt(path, linkTo(path, { priority: "7" }));
  return location.hash;
}

test("a form writes its state into its own address only, not into that of the next page", () => {
  expect(written("#/rules/new?priority=1")).toBe("#/rules/new?priority=7");
  expect(written("#/rules/new")).toBe("#/rules/new?priority=7");
  for (const other of ["#/networks", "#/rules", "#/rules/new/1", ""]) {
    expect(written(other)).toBe(other);
  }
});
