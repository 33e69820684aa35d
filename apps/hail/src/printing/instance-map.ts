/** The table of instances that `--print-instances` prints. */
import { type Cluster, formatFixed, type Load } from "@ganeti-ts/htools";
import { type Column, tableText } from "./table.js";

/** One row per instance the cluster shows, with the full names; memory in MiB, disk in GiB. */
export function instanceMap(cluster: Cluster): string {
  const { data, instances, primaryOf, secondaryOf, shownInstances } = cluster;
  const nodeName = (index: number | undefined) => data.nodes[index ?? -1]?.name ?? "";
  const shown = shownInstances.map((index) => ({
    ...(instances[index] as (typeof instances)[number]),
    primary: primaryOf[index],
    secondary: secondaryOf[index],
  }));
  type Shown = (typeof shown)[number];
  const text = (header: string, cell: (one: Shown) => string): Column => ({
    header,
    numeric: false,
    cells: shown.map(cell),
  });
  const number = (header: string, cell: (one: Shown) => string): Column => ({
    header,
    numeric: true,
    cells: shown.map(cell),
  });
  const load = (header: string, key: keyof Load) =>
    number(header, (one) => formatFixed(one.load[key], 3));
  return tableText(
    [
      text("F", (one) => (isRunning(one.data.status) ? "R" : " ")),
      text("Name", (one) => one.data.name),
      text("Pri_node", ({ primary }) => nodeName(primary)),
      text("Sec_node", ({ secondary }) => nodeName(secondary)),
      text("Auto_bal", (one) => (one.data.autoBalance ? "Y" : "N")),
      number("vcpu", ({ vcpus }) => String(vcpus)),
      number("mem", ({ memoryMib }) => String(memoryMib).padStart(5)),
      number("dsk", ({ diskMib }) => String(Math.floor(diskMib / 1024)).padStart(5)),
      load("lCpu", "cpu"),
      load("lMem", "memory"),
      load("lDsk", "disk"),
      load("lNet", "network"),
    ],
    shown.length,
  );
}

const isRunning = (status: string): boolean => status === "running" || status === "ERROR_up";
