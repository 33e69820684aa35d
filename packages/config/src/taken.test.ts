import { expect, test } from "vitest";
import { aDrbdDisk, anInstance, apply, nodeNamed, opened, put, seeded } from "../test/cluster.js";
import {
  allocatePort,
  drbdMinors,
  generateMac,
  mustBeFreeMac,
  readMac,
  releasePorts,
} from "./generated.js";
import { checkTag, withoutTags, withTags } from "./tags.js";

test("a generated MAC address has the cluster's prefix and is unused", async () => {
  const { snapshot } = await opened();
  const first = generateMac(snapshot, seeded(5));
  expect(first).toMatch(/^aa:00:00(:[0-9a-f]{2}){3}$/);
  expect(generateMac(snapshot, seeded(5), undefined, new Set([first]))).not.toBe(first);
  const stuck = { fraction: () => 0 };
  expect(() => generateMac(snapshot, stuck, undefined, new Set(["aa:00:00:00:00:00"]))).toThrow(
    expect.objectContaining({ code: "insufficient_resources" }),
  );
});

test("a MAC address that a NIC has is not free, whatever its case", async () => {
  const configuration = await opened();
  const nics = [{ uuid: "n", mac: "aa:00:00:12:34:56", nicparams: {} }];
  const node = nodeNamed(configuration.snapshot, 1).uuid;
  const now = await apply(
    configuration,
    put("instance", anInstance(seeded(), "a", node, { nics })),
  );
  expect(() => mustBeFreeMac(now, "AA:00:00:12:34:56")).toThrow(
    "MAC address AA:00:00:12:34:56 already in use in cluster",
  );
  mustBeFreeMac(now, "aa:00:00:12:34:57");
});

test.each(["01:00:00:00:00:00", "aa:bb:cc:dd:ee", "aa:bb:cc:dd:ee:gg", ""])(
  "'%s' is no MAC address of a NIC",
  (text) => expect(() => readMac(text)).toThrow(`Invalid MAC address '${text}'`),
);

test("ports that were given back are used before new ones", async () => {
  const { cluster } = (await opened()).snapshot;
  const first = allocatePort(cluster);
  const second = allocatePort(first.cluster);
  expect([first.port, second.port]).toEqual([11000, 11001]);
  const again = allocatePort(releasePorts(second.cluster, [11000]));
  expect(again.port).toBe(11000);
  expect(again.cluster).toMatchObject({ tcpudp_port_pool: [], highest_used_port: 11001 });
  expect(() => allocatePort({ ...cluster, highest_used_port: 14999 })).toThrow(
    "The highest used port is greater than 14999. Aborting.",
  );
});

test("minors are the lowest that no disk of the node has", async () => {
  const configuration = await opened();
  const [one, two] = [1, 2].map((n) => nodeNamed(configuration.snapshot, n).uuid);
  if (one === undefined || two === undefined) throw new Error("two nodes");
  const disk = aDrbdDisk(seeded(), [one, two], { port: 11000, minors: [0, 1] });
  const now = await apply(configuration, put("disk", disk));
  expect(drbdMinors(now, [one, two, two, one])).toEqual([1, 0, 2, 2]);
});

test.each([
  ["", "Tags cannot be empty"],
  ["a b", "Tag contains invalid characters"],
  ["x".repeat(129), "Tag too long (>128 characters)"],
  [5, "Invalid tag type (not a string)"],
])("%j is no tag", (tag, message) => expect(() => checkTag(tag)).toThrow(message));

test("adding a tag twice keeps it once, and only existing tags can be removed", () => {
  expect(withTags(["a"], ["b", "a", "b"])).toEqual(["a", "b"]);
  expect(withoutTags(["a", "b", "c"], ["b"])).toEqual(["a", "c"]);
  expect(() => withoutTags(["a"], ["z", "y", "z"])).toThrow("Tag(s) 'y', 'z' not found");
  const many = Array.from({ length: 4096 }, (_, i) => `t${i}`);
  expect(withTags(many, ["t1"])).toHaveLength(4096);
  expect(() => withTags(many, ["more"])).toThrow("Too many tags");
});
