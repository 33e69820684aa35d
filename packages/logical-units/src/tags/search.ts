/** OP_TAGS_SEARCH: finds objects by a pattern for tags. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import type { Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import { compilePattern, FilterError, type Pattern } from "@ganeti-ts/query";
import type { Unit } from "../unit/unit.js";

export const searchTags: Unit<"OP_TAGS_SEARCH"> = {
  opcode: "OP_TAGS_SEARCH",

  locks: () => [],

  async run(op, world) {
    const pattern = patternOf(op.pattern);
    return Array.from(allTags(world.config.snapshot)).filter(([, tag]) => pattern.found(tag));
  },
};

function patternOf(text: string): Pattern {
  try {
    return compilePattern(text);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw new PrereqError("wrong_input", `Invalid search pattern '${text}': ${error.message}`);
  }
}

/** `[path, tag]`; the path is Ganeti's: `/instances/NAME`, `/nodegroup/NAME`. */
function* allTags(now: Snapshot): Iterable<readonly [string, string]> {
  for (const tag of now.cluster.tags) yield ["/cluster", tag];
  for (const one of now.instances()) {
    for (const tag of one.tags) yield [`/instances/${instanceLabel(one)}`, tag];
  }
  for (const { name, tags } of now.nodes()) for (const tag of tags) yield [`/nodes/${name}`, tag];
  for (const { name, tags } of now.groups()) {
    for (const tag of tags) yield [`/nodegroup/${name}`, tag];
  }
  for (const { name, tags } of now.networks()) {
    for (const tag of tags) yield [`/network/${name}`, tag];
  }
}
