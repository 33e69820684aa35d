import { expect, test } from "vitest";
import { aContext } from "../../test/a-context.js";
import { usualAddress } from "./ssconf.js";

test.each([
  ["10\n", "::"],
  ["10", "::"],
  ["2\n", "0.0.0.0"],
  ["", "0.0.0.0"],
  ["100\n", "0.0.0.0"],
  [undefined, "0.0.0.0"],
])("a node whose cluster has the address family %j listens on %s", async (family, address) => {
  const { write, paths, root } = aContext();
  if (family !== undefined) {
    write(`${paths.data.slice(root.length + 1)}/ssconf_primary_ip_family`, family);
  }
  expect(await usualAddress(paths.data)).toBe(address);
});
