import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readNewClusterFile } from "./new-cluster-file.js";

const folder = mkdtempSync(join(tmpdir(), "new-cluster-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['{"hypervisors": ["vkm"]}', /: hypervisors\[0\]: has to be one of kvm, xen-pvm, .*fake$/],
  ['{"nodes": [{"name": 7}]}', /: nodes\[0\]\.name: has to be a string$/],
  [
    '{"nodes": [], "groups": "a"}',
    /: nodes: has to be at least 1 entries long\n.*: groups: has to be a list$/,
  ],
  ['{"node": []}', /: settings: has no 'node'$/],
  ['{"cluster": {"master_netmask": true}}', /: cluster\.master_netmask: has to be a number$/],
  ['{"groups": [""]}', /: groups\[0\]: has to be at least 1 characters long$/],
])("a file of settings with %s is refused in words", (text, says) => {
  const path = join(folder, "settings.json");
  writeFileSync(path, text);
  expect(() => readNewClusterFile(path)).toThrow(says);
});
