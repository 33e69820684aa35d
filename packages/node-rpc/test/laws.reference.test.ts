// The laws of node back ends on real node daemons of Ganeti 3.0.2, with stand-ins for LVM and DRBD.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { NodeCallName } from "@ganeti-ts/node-calls";
import {
  type Capability,
  describeNodeBackend,
  type NodeStage,
} from "@ganeti-ts/node-calls/conformance";
import { benchUnavailable, bringUp, type ReferenceBench } from "@ganeti-ts/reference";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BenchClient, benchClient } from "./bench-client.js";
import { thingsOfStage } from "./simulated-stage.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

/** Laws that the daemons of the bench cannot keep, with the reason. */
const lacks: Partial<Readonly<Record<Capability, string>>> = {
  "block devices": "volumes of the stand-in are files",
  "damaged volumes": "the stand-ins have none",
  repetition: "some calls are refused when they are repeated, see below",
  commands: "Debian's build has no restricted commands",
  hotplug: "the fake hypervisor has none",
  membership: "a daemon that leaves its cluster ends",
  "ssh keys": "all virtual nodes share one account",
  power: "it would restart the machine of the test",
  fence: "the wire has no leases",
};

/** Calls marked `same` that these daemons refuse when they are repeated. */
const refusesRepetition: readonly NodeCallName[] = [
  "blockdev_addchildren",
  "blockdev_create",
  "blockdev_rename",
  "drbd_attach_net",
  "export_remove",
  "finalize_export",
  "jobqueue_rename",
  "node_change_master_netmask",
  "x509_cert_remove",
];

/** Commands that remove everything a law may leave on the nodes. */
const remains = [
  "rm -rf /dev/xenvg/* /srv/vcluster/file-storage/*",
  ...["lib/ganeti/export", "run/ganeti/fake-hypervisor", "run/ganeti/bdev-cache"].map(
    (folder) => `rm -rf /srv/vcluster/*/var/${folder}/*`,
  ),
].join("; ");

describe.skipIf(problem !== undefined)("Node daemons of Ganeti", () => {
  let bench: ReferenceBench;
  let made: BenchClient;
  const calls = new Set<NodeCallName>();
  const refused = new Set<NodeCallName>();

  beforeAll(async () => {
    bench = await bringUp({ storage: true, populated: false });
    await bench.stopMaster();
    made = await benchClient(bench);
  });
  afterAll(async () => {
    made?.close();
    await bench?.down();
  });

  async function open(): Promise<NodeStage> {
    await bench.exec("/bin/sh", ["-c", remains]);
    writeFileSync(join(bench.directory, "devices/state.json"), "");
    return {
      ...thingsOfStage,
      nodes: made.client,
      members: made.members as unknown as NodeStage["members"],
      fileDirectory: "/srv/vcluster/file-storage",
      hypervisor: "fake",
      hvparams: { migration_mode: "live" },
      exportDirectory: `${bench.nodes[1]?.insideRoot}/var/lib/ganeti/export`,
      // Ganeti supports the prefix of virtual clusters for uploads and queue files only.
      pathOnNode: (node, path) => `${bench.nodes[node]?.insideRoot}${path}`,
      pass: async (milliseconds) => void (await sleep(milliseconds)),
    };
  }

  const options = {
    open,
    lacks: Object.keys(lacks) as Capability[],
    onCall: (name: NodeCallName) => calls.add(name),
    refusesRepetition,
    onRefusal: (name: NodeCallName) => refused.add(name),
  };
  describeNodeBackend("the client of Ganeti's daemons", options, { describe, test });

  test("The named calls, and no others, were refused when they were repeated", () => {
    expect([...refused].sort()).toEqual(refusesRepetition);
  });

  test("The README states how many calls were made here", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    expect(readme).toContain(`| ${calls.size} | made on real node daemons`);
  });
});
