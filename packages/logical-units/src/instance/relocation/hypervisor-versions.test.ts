import { answered } from "@ganeti-ts/node-calls";
import type { Json } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import type { UnitContext } from "../../unit/unit.js";
import type { Journey } from "./journey.js";
import { checkHypervisorVersions } from "./migration.js";

interface Case {
  readonly hypervisor: string;
  readonly versions: readonly [readonly number[] | undefined, readonly number[] | undefined];
  readonly ignoreVersions?: boolean;
}

/** Log of the check of a migration from `a` to `b`, with the error at its end if it is refused. */
async function logOf({ hypervisor, versions, ignoreVersions = false }: Case) {
  const log: Json[] = [];
  const [a, b] = versions;
  const context = {
    now: { cluster: { hvparams: {} }, node: () => undefined },
    signal: { aborted: false },
    lease: "",
    log: (line: Json) => log.push(line),
    nodes: {
      call: async (node: string) =>
        answered({ hypervisors: [{ hypervisorVersion: node === "a" ? a : b }] }),
    },
  } as unknown as UnitContext;
  const journey = { instance: { hypervisor }, source: "a", target: "b" } as unknown as Journey;
  try {
    await checkHypervisorVersions(context, journey, { ignoreVersions });
  } catch (error) {
    log.push((error as Error).message);
  }
  return log;
}

const mismatch = (from: string, to: string) =>
  `* warning: hypervisor version mismatch between source (${from}) and target (${to}) node`;

test.each<Case>([
  {
    hypervisor: "kvm",
    versions: [
      [7, 2, 0],
      [7, 2, 0],
    ],
  },
  { hypervisor: "fake", versions: [undefined, [1, 0]] },
  { hypervisor: "fake", versions: [[1, 0], undefined] },
])("equal and unknown versions pass without a word: $hypervisor $versions", async (versions) => {
  expect(await logOf(versions)).toEqual([]);
});

test.each<Case>([
  {
    hypervisor: "kvm",
    versions: [
      [7, 2],
      [5, 1],
    ],
  },
  {
    hypervisor: "xen-pvm",
    versions: [
      [4, 16],
      [4, 17],
    ],
  },
])("a step that the hypervisor takes is reported as safe: $hypervisor $versions", async (step) => {
  const [from, to] = step.versions.map((version) => `[${version?.join(", ")}]`);
  expect(await logOf(step)).toEqual([
    mismatch(from ?? "", to ?? ""),
    `  migrating from hypervisor version ${from} to ${to} should be safe`,
  ]);
});

test.each<Case>([
  {
    hypervisor: "xen-pvm",
    versions: [
      [4, 16],
      [4, 18],
    ],
  },
  {
    hypervisor: "xen-hvm",
    versions: [
      [4, 16],
      [4, 15],
    ],
  },
  {
    hypervisor: "fake",
    versions: [
      [1, 2],
      [2, 0],
    ],
  },
])("other steps are refused, unless versions are ignored: $hypervisor $versions", async (step) => {
  const [from, to] = step.versions.map((version) => `[${version?.join(", ")}]`);
  const warned = [
    mismatch(from ?? "", to ?? ""),
    `  migrating from hypervisor version ${from} to ${to} is likely unsupported`,
  ];
  expect(await logOf(step)).toEqual([
    ...warned,
    `Unsupported migration between hypervisor versions (${from} to ${to})`,
  ]);
  expect(await logOf({ ...step, ignoreVersions: true })).toEqual([
    ...warned,
    "  continuing anyway (told to ignore version mismatch)",
  ]);
});
