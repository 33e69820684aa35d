import { expect, test } from "vitest";
import { manualPage } from "./manual.js";
import { usage } from "./usage.js";

test("the manual page has every option and example of the help", () => {
  const plain = manualPage(usage, "1.2")
    .replaceAll("\\-", "-")
    .replaceAll(/\\f[BR]/g, "");
  expect(plain).toMatch(/^\.TH GANETI-RAPI 8 "" "ganeti-ts 1.2"/);
  const options = usage.match(/--[a-z][\w-]+/g) ?? [];
  expect(options.length).toBeGreaterThan(15);
  for (const option of options) expect(plain).toContain(option);
  expect(plain).toContain("\n.TP\n-p PORT\nport to listen on (5080)\n");
  // Help of several lines is one paragraph.
  expect(plain).toMatch(/\n--max-clients=N\nmaximum .* or address; the local socket .*\n/);
  expect(plain).toContain(
    "ganeti-rapi --init=demo.example.com\n.fi\ncreates a cluster of four simulated nodes",
  );
});
