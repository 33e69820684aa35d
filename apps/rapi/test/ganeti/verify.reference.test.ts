// Texts of `gnt-cluster verify` by our server, compared line by line with those of Ganeti's own master on the same nodes.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { benchUnavailable, type ReferenceBench, withReferenceCluster } from "@ganeti-ts/reference";
import { describe, expect, test } from "vitest";
import type { Outcome } from "../luxi/debian.js";
import { byOriginal, ownServer } from "./traced-run.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

/** A damaged state of the cluster for the verification. */
interface Damage {
  readonly title: string;
  readonly inflict: (bench: ReferenceBench) => Promise<void>;
  /** Beginnings of lines that the output must contain, as proof that the damage was found. */
  readonly expected: readonly string[];
}

/** Runs lines of shell on the nth node; 1 is the master. */
async function on({ exec, nodes }: ReferenceBench, nth: number, ...lines: string[]): Promise<void> {
  const node = nodes[nth - 1];
  if (node === undefined) throw new Error(`no node ${nth}`);
  for (const line of lines) await exec("/bin/sh", ["-c", line], { node });
}

/** Puts a file below the root folder of the nth node. */
function put({ nodes }: ReferenceBench, nth: number, path: string, text: string, mode = 0o644) {
  const file = join(nodes[nth - 1]?.root ?? "", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
}

const running = "var/run/ganeti/fake-hypervisor";
const oneVolume = "lvs --noheadings -o vg_name,lv_name --separator / | grep data";

async function damageThings(bench: ReferenceBench): Promise<void> {
  const [first, second] = bench.nodes.map(({ root }) => root);
  if (first === undefined || second === undefined) throw new Error("needs two nodes");
  await on(
    bench,
    1,
    "gnt-cluster add-tags htools:iextags:service",
    "gnt-instance add-tags inst1.example.com service:web",
    "gnt-instance add-tags inst3.example.com service:web",
    "gnt-instance modify -B auto_balance=false inst5.example.com",
    "gnt-instance modify --offline inst5.example.com",
  );
  // One instance is gone, and one is on another node as well.
  const two = "inst2.example.com";
  cpSync(join(first, running, two), join(second, running, two));
  rmSync(join(first, running, "inst1.example.com"));
  // A file, a volume and a side of a mirror are gone, and a volume is unknown.
  await on(bench, 1, "rm -r /srv/vcluster/file-storage/inst3.example.com");
  await on(bench, 1, `lvremove -f $(${oneVolume} | head -n 1)`);
  await on(bench, 2, "lvcreate -L16m -nunknown xenvg", "drbdsetup down 0");
  put(bench, 2, "var/lib/ganeti/known_hosts", "changed\n");
  rmSync(join(second, "var/lib/ganeti/rapi/users"));
  put(bench, 1, "etc/ganeti/file-storage-paths", "/srv/vcluster/file-storage\n/bin\n");
  const script = "#!/bin/sh\necho one; echo two; exit 3\n";
  put(bench, 1, "etc/ganeti/hooks/cluster-verify-post.d/fails", script, 0o755);
}

const damages: readonly Damage[] = [
  {
    title: "an intact cluster",
    inflict: async () => {},
    expected: ["  - NOTICE: 3 non-redundant instance(s) found."],
  },
  {
    title: "instances, disks and files that are not as they should be",
    inflict: damageThings,
    expected: [
      "  - ERROR: cluster : File /etc/ganeti/file-storage-paths found with 2 different checksums",
      "  - ERROR: cluster : File /var/lib/ganeti/known_hosts found with 2 different checksums",
      "  - ERROR: cluster : File /var/lib/ganeti/rapi/users is optional, but it must exist on all",
      "  - ERROR: instance inst1.example.com: instance not running on its primary node",
      "  - ERROR: instance inst2.example.com: instance should not run on node node2.example.com",
      "  - ERROR: instance inst3.example.com: couldn't retrieve status for disk/0",
      "  - ERROR: instance inst8.example.com: couldn't retrieve status for disk/0",
      "  - WARNING: instance inst8.example.com: disk/0 on node1.example.com is degraded",
      "  - ERROR: node node2.example.com: drbd minor 0 of disk",
      "  - ERROR: node node2.example.com: ssh communication with node 'node3.example.com'",
      "  - WARNING: node node2.example.com: volume xenvg/unknown is unknown",
      "  - WARNING: node node1.example.com: Tags where there is more than one instance",
      "  - ERROR: node node1.example.com: Found forbidden file storage paths: /bin",
      "  - ERROR: node node1.example.com: Script cluster-verify-post.d/fails failed, output:",
      "  - NOTICE: 1 non-auto-balanced instance(s) found.",
      "  - NOTICE: 1 offline instance(s) found.",
    ],
  },
  {
    title: "a node that is offline, one that is drained, and one that cannot be reached",
    async inflict(bench) {
      const [, second, third] = bench.nodes;
      if (second === undefined || third === undefined) throw new Error("needs three nodes");
      await bench.exec("gnt-node", ["modify", "--drained=yes", third.name]);
      await bench.exec("gnt-node", ["modify", "--offline=yes", second.name]);
      await bench.stopDaemon(third, "ganeti-noded");
    },
    expected: [
      "  - ERROR: node node3.example.com: while contacting node: Error 7: ",
      "  - ERROR: node node3.example.com: Node did not return file checksum data",
      "  - ERROR: node node3.example.com: Communication failure in hooks execution",
      "  - ERROR: instance inst8.example.com: instance has offline secondary node(s)",
      "  - NOTICE: 1 offline node(s) found.",
      "  - NOTICE: 1 drained node(s) found.",
    ],
  },
];

/** Lines that only Ganeti's master has; rows of differences.md in packages/logical-units. */
const onlyOriginal = [/^ - WARNING: (Communication failure to node|On \S+ script) /];

/** The output without what depends on the moment, or on nodes being virtual; nodes by name. */
function normalized(bench: ReferenceBench, text: string): string {
  const { nodes } = JSON.parse(readFileSync(bench.configFile, "utf8"));
  const named = Object.entries<{ readonly name: string }>(nodes).reduce(
    (left, [uuid, { name }]) => left.replaceAll(`ERROR: node ${uuid}:`, `ERROR: node ${name}:`),
    text.replace(/^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4} /gm, ""),
  );
  return named.replaceAll(/after \d+ ms/g, "after 0 ms").replaceAll(bench.master.insideRoot, "");
}

/** Lines of each step, by what is verified: jobs and the order of groups and nodes do not count. */
function reportOf(bench: ReferenceBench, { stdout, status }: Outcome) {
  const parts: Record<string, Record<string, string[]>> = {};
  let [part, step] = ["the configuration", ""];
  for (const line of normalized(bench, stdout).split("\n")) {
    if (line === "" || /^(Submitted jobs|Waiting for job) /.test(line)) continue;
    if (onlyOriginal.some((one) => one.test(line))) continue;
    part = /^\* Verifying (group '.*')$/.exec(line)?.[1] ?? part;
    if (line.startsWith("* ")) step = line;
    parts[part] ??= {};
    const steps = parts[part] as Record<string, string[]>;
    steps[step] ??= [];
    if (line !== step) steps[step]?.push(line);
  }
  for (const lines of Object.values(parts).flatMap((steps) => Object.values(steps))) lines.sort();
  return { status, parts };
}

describe.skipIf(problem !== undefined)("gnt-cluster verify on nodes of Ganeti", () => {
  for (const { title, inflict, expected } of damages) {
    test(`reports ${title} in the words of Ganeti's master`, () =>
      withReferenceCluster({ storage: true }, async (bench) => {
        await inflict(bench);
        const command = "gnt-cluster verify --verbose";
        const original = reportOf(bench, await byOriginal(bench)(command));
        const server = await ownServer(bench);
        const end = await server.run(command).finally(() => server.stop());
        const ours = reportOf(bench, end);
        expect(ours).toEqual(original);
        const lines = Object.values(ours.parts).flatMap((steps) => Object.values(steps).flat());
        const missing = expected.filter((start) => !lines.some((line) => line.startsWith(start)));
        expect(missing).toEqual([]);
      }));
  }
});
