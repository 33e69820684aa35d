import {
  allocationPolicies,
  type ClusterData,
  diskTemplates,
  instanceStatuses,
} from "@ganeti-ts/protocol";
import { aCluster, aGroup, aNode, anInstance, aPolicy } from "@ganeti-ts/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadCluster } from "../model/load.js";
import { readClusterText } from "./text-reader.js";
import { writeClusterText } from "./text-writer.js";

const written = (data: ClusterData) => writeClusterText(loadCluster(data));

test("all columns are written, and the default policy for a cluster without one", () => {
  const data = aCluster({
    groups: [aGroup({ name: "g1", uuid: "u1", tags: ["gold"], networks: ["net1", "net2"] })],
    nodes: [
      aNode({
        name: "n1",
        master: true,
        tags: ["a", "b"],
        cpuSpeed: 1.5,
        memoryTotalMib: 1000.5,
        memoryFreeMib: 900,
      }),
      aNode({ name: "n2", offline: true, exclusiveStorage: true }),
    ],
    instances: [
      anInstance({ name: "i1", primary: 0, secondary: 1, tags: ["web"], autoBalance: false }),
      anInstance({
        name: "i2",
        primary: 1,
        diskTemplate: "plain",
        status: "ADMIN_down",
        forthcoming: true,
        disks: [
          { sizeMib: 1, spindles: 2 },
          { sizeMib: 2, spindles: 3 },
        ],
      }),
    ],
    tags: ["t1", "t2"],
  });
  expect(written(data)).toBe(`g1|u1|preferred|gold|net1,net2

n1|1000|1024|900|1048576|1048576|16|M|u1|4|a,b|N|4|1|1.5
n2|65536|1024|64512|1048576|1048576|16|Y|u1|4||Y|4|1|1.0

i1|1024|10368|1|running|N|n1|n2|drbd|web|1|-|N
i2|1024|3|1|ADMIN_down|Y|n2||plain||1|5|Y

t1
t2

|128,1,1024,1,1,1|128,1,1024,1,1,1;32768,8,1048576,16,8,12|diskless,file,sharedfile,plain,blockdev,drbd,rbd,ext,gluster|4.0|32.0
g1|1024,1,10240,1,1,1|128,1,1024,1,1,1;32768,16,1048576,16,8,8|drbd,plain,ext|4.0|32.0
`);
});

test("empty sections are empty lines", () => {
  expect(written(aCluster({ groups: [], nodes: [] }))).toMatch(/^\n\n\n\n\|128,/);
});

// Clusters that the text format can express: names without separators, whole totals, one disk per instance.
const name = fc.stringMatching(/^[a-zé][\w.:é-]{0,12}$/u);
const names = (most: number) => fc.uniqueArray(name, { minLength: 1, maxLength: most });
const size = fc.integer({ min: -10, max: 2 ** 40 });
const ratio = fc.double({ min: 0, max: 1e9, noNaN: true });
const policy = fc
  .record({
    diskTemplates: fc.uniqueArray(fc.constantFrom(...diskTemplates)),
    vcpuRatio: ratio,
    spindleRatio: ratio,
    minMax: fc.constantFrom([], aPolicy().minMax),
  })
  .map(aPolicy);

const cluster = fc
  .record({ groups: names(3), nodes: names(5), instances: names(6), tags: names(3) })
  .chain(({ groups, nodes, instances, tags }) =>
    fc.record<ClusterData>({
      groups: fc.tuple(
        ...groups.map((name) =>
          fc
            .record({
              allocationPolicy: fc.constantFrom(...allocationPolicies),
              tags: names(2),
              networks: names(2),
              policy,
            })
            .map((group) => aGroup({ name, uuid: `uuid-${name}`, ...group })),
        ),
      ),
      nodes: fc.tuple(
        ...nodes.map((name) =>
          fc
            .record({
              groupIndex: fc.nat(groups.length - 1),
              offline: fc.boolean(),
              memoryTotalMib: size,
              memoryFreeMib: size,
              diskTotalMib: size,
              diskFreeMib: size,
              cpuTotal: fc.nat(256),
              cpuNode: fc.nat(4),
              spindleTotal: fc.nat(20),
              spindleFree: fc.nat(20),
              exclusiveStorage: fc.boolean(),
              tags: names(2),
              cpuSpeed: ratio,
            })
            .map((node) => aNode({ name, ...node })),
        ),
      ),
      instances: fc.tuple(
        ...instances.map((name) =>
          fc
            .record({
              memoryMib: size,
              vcpus: fc.nat(64),
              spindleUse: fc.nat(9),
              diskTemplate: fc.constantFrom(...diskTemplates),
              status: fc.constantFrom(...instanceStatuses),
              autoBalance: fc.boolean(),
              forthcoming: fc.boolean(),
              tags: names(2),
              primary: fc.nat(nodes.length - 1),
              secondary: fc.integer({ min: -1, max: nodes.length - 1 }),
              disk: fc.record({
                sizeMib: size,
                spindles: fc.option(fc.nat(9), { nil: undefined }),
              }),
            })
            .map(({ disk, ...instance }) =>
              anInstance({
                name,
                ...instance,
                secondary: instance.secondary === instance.primary ? -1 : instance.secondary,
                disks: [disk],
                diskMib: disk.sizeMib,
                networks: [],
              }),
            ),
        ),
      ),
      tags: fc.constant(tags),
      policy,
      hypervisor: fc.constant(undefined),
    }),
  );

test("what was written reads back as it was", () => {
  const seen = { withSecondary: 0, offline: 0 };
  fc.assert(
    fc.property(cluster, (data) => {
      expect(readClusterText(written(data))).toEqual(data);
      seen.withSecondary += Number(data.instances.some(({ secondary }) => secondary >= 0));
      seen.offline += Number(data.nodes.some(({ offline }) => offline));
    }),
  );
  expect(Math.min(seen.withSecondary, seen.offline)).toBeGreaterThan(0);
});
