/** node_info: the requested figures, collected from all areas. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type {
  HypervisorFigures,
  HypervisorOnNode,
  StorageKey,
  StorageSpace,
} from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";

/** Figures by area, each in the order of its argument. */
export interface NodeFigures {
  storage(keys: readonly StorageKey[]): Promise<readonly StorageSpace[]>;
  /** Absent while this daemon has no hypervisor. */
  hypervisors?(wanted: readonly HypervisorOnNode[]): Promise<readonly HypervisorFigures[]>;
}

export const nodeInfoCalls = ({ paths }: Pick<NodeContext, "paths">, figures: NodeFigures) =>
  handlers({
    async node_info({ storage, hypervisors }) {
      const bootId = readFileSync(join(paths.proc, "sys/kernel/random/boot_id"), "utf8");
      return {
        bootId: bootId.trim(),
        storage: storage && (await figures.storage(storage)),
        hypervisors: hypervisors && (await hypervisorFigures(figures, hypervisors)),
      };
    },
  });

async function hypervisorFigures(
  { hypervisors }: NodeFigures,
  wanted: readonly HypervisorOnNode[],
): Promise<readonly HypervisorFigures[]> {
  const [first] = wanted;
  if (first === undefined) return [];
  if (hypervisors === undefined) throw new NodeFailure(`Unknown hypervisor '${first.name}'`);
  return hypervisors(wanted);
}
