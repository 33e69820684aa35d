/** The table of nodes that `-p` prints, with its selectable fields. */
import {
  type Cluster,
  formatFixed,
  formatShow,
  type NodeFigures,
  nodeFigures,
} from "@ganeti-ts/htools";
import { commaList } from "../option-values.js";
import { tableText } from "./table.js";

interface Field {
  readonly header: string;
  /** Text columns are aligned to the left. */
  readonly isText?: true;
  readonly cell: (node: NodeFigures, indices: NodeIndices) => string | number;
}

/** Numbering of nodes: the number of the first node, and that of the current row. */
interface NodeIndices {
  readonly first: number;
  readonly own: number;
}

/** Memory in MiB, disk in GiB; `r_cpu` is virtual per physical CPU. */
const fields: ReadonlyMap<string, Field> = new Map(
  Object.entries<Field>({
    idx: { header: "Index", cell: (_, { own }) => own },
    name: { header: "Name", isText: true, cell: ({ alias }) => alias },
    fqdn: { header: "Name", isText: true, cell: ({ name }) => name },
    status: { header: "F", isText: true, cell: statusMark },
    tmem: { header: "t_mem", cell: ({ memoryTotalMib }) => formatFixed(memoryTotalMib, 0) },
    nmem: { header: "n_mem", cell: ({ memoryNodeMib }) => memoryNodeMib },
    imem: { header: "i_mem", cell: ({ memoryInstancesMib }) => memoryInstancesMib },
    xmem: { header: "x_mem", cell: ({ memoryMissingMib }) => memoryMissingMib },
    fmem: { header: "f_mem", cell: ({ memoryFreeMib }) => memoryFreeMib },
    umem: { header: "u_mem", cell: ({ memoryUnallocatedMib }) => memoryUnallocatedMib },
    amem: {
      header: "a_mem",
      cell: (node) => Math.max(0, node.memoryUnallocatedMib - node.memoryReservedMib),
    },
    rmem: { header: "r_mem", cell: ({ memoryReservedMib }) => memoryReservedMib },
    tdsk: { header: "t_dsk", cell: ({ diskTotalMib }) => formatFixed(diskTotalMib / 1024, 0) },
    fdsk: { header: "f_dsk", cell: ({ diskFreeMib }) => Math.floor(diskFreeMib / 1024) },
    tcpu: { header: "pcpu", cell: ({ cpuTotal }) => formatFixed(cpuTotal, 0) },
    ucpu: { header: "vcpu", cell: ({ vcpusUsed }) => vcpusUsed },
    pcnt: { header: "pcnt", cell: ({ primaries }) => primaries.length },
    scnt: { header: "scnt", cell: ({ secondaries }) => secondaries.length },
    pfmem: { header: "p_fmem", cell: ({ memoryFreeRatio }) => formatFixed(memoryFreeRatio, 4) },
    pfdsk: { header: "p_fdsk", cell: ({ diskFreeRatio }) => formatFixed(diskFreeRatio, 4) },
    rcpu: { header: "r_cpu", cell: ({ vcpuRatio }) => formatFixed(vcpuRatio, 2) },
    cload: { header: "lCpu", cell: ({ loads }) => formatFixed(loads.cpu, 3) },
    mload: { header: "lMem", cell: ({ loads }) => formatFixed(loads.memory, 3) },
    dload: { header: "lDsk", cell: ({ loads }) => formatFixed(loads.disk, 3) },
    nload: { header: "lNet", cell: ({ loads }) => formatFixed(loads.network, 3) },
    plist: { header: "primaries", cell: ({ primaries }) => listed(primaries) },
    slist: { header: "secondaries", cell: ({ secondaries }) => listed(secondaries) },
    ptags: { header: "PrimaryTags", isText: true, cell: tagCounts },
    peermap: { header: "PeerMap", isText: true, cell: peerMemory },
    spindle_count: { header: "NodeSpindles", cell: ({ spindleTotal }) => spindleTotal },
    hi_spindles: { header: "MaxSpindles", cell: ({ spindlesMax }) => formatShow(spindlesMax) },
    inst_spindles: { header: "InstSpindles", cell: ({ spindlesUsed }) => formatShow(spindlesUsed) },
  }),
);

const unknownField: Field = {
  header: "<unknown field>",
  isText: true,
  cell: () => "<unknown field>",
};

const defaultFields =
  "status,name,tmem,nmem,imem,xmem,fmem,umem,rmem,tdsk,fdsk,tcpu,ucpu,pcnt,scnt,pfmem,pfdsk,rcpu,cload,mload,dload,nload";

/** Fields selected by an option. Empty: the defaults; `+a,b`: the defaults and these; `a,b`: only these. */
export function tableFields(text: string): readonly string[] {
  if (text === "") return commaList(defaultFields);
  return text.startsWith("+")
    ? [...commaList(defaultFields), ...commaList(text.slice(1))]
    : commaList(text);
}

/** One row per node; `firstIndex` is the number shown for the cluster's first node. */
export function nodeTable(cluster: Cluster, fieldNames: readonly string[], firstIndex = 0): string {
  const nodes = cluster.shownNodes.map((index) => ({
    figures: nodeFigures(cluster, index),
    indices: { first: firstIndex, own: firstIndex + index },
  }));
  const columns = fieldNames.map((name) => {
    const { header, isText, cell } = fields.get(name) ?? unknownField;
    const cells = nodes.map(({ figures, indices }) => String(cell(figures, indices)));
    return { header, numeric: !isText, cells };
  });
  return tableText(columns, nodes.length);
}

function statusMark({ offline, failsN1 }: NodeFigures): string {
  if (offline) return "-";
  return failsN1 ? "*" : " ";
}

const listed = (indices: readonly number[]) => `[${indices.join(",")}]`;

function tagCounts({ primaryTags }: NodeFigures): string {
  const sorted = primaryTags.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return sorted.map(([tag, count]) => `${tag}=${count}`).join(",");
}

/** Node index and the memory reserved for its instances, in MiB. */
function peerMemory({ peers }: NodeFigures, { first }: NodeIndices): string {
  const pairs = peers.map(([node, mib]) => `(${node + first},${mib})`);
  return `[${pairs.join(",")}]`;
}
