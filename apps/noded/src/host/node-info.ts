/** node_info: the requested figures, collected from all areas. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HypervisorOnNode } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { handlers } from "../handlers.js";
import type { Hypervisors } from "../hypervisor/hypervisors.js";
import { storageSpace } from "../storage/units/storage-space.js";

export const nodeInfoCalls = (context: NodeContext, byName: Hypervisors) =>
  handlers({
    async node_info({ storage, hypervisors }) {
      const bootId = readFileSync(join(context.paths.proc, "sys/kernel/random/boot_id"), "utf8");
      const figures = ({ name, hvparams }: HypervisorOnNode) => byName(name).figures(hvparams);
      return {
        bootId: bootId.trim(),
        storage: storage && (await storageSpace(context, storage)),
        hypervisors: hypervisors && (await Promise.all(hypervisors.map(figures))),
      };
    },
  });
