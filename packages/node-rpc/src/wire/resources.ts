/** Figures of a hypervisor, and logical volumes, in the form of `node_info`, `lv_list` and `node_verify`. */
import type { HypervisorFigures, LogicalVolume } from "@ganeti-ts/node-calls";
import { asObject, type Format, keyed, positional, sizeText } from "./format.js";

export const hypervisorFigures = keyed<HypervisorFigures>({
  memoryTotalMib: "memory_total",
  memoryFreeMib: "memory_free",
  memoryNodeMib: "memory_dom0",
  cpuTotal: "cpu_total",
  cpuNode: "cpu_dom0",
  cpuNodes: "cpu_nodes",
  cpuSockets: "cpu_sockets",
  memoryHypervisorMib: "memory_hv",
  hypervisorVersion: "hv_version",
});

const volumeState = positional<
  Pick<LogicalVolume, "sizeMib"> & { inactive: boolean; open: boolean }
>(["sizeMib", sizeText], "inactive", "open");

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
