/** Import of an instance from an export on a node of the cluster. */
import { diskOnNode, realDisksOf, type Snapshot } from "@ganeti-ts/config";
import { ExecError, PrereqError } from "@ganeti-ts/job-queue";
import { type ExportDescription, exportDirectory } from "@ganeti-ts/node-calls";
import type { Json, NodeUuid, OpcodeDisk, OpcodeNic, RealInstance } from "@ganeti-ts/protocol";
import { instanceDisksMax, instanceNicsMax } from "@ganeti-ts/protocol";
import { ask, valueOrFail } from "../../../unit/effects.js";
import { namedNode } from "../../../unit/nodes.js";
import { wrongInput } from "../../../unit/refusals.js";
import { contextAt, type UnitContext, type World } from "../../../unit/unit.js";
import { beparamTypes, withoutMemoryAlias } from "../../parameters/parameter-types.js";
import { checkNodeOnline } from "../../running/node-checks.js";
import { nodeName } from "../../state.js";
import { type Transfer, transferAll } from "../../transfer/within-cluster.js";
import type { CreateOp, CreateRequest } from "../request.js";

/** The named source node; undefined if the export has to be searched for. @throws PrereqError */
export function namedSourceNode(now: Snapshot, op: CreateOp): NodeUuid | undefined {
  if (op.src_node === undefined) {
    if (!op.src_path?.startsWith("/")) return undefined;
    wrongInput("Importing an instance from a path requires a source node option");
  }
  return namedNode(now, { node_name: op.src_node, node_uuid: op.src_node_uuid }).uuid;
}

export interface ExportOnNode {
  readonly node: NodeUuid;
  readonly path: string;
  readonly description: ExportDescription;
}

/** @throws PrereqError, ExecError */
export async function foundExport(
  context: UnitContext,
  { op, name = "" }: CreateRequest,
): Promise<ExportOnNode> {
  const given = op.src_path ?? name;
  const node = namedSourceNode(context.now, op) ?? (await searchedNode(context, given));
  const path = given.startsWith("/") ? given : `${exportDirectory}/${given}`;
  checkNodeOnline(context.now, node);
  const description = valueOrFail(
    await ask(context, node, "export_info", { path }),
    `No export or invalid export found in dir ${path}`,
  );
  const { version } = description.export ?? {};
  if (Number(version) !== 0) {
    throw new PrereqError("environment_error", `Wrong export version ${version} (wanted 0)`);
  }
  return { node, path, description };
}

/** The first node with the export; nodes that do not answer are skipped. */
async function searchedNode(context: UnitContext, name: string): Promise<NodeUuid> {
  const nodes = [...context.now.nodes()];
  const lists = await Promise.all(nodes.map(({ uuid }) => ask(context, uuid, "export_list", {})));
  const found = nodes.find((_, at) => {
    const list = lists[at];
    return list?.ok && list.value.includes(name);
  });
  if (found !== undefined) return found.uuid;
  wrongInput(`No export found for relative path ${name}`);
}

/** Paths of the dumps, by disk; a disk without a dump stays empty. */
export const dumpsOf = (
  { path, description }: ExportOnNode,
  diskCount: number,
): readonly (string | undefined)[] =>
  Array.from({ length: diskCount }, (_, index) => {
    const dump = description.instance?.[`disk${index}_dump`];
    return dump === undefined ? undefined : `${path}/${dump}`;
  });

/** Restores the dumps onto the disks; returns the former name of the instance. @throws ExecError */
export async function fillFromExport(
  world: World,
  instance: RealInstance,
  source: ExportOnNode,
  compress: string,
): Promise<string> {
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  world.log("* running the instance OS import scripts...");
  const disks = realDisksOf(now, instance).map((disk) => diskOnNode(now, instance, disk));
  const transfers = dumpsOf(source, disks.length).flatMap((path, index): Transfer[] => {
    const disk = disks[index];
    if (path === undefined || disk === undefined) return [];
    const target =
      instance.os === ""
        ? ({ kind: "raw-disk", disk } as const)
        : ({ kind: "script", disk, index } as const);
    return [{ label: `disk/${index}`, source: { kind: "file", path }, target }];
  });
  const { primary_node: to } = instance;
  const route = { instance, from: source.node, to, compress };
  const arrived = await transferAll(context, route, transfers);
  checkArrived(context, instance, arrived);
  return source.description.instance?.name ?? instance.name;
}

/** @throws ExecError if a disk has not arrived: the instance stays, and does not start */
export function checkArrived(
  { now }: UnitContext,
  { name, primary_node }: RealInstance,
  arrived: readonly boolean[],
): void {
  if (!arrived.includes(false)) return;
  const where = `on node ${nodeName(now, primary_node)}`;
  throw new ExecError(`Some disks for instance ${name} ${where} were not imported successfully`);
}

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
