// Back ends with one deliberate fault each, as wrappers of the simulation: the laws must find every one.
import type {
  Fence,
  NodeAnswer,
  NodeBackend,
  NodeCallName,
  NodeCallValue,
} from "@ganeti-ts/node-calls";
import { answered, failed } from "@ganeti-ts/node-calls";
import { checkLaw, laws, type NodeStage } from "@ganeti-ts/node-calls/conformance";
import { expect, test } from "vitest";
import { simulatedStage } from "./simulated-stage.js";

type Call = NodeBackend["call"];

interface Broken {
  readonly about: (typeof laws)[number]["about"];
  readonly why: string;
  readonly wrap?: (call: Call) => Call;
  readonly fence?: Fence;
}

/** Replaces the answer of one call. */
const instead =
  <Name extends NodeCallName>(
    broken: Name,
    answer: (real: () => Promise<NodeAnswer<NodeCallValue<Name>>>) => Promise<unknown> | unknown,
  ) =>
  (call: Call): Call =>
    (async (node: string, name: Name, args: never, caller: never) =>
      name === broken
        ? await answer(() => call(node, name, args, caller))
        : await call(node, name, args, caller)) as Call;

/** Changes the value of one call. */
const changing = <Name extends NodeCallName>(
  name: Name,
  change: (value: NodeCallValue<Name>) => unknown,
) =>
  instead(name, async (real) => {
    const answer = await real();
    return answer.ok ? answered(change(answer.value)) : answer;
  });

/** The call reports success and has no effect. */
const idle = (name: NodeCallName) => instead(name, () => answered(null));

/** The second call fails. */
function once(name: NodeCallName) {
  let count = 0;
  return instead(name, (real) => (++count > 1 ? failed("has been done before") : real()));
}

const table: readonly Broken[] = [
  {
    about: "figures",
    why: "storage units in another order",
    wrap: changing("node_info", (answer) => ({
      ...answer,
      storage: answer.storage && [...answer.storage].reverse(),
    })),
  },
  {
    about: "figures",
    why: "parts of a verification that nobody asked for",
    wrap: changing("node_verify", (answer) => ({
      ...answer,
      userScripts: [],
      missingUserScripts: [],
    })),
  },
  {
    about: "figures",
    why: "a value of another form",
    wrap: changing("vg_list", (groups) => Object.entries(groups)),
  },
  { about: "instances", why: "a start that does nothing", wrap: idle("instance_start") },
  {
    about: "instances",
    why: "a source that keeps a migrated instance",
    wrap: idle("instance_finalize_migration_src"),
  },
  {
    about: "instances",
    why: "a shutdown that cannot be repeated",
    wrap: (call) => once("instance_shutdown")(call),
  },
  { about: "disks", why: "volumes that stay after their removal", wrap: idle("blockdev_remove") },
  {
    about: "disks",
    why: "a creation that cannot be repeated",
    wrap: (call) => once("blockdev_create")(call),
  },
  {
    about: "disks",
    why: "a call that rejects",
    wrap: instead("blockdev_find", () => Promise.reject(new Error("socket hang up"))),
  },
  {
    about: "disks",
    why: "a dry run that acts",
    wrap: (call) =>
      ((node: string, name: NodeCallName, args: object, caller: never) =>
        call(
          node,
          name,
          (name === "blockdev_grow" ? { ...args, dryRun: false } : args) as never,
          caller,
        )) as Call,
  },
  {
    about: "os",
    why: "an OS that is accepted with any parameter",
    wrap: instead("os_validate", () => answered(true)),
  },
  {
    about: "storage",
    why: "fields in an order of their own",
    wrap: changing("storage_list", (rows) => rows.map((row) => [...row].reverse())),
  },
  { about: "exports", why: "exports that are not listed", wrap: changing("export_list", () => []) },
  { about: "exports", why: "an abortion that does nothing", wrap: idle("impexp_abort") },
  { about: "setup", why: "an upload that is dropped", wrap: idle("upload_file") },
  { about: "setup", why: "an address that stays", wrap: idle("node_deactivate_master_ip") },
  {
    about: "queue",
    why: "files outside the directory of the queue",
    wrap: instead("jobqueue_update", () => answered(null)),
  },
  {
    about: "fence",
    why: "a fence that does nothing",
    fence: { fence: async () => answered(null) },
  },
];

test.each(table)("laws about $about find $why", async ({ about, wrap, fence }) => {
  const open = async (): Promise<NodeStage> => {
    const stage = await simulatedStage();
    const call: Call = (...args) => stage.nodes.call(...args);
    const introduce: NodeBackend["introduce"] = (node) => stage.nodes.introduce(node);
    const nodes = { introduce, call: wrap?.(call) ?? call };
    return { ...stage, nodes, ...(fence && { fence }) };
  };
  const faults: string[] = [];
  for (const law of laws.filter((one) => one.about === about)) {
    faults.push(...(await checkLaw(law, open, { repeating: true })));
  }
  expect(faults).not.toEqual([]);
});

test("every group of calls has a broken copy", () => {
  const groups = new Set(laws.map(({ about }) => about));
  expect([...groups].filter((about) => table.every((one) => one.about !== about))).toEqual([]);
});
