import { expect, test } from "vitest";
import { DataError } from "../model/data-error.js";
import { defaultPolicy } from "../model/default-policy.js";
import { readClusterText } from "./text-reader.js";

const group = "g1|u1|preferred|gold|net1,net2";
const node = "n1|1024|16|900|10240|9000|4|M|u1|2|rack:1,x|Y|3|1|1.5";
const other = "n2|1024|0|1024|10240|10240|4|N|u1|1||N|0|1|1.0";
const instance = "i1|128|1024|2|running|Y|n1|n2|drbd|web|3|4|Y";
const policy = "g1|1,2,3,4,5,6|1,1,1,1,1,1;9,9,9,9,9,9|drbd,plain|2.5|8";

/** A file of one group, two nodes and one instance, with the given sections in place of the usual. */
function file({ groups = group, nodes = `${node}\n${other}`, instances = instance, rest = "" }) {
  return `${groups}\n\n${nodes}\n\n${instances}\n\n${rest}\n`;
}
const withColumn = (line: string, position: number, text: string) =>
  line.split("|").with(position, text).join("|");
const withColumns = (line: string, count: number) => line.split("|").slice(0, count).join("|");

test("every column has its place", () => {
  const cluster = readClusterText(file({ rest: `t1\nt2,t3\n\n${policy}` }));
  expect(cluster.groups).toEqual([
    {
      name: "g1",
      uuid: "u1",
      allocationPolicy: "preferred",
      tags: ["gold"],
      networks: ["net1", "net2"],
      policy: {
        std: { memoryMib: 1, cpuCount: 2, diskMib: 3, diskCount: 4, nicCount: 5, spindleUse: 6 },
        minMax: [
          {
            min: {
              memoryMib: 1,
              cpuCount: 1,
              diskMib: 1,
              diskCount: 1,
              nicCount: 1,
              spindleUse: 1,
            },
            max: {
              memoryMib: 9,
              cpuCount: 9,
              diskMib: 9,
              diskCount: 9,
              nicCount: 9,
              spindleUse: 9,
            },
          },
        ],
        diskTemplates: ["drbd", "plain"],
        vcpuRatio: 2.5,
        spindleRatio: 8,
      },
    },
  ]);
  expect(cluster.nodes[0]).toEqual({
    name: "n1",
    groupIndex: 0,
    offline: false,
    master: true,
    memoryTotalMib: 1024,
    memoryNodeMib: 16,
    memoryFreeMib: 900,
    diskTotalMib: 10240,
    diskFreeMib: 9000,
    cpuTotal: 4,
    cpuNode: 1,
    spindleTotal: 2,
    spindleFree: 3,
    exclusiveStorage: true,
    tags: ["rack:1", "x"],
    cpuSpeed: 1.5,
  });
  expect(cluster.instances).toEqual([
    {
      name: "i1",
      memoryMib: 128,
      diskMib: 1024,
      disks: [{ sizeMib: 1024, spindles: 4 }],
      vcpus: 2,
      spindleUse: 3,
      diskTemplate: "drbd",
      status: "running",
      autoBalance: true,
      forthcoming: true,
      tags: ["web"],
      networks: [],
      primary: 0,
      secondary: 1,
    },
  ]);
  expect(cluster.tags).toEqual(["t1", "t2,t3"]);
  expect(cluster.policy).toBeUndefined();
});

test("older files have fewer columns and no policies", () => {
  const cluster = readClusterText(
    file({
      groups: withColumns(group, 4),
      nodes: `${withColumns(node, 9)}\n${withColumns(other, 9)}`,
      instances: withColumns(instance, 10),
    }),
  );
  expect(cluster.groups[0]).toMatchObject({ networks: [], policy: defaultPolicy });
  expect(cluster.nodes[0]).toMatchObject({
    spindleTotal: 1,
    tags: [],
    exclusiveStorage: false,
    spindleFree: 0,
    cpuNode: 1,
    cpuSpeed: 1,
  });
  expect(cluster.instances[0]).toMatchObject({
    spindleUse: 1,
    disks: [{ sizeMib: 1024, spindles: undefined }],
    forthcoming: false,
  });
});

test("a question mark among a node's resources makes it offline and empty", () => {
  for (const position of [1, 2, 3, 4, 5, 6]) {
    const nodes = `${withColumn(node, position, "?")}\n${other}`;
    expect(readClusterText(file({ nodes })).nodes[0]).toMatchObject({
      offline: true,
      master: false,
      memoryTotalMib: 0,
      diskFreeMib: 0,
      cpuNode: 0,
      spindleTotal: 0,
      exclusiveStorage: false,
      tags: [],
    });
  }
});

test("an empty section is one more empty line; what follows the policies is not read", () => {
  const cluster = readClusterText(`${group}\n\n\n\n\n|1,2,3,4,5,6||ext|1|1\n\nnonsense\n`);
  expect(cluster).toMatchObject({ nodes: [], instances: [], tags: [] });
  expect(cluster.policy).toMatchObject({ minMax: [], diskTemplates: ["ext"] });
});

test("drbd without secondary loads, and so does another template with the same node twice", () => {
  const without = withColumn(instance, 7, "");
  expect(readClusterText(file({ instances: without })).instances[0]?.secondary).toBe(-1);
  const twice = withColumn(withColumn(instance, 7, "n1"), 8, "ext");
  expect(readClusterText(file({ instances: twice })).instances[0]?.secondary).toBe(0);
});

const policyWith = (position: number, text: string) =>
  file({ rest: `\n${withColumn(policy, position, text)}` });
const nodeWith = (position: number, text: string) =>
  file({ nodes: `${withColumn(node, position, text)}\n${other}` });
const instanceWith = (position: number, text: string) =>
  file({ instances: withColumn(instance, position, text) });

test.each([
  ["", "Invalid format of the input file: 0 sections instead of 4 or more"],
  [`${group}\n\n${node}\n`, "Invalid format of the input file: 2 sections instead of 4 or more"],
  [file({ groups: "g|u|é" }), String.raw`Invalid/incomplete group data: '["g","u","\233"]'`],
  [file({ groups: "g|u|foo|" }), 'Invalid string value for type AllocPolicy: "foo"'],
  [file({ nodes: "n1|1" }), `Invalid/incomplete node data: '["n1","1"]'`],
  [nodeWith(8, "zz"), "Unknown group 'zz' for node n1"],
  [nodeWith(3, "x"), "n1: cannot parse string 'x'"],
  [nodeWith(9, "1.5"), "n1: cannot parse string '1.5'"],
  [nodeWith(14, "1..2"), "n1: leftover characters when parsing '1..2': '..2'"],
  [nodeWith(11, "Q"), "Invalid exclusive_storage value for node 'n1': Q"],
  [file({ instances: "i1|1" }), `Invalid/incomplete instance data: '["i1","1"]'`],
  [instanceWith(6, "zz"), "Unknown node 'zz' for instance i1"],
  [instanceWith(7, "zz"), "Unknown node 'zz' for instance i1"],
  [instanceWith(7, "n1"), "Instance i1 has same primary and secondary node - n1"],
  [instanceWith(1, ""), "i1: cannot parse string ''"],
  [instanceWith(4, "up"), 'Invalid string value for type InstanceStatus: "up"'],
  [instanceWith(5, "Z"), "Invalid auto_balance value 'Z' for instance i1"],
  [instanceWith(8, "drdb"), 'Instance i1: Invalid string value for type DiskTemplate: "drdb"'],
  [instanceWith(11, ""), "i1: cannot parse string ''"],
  [instanceWith(12, "Q"), "Invalid forthcoming value 'Q' for instance i1"],
  [file({ rest: "\ng1|1,2" }), `Invalid ipolicy data: '["g1","1,2"]'`],
  [policyWith(0, "zz"), "Wrong number of elems found with name zz"],
  [policyWith(1, "1,2,3"), 'Invalid ispec data for g1/stdspec: ["1","2","3"]'],
  [policyWith(1, "1,2,x,4,5,6"), "g1/stdspec/disksize: cannot parse string 'x'"],
  [policyWith(2, "1,1,1,1,1,1"), "Odd number of min/max specs for g1"],
  [policyWith(2, "1,1,1,1,1,1;2"), 'Invalid ispec data for g1/maxspec: ["2"]'],
  [policyWith(3, "foo"), 'Invalid string value for type DiskTemplate: "foo"'],
  [policyWith(4, "x"), "g1/vcpu_ratio: cannot parse string 'x'"],
  [policyWith(5, ".5"), "g1/spindle_ratio: cannot parse string '.5'"],
])("refused: %j", (text, message) => {
  expect(() => readClusterText(text)).toThrow(new DataError(message));
});
