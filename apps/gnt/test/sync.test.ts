import { expect, test } from "vitest";
import { program } from "../src/programs/gnt-instance.js";
import { fakeCluster } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

const log = [
  " - INFO: Waiting for instance web1 to sync disks",
  " - INFO: - device disk/0: 25.00% done, 1m 0s remaining (estimated)",
  " - INFO: - device disk/1:  5.00% done, no time estimate",
  " - INFO: Instance web1's disks are in sync",
];
const erase = "\r\x1b[K";
const cluster = () => fakeCluster({ jobOf: () => ({ log }) });
const line = "grow-disk web1 0 1g";

test("synchronising disks are bars on a terminal, which disappear at the end", async () => {
  const never = () => () => {};
  const size = { columns: 100, rows: 24, reflows: true };
  const terminal = { ...size, colour: false, onResize: never, onResume: never };
  const { stdout } = await runLine(program, line, { cluster: cluster(), terminal });
  expect(stdout).not.toContain("remaining (estimated)");
  expect(stdout).toContain("disk/0 [######..................]  25.0% 1m 00s left");
  expect(stdout).toContain("   disk/1 [#.......................]   5.0%");
  const shown = stdout.split("\n").map((text) => (text.split(erase).at(-1) ?? "").slice(25));
  expect(shown).toEqual([log[0], log[3], ""]);
});

test("without a terminal the progress is printed as lines", async () => {
  const { stdout } = await runLine(program, line, { cluster: cluster() });
  expect(stdout.split("\n").map((text) => text.slice(25))).toEqual([...log, ""]);
});
