/**
 * OP_INSTANCE_MULTI_ALLOC: places several new instances together; each is created by a job of its
 * own.
 */

import type { MultiAllocation } from "@ganeti-ts/allocators";
import type { Snapshot } from "@ganeti-ts/config";
import { isMirrored, type JsonObject, type OpcodeOf } from "@ganeti-ts/protocol";
import { asShared, nodeLock } from "../../unit/locks.js";
import { wrongInput } from "../../unit/refusals.js";
import type { Unit, UnitContext } from "../../unit/unit.js";
import { areChecksAll, contextAt, resultWithJobs } from "../../unit/unit.js";
import { checkNameFree } from "../plan/names.js";
import { askedPlannedNic } from "../plan/nics.js";
import { givenPlacement } from "./placement.js";
import { wantedInstance } from "./plan.js";
import { createRequest } from "./request.js";

type Op = OpcodeOf<"OP_INSTANCE_MULTI_ALLOC">;
type Entry = Op["instances"][number];

export const multiAlloc: Unit<"OP_INSTANCE_MULTI_ALLOC"> = {
  opcode: "OP_INSTANCE_MULTI_ALLOC",

  locks(op, now) {
    if (!checkEntries(now, op)) return [];
    const nodes = op.instances.flatMap((entry) => {
      const place = givenPlacement(now, entry, entry.disk_template ?? "");
      return [place?.primary ?? [], place?.secondary ?? []].flat();
    });
    return asShared(...nodes.map(nodeLock));
  },

  /** Result: names of the placed and of the failed instances, and the jobs of the placed ones. */
  async run(op, world) {
    const now = world.config.snapshot;
    const names = op.instances.map(({ instance_name: name = "" }) => name);
    if (checkEntries(now, op)) {
      const result = { allocatable: names, failed: [] };
      if (await areChecksAll(world, op)) return { ...result, jobs: [] };
      return resultWithJobs(
        world,
        op.instances.map((entry) => [asOpcode(entry)]),
        result,
      );
    }
    const { placed, failed } = await placedTogether(contextAt(world, now), op);
    const result = {
      allocatable: placed.map(({ name }) => name),
      failed: failed.map(({ name }) => name),
    };
    if (await areChecksAll(world, op)) return { ...result, jobs: [] };
    const entryOf = new Map(op.instances.map((entry, at) => [names[at] ?? "", entry]));
    const jobs = placed.flatMap(({ name, nodes }) => {
      const entry = entryOf.get(name);
      const [pnode, snode] = nodes;
      if (entry === undefined || pnode === undefined) return [];
      return [[{ ...asOpcode(entry), pnode, ...(snode === undefined ? {} : { snode }) }]];
    });
    return resultWithJobs(world, jobs, result);
  },
};

/** Whether the entries give their nodes; either all or none must. @throws PrereqError */
function checkEntries(now: Snapshot, op: Op): boolean {
  const said = op.instances.flatMap((entry) => {
    if (entry.iallocator !== undefined) {
      wrongInput("iallocator are not allowed to be set on instance objects");
    }
    return [
      entry.pnode !== undefined,
      ...(isMirrored(entry.disk_template) ? [entry.snode !== undefined] : []),
    ];
  });
  const hasNodes = said.includes(true);
  // An empty list counts as one without nodes.
  if (hasNodes !== said.every(Boolean)) {
    wrongInput("There are instance objects providing pnode/snode while others do not");
  }
  const { default_iallocator: single, default_iallocators: lists } = now.cluster;
  const hasDefault = single !== "" || (lists?.["multi-allocate"] ?? []).length > 0;
  if (!hasNodes && op.iallocator === undefined && !hasDefault) {
    wrongInput(
      "No iallocator or nodes on the instances given and no cluster-wide default iallocator" +
        " found; please specify either an iallocator or nodes on the instances or set a" +
        " cluster-wide default iallocator",
    );
  }
  const names = op.instances.flatMap(({ instance_name: name }) => name ?? []);
  const twice = new Set(names.filter((name, at) => names.indexOf(name) < at));
  if (twice.size > 0) wrongInput(`There are duplicate instance names: ${[...twice].join(", ")}`);
  return hasNodes;
}

async function placedTogether(context: UnitContext, op: Op) {
  const { now } = context;
  const wanted = op.instances.map((entry) => {
    const request = createRequest(now, { ...entry, pnode: undefined, snode: undefined });
    checkNameFree(now, request.name);
    const { plan, beparams } = wantedInstance(now, request, request.name, undefined);
    return {
      name: request.name ?? "",
      diskTemplate: plan.template,
      os: entry.os_type ?? "",
      memoryMib: beparams.maxmem,
      vcpus: beparams.vcpus,
      spindleUse: beparams.spindle_use,
      disks: plan.disks.map(({ size, mode, spindles }) => ({ sizeMib: size, mode, spindles })),
      nics: plan.nics.map((nic) => askedPlannedNic(now, nic)),
      hypervisor: plan.entry.hypervisor ?? now.cluster.enabled_hypervisors[0] ?? "",
      tags: entry.tags,
    };
  });
  const asking = { now, caller: context, iallocator: op.iallocator };
  const placed: MultiAllocation["placed"][number][] = [];
  const failed: MultiAllocation["failed"][number][] = [];
  for (const group of groupsOf(now, op)) {
    const those = wanted.filter((_, at) => op.instances[at]?.group_name === group);
    const answer = await context.allocators.multiAllocate(asking, those, { group });
    placed.push(...answer.placed);
    failed.push(...answer.failed);
  }
  return { placed, failed };
}

/** An allocator request is about one group; instances without a group come last. */
function groupsOf(now: Snapshot, { instances }: Op): readonly (string | undefined)[] {
  const named = new Set(instances.flatMap(({ group_name: name }) => name ?? []));
  for (const name of named) now.expectGroup(name);
  const others = instances.some(({ group_name: name }) => name === undefined);
  return [...named, ...(others ? [undefined] : [])];
}

/** The entry as an opcode, without absent values. */
const asOpcode = (entry: Entry): JsonObject =>
  Object.fromEntries(
    Object.entries(entry).filter(
      ([name, value]) => value !== undefined && !["depends", "comment", "reason"].includes(name),
    ),
  ) as JsonObject;
