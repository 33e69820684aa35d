import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { aFolder } from "../../test/a-context.js";
import { acceptedDigests, keptDigests } from "./candidates.js";

let folder = "";
let path = "";
beforeEach(() => {
  folder = aFolder();
  path = join(folder, "ssconf_master_candidates_certs");
});

test("a certificate that has been withdrawn is refused from the next check on", () => {
  const digests = acceptedDigests(folder);
  expect(digests()).toEqual([]);
  writeFileSync(path, "uuid-1=aa:bb\nuuid-2=CC:DD\n");
  expect(digests()).toEqual(["AA:BB", "CC:DD"]);
  // Replaced as ssconf files are, by another file of the same length.
  writeFileSync(`${path}.new`, "uuid-1=aa:bb\nuuid-3=EE:FF\n");
  renameSync(`${path}.new`, path);
  expect(digests()).toEqual(["AA:BB", "EE:FF"]);
  rmSync(path);
  expect(digests()).toEqual([]);
});

test("kept digests stay valid when the file is removed", () => {
  writeFileSync(path, "uuid-1=aa:bb\n");
  const { digests, keep } = keptDigests(acceptedDigests(folder));
  keep();
  rmSync(path);
  expect(digests()).toEqual(["AA:BB"]);
});
