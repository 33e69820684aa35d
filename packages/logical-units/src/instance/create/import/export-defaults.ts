/** Defaults for an imported instance, from the description of its export. */

import type { ExportDescription } from "@ganeti-ts/node-calls";
import type { Json, OpcodeDisk, OpcodeNic } from "@ganeti-ts/protocol";
import { instanceDisksMax, instanceNicsMax } from "@ganeti-ts/protocol";
import { wrongInput } from "../../../unit/refusals.js";
import { beparamTypes, withoutMemoryAlias } from "../../parameters/parameter-types.js";
import type { CreateOp, CreateRequest } from "../request.js";

/**
 * Values of the opcode take precedence; the operating system is always that of the export. Source:
 * Ganeti, `_ReadExportParams`. @throws PrereqError `wrong_input`
 */
export function withExportDefaults(
  request: CreateRequest,
  description: ExportDescription,
): CreateRequest {
  const { op, template } = request;
  const { instance = {}, hypervisor, backend, os, os_private } = description;
  const { hypervisor: ofExport } = instance;
  const disks = request.disks.length > 0 ? request.disks : disksOf(instance);
  const nics = request.nics.length > 0 ? request.nics : nicsOf(instance);
  if (disks.length === 0 && template !== "diskless") {
    wrongInput("No disk info specified and the export is missing the disk information");
  }
  const systemName = description.export?.os ?? "";
  const { os_type: _, ...rest } = op;
  const given = withoutMemoryAlias(op.beparams);
  const oldBackend = () =>
    Object.fromEntries(
      Object.keys(beparamTypes).flatMap((name) => {
        const value = instance[name];
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const completed: CreateOp = {
    ...rest,
    force_variant: true,
    ...(systemName === "" ? {} : { os_type: systemName }),
    ...(op.hypervisor === undefined && ofExport !== undefined && !isNothing(ofExport)
      ? { hypervisor: ofExport as NonNullable<CreateOp["hypervisor"]> }
      : {}),
    tags: op.tags.length > 0 ? op.tags : (instance.tags ?? "").split(/\s+/).filter(Boolean),
    hvparams: { ...hypervisor, ...op.hvparams },
    beparams: { ...withoutMemoryAlias(backend ?? oldBackend()), ...given },
    osparams: { ...os, ...op.osparams },
    osparams_private: { ...os_private, ...op.osparams_private } as { [name: string]: Json },
  };
  const isBack = request.name === instance.name;
  return { ...request, op: completed, disks, nics: isBack ? macsKept(nics, instance) : nics };
}

type Section = { readonly [key: string]: string };

const isNothing = (text: string | undefined): boolean =>
  text === undefined || text.toLowerCase() === "none";

const unlessNothing = (text: string | undefined): string | null =>
  text === undefined || isNothing(text) ? null : text;

function disksOf(instance: Section): OpcodeDisk[] {
  const disks: OpcodeDisk[] = [];
  for (let index = 0; index < instanceDisksMax; index++) {
    const size = instance[`disk${index}_size`];
    if (size === undefined) continue;
    const name = unlessNothing(instance[`disk${index}_name`]);
    disks.push({ size: Number(size), ...(name === null ? {} : { name }) });
  }
  return disks;
}

/** A NIC in a network takes its parameters from the network. */
function nicsOf(instance: Section): OpcodeNic[] {
  const nics: OpcodeNic[] = [];
  for (let index = 0; index < instanceNicsMax; index++) {
    const of = (key: string) => unlessNothing(instance[`nic${index}_${key}`]);
    if (instance[`nic${index}_mac`] === undefined) break;
    const network = of("network");
    nics.push({
      ip: of("ip"),
      mac: of("mac"),
      name: of("name"),
      ...(network === null
        ? { mode: of("mode"), link: of("link"), vlan: of("vlan") }
        : { network }),
    });
  }
  return nics;
}

/** An instance imported under its former name keeps its MAC addresses unless others are given. */
function macsKept(nics: readonly OpcodeNic[], instance: Section): readonly OpcodeNic[] {
  return nics.map((nic, index) => {
    const mac = instance[`nic${index}_mac`];
    return (nic.mac ?? "auto") === "auto" && mac !== undefined ? { ...nic, mac } : nic;
  });
}
