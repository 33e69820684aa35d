import { type ConfigurationContent, initialConfiguration } from "@ganeti-ts/config";
import { secureRandom } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { configurationNotes } from "./configuration-notes.js";

const sound = initialConfiguration({
  ...{ clusterName: "cluster.example.com", random: secureRandom, now: 1 },
  nodes: [{ name: "node1.example.com", primary_ip: "192.0.2.1" }],
  cluster: { master_ip: "192.0.2.100" },
});
const [node] = sound.nodes;
const lost = "00000000-0000-4000-8000-000000000009";

/** A copy that an editor has changed. */
function changed(change: (raw: Record<string, Record<string, unknown>[]>) => void) {
  const raw = structuredClone(sound) as unknown as Record<string, Record<string, unknown>[]>;
  change(raw);
  return raw as unknown as ConfigurationContent;
}

const instance = {
  ...{ name: "web.example.com", uuid: lost, nics: [], disks: [lost], tags: [], os: "noop" },
  ...{ hypervisor: "kvm", hvparams: {}, beparams: {}, osparams: {}, admin_state: "up" },
  primary_node: lost,
};

test("a sound configuration has no notes", () => {
  expect(configurationNotes(sound)).toEqual([]);
});

test.each([
  ["a node twice", changed(({ nodes }) => nodes?.push({ ...node, uuid: lost }))],
  ["an instance on a lost node", changed(({ instances }) => instances?.push(instance))],
  [
    "an instance with a lost disk",
    changed(({ instances }) => instances?.push({ ...instance, primary_node: node?.uuid })),
  ],
  [
    "a node in a lost group",
    changed(({ nodes }) => Object.assign(nodes?.[0] ?? {}, { group: lost })),
  ],
  [
    "a master that is no candidate",
    changed(({ nodes }) => Object.assign(nodes?.[0] ?? {}, { master_candidate: false })),
  ],
  [
    "an unknown hypervisor",
    changed(({ cluster }) => Object.assign(cluster ?? {}, { enabled_hypervisors: [] })),
  ],
])("the fault of %s is a note", (_, content) => {
  const notes = configurationNotes(content);
  expect(notes.length).toBeGreaterThan(0);
  for (const note of notes) expect(note).toMatch(/^config\.data: ./);
});

test("the first ten faults are written out, further ones are counted", () => {
  const content = changed(({ instances }) => {
    for (let n = 10; n < 40; n++) {
      instances?.push({ ...instance, uuid: lost.replace(/..$/, String(n)), name: `web${n}` });
    }
  });
  const notes = configurationNotes(content);
  expect(notes).toHaveLength(11);
  expect(notes[10]).toMatch(/^config\.data: \d+ more faults, which gnt-cluster verify lists$/);
});
