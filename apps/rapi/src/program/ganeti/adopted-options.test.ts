import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeAdopted } from "@ganeti-ts/takeover";
import { expect, onTestFinished, test } from "vitest";
import { openDataDirectory } from "../data-directory.js";
import { type Options, readOptions } from "../options.js";
import { placeOf } from "./adopted-options.js";

test.each([
  ["10\n", [], "::"],
  ["10\n", ["-b", "192.0.2.1"], "192.0.2.1"],
  ["2\n", [], "0.0.0.0"],
  ["2\n", ["-b", "::1"], "::1"],
  [undefined, [], "0.0.0.0"],
])(
  "an adopted cluster with the address family %j and the options %j is served on %s",
  (family, given, address) => {
    const folder = mkdtempSync(join(tmpdir(), "adopted-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    if (family !== undefined) writeFileSync(join(folder, "ssconf_primary_ip_family"), family);
    const directory = openDataDirectory(join(folder, "own"));
    const site = { host: "node1.example.com", root: undefined, data: folder };
    writeAdopted(directory.adopted, { state: "adopted", site, queueIsComplete: true });
    const { options } = placeOf(readOptions(given) as Options, directory);
    expect(options.address).toBe(address);
  },
);
