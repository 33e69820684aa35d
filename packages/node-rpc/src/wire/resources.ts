/** Figures of a hypervisor, and logical volumes, in the form of `node_info`, `lv_list` and `node_verify`. */
import type { HypervisorFigures, LogicalVolume } from "@ganeti-ts/node-calls";
import { asObject, type Format, keyed, plain, positional, sizeText } from "./format.js";

export const hypervisorFigures = keyed<HypervisorFigures>({
  memoryTotalMib: ["memory_total", plain],
  memoryFreeMib: ["memory_free", plain],
  memoryNodeMib: ["memory_dom0", plain],
  cpuTotal: ["cpu_total", plain],
  cpuNode: ["cpu_dom0", plain],
  cpuNodes: ["cpu_nodes", plain],
  cpuSockets: ["cpu_sockets", plain],
  memoryHypervisorMib: ["memory_hv", plain],
  hypervisorVersion: ["hv_version", plain],
});

const volumeState = positional<
  Pick<LogicalVolume, "sizeMib"> & { inactive: boolean; open: boolean }
>(["sizeMib", sizeText], ["inactive", plain], ["open", plain]);

/** Logical volumes, with the keys `group/volume`. */
export const logicalVolumes: Format<readonly LogicalVolume[]> = {
  encode: (volumes, context) =>
    Object.fromEntries(
      volumes.map(({ name, volumeGroup, sizeMib, active, open }) => [
        `${volumeGroup}/${name}`,
        volumeState.encode({ sizeMib, inactive: !active, open }, context),
      ]),
    ),
  decode: (json, context) =>
    Object.entries(asObject(json)).map(([key, state]) => {
      const slash = key.indexOf("/");
      const { sizeMib, inactive, open } = volumeState.decode(state, context);
      const [volumeGroup, name] = [key.slice(0, slash), key.slice(slash + 1)];
      return { name, volumeGroup, sizeMib, active: !inactive, open };
    }),
};
