/** CPU loads from Ganeti's monitoring daemons, or from a file of their reports. */
import { type Cluster, DataError, nodeFigures, setCpuLoads } from "@ganeti-ts/htools";
import { decodeText, onFile } from "../file-error.js";
import type { Ports } from "../ports.js";
import type { Settings } from "../settings.js";
import { type Collector, collectorFor } from "./mond-collectors.js";
import { type Report, readNodeReports, readReport } from "./mond-reports.js";

/**
 * Sets the measured loads of the cluster. If the report of a node is missing or unusable, this is printed on
 * stderr and all loads stay unchanged; returns whether they changed. Throws a DataError for a file without
 * reports.
 */
export async function measureCpuLoads(
  cluster: Cluster,
  { mondXen, mondData }: Settings,
  ports: Ports,
): Promise<boolean> {
  const collector = collectorFor(mondXen);
  const names = cluster.data.nodes.map(({ name }) => name);
  const reports =
    mondData === undefined
      ? await askNodes(names, collector, ports)
      : readFile(mondData, names, collector, ports);
  const nodes = cluster.data.nodes.map((_, index) => nodeFigures(cluster, index));
  const loads = collector.loads(reports, nodes, cluster.data.instances);
  if (typeof loads !== "string") {
    setCpuLoads(cluster, loads.nodes, loads.instances);
    return true;
  }
  ports.stderr(`${loads}\n`);
  return false;
}

type NodeReports = readonly (Report | undefined)[];

/** Maximum number of concurrent requests. */
const askedAtOnce = 32;

/** Answers in node order; complaints are printed in the same order. */
async function askNodes(
  names: readonly string[],
  { name: collector }: Collector,
  { httpGet, stderr }: Ports,
): Promise<NodeReports> {
  const bodies: (string | undefined)[] = [];
  const queue = names.entries();
  const ask = async () => {
    for (const [index, name] of queue) {
      bodies[index] = await httpGet(`http://${name}:1815/1/report/default/${collector}`);
    }
  };
  await Promise.all(Array.from({ length: askedAtOnce }, ask));
  return names.map((name, index) => {
    const body = bodies[index];
    if (body !== undefined) return usableReport(body);
    stderr(`Failed to contact node's ${name} MonD for DC ${collector}\n`);
    return undefined;
  });
}

function usableReport(body: string): Report | undefined {
  try {
    return readReport(JSON.parse(body));
  } catch (error) {
    if (error instanceof DataError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The first report of the collector for each node. */
function readFile(
  path: string,
  names: readonly string[],
  { name: collector }: Collector,
  ports: Ports,
): NodeReports {
  const text = decodeText(
    path,
    onFile(path, () => ports.readFile(path)),
  );
  try {
    const reports = readNodeReports(text);
    return names.map((name) => reports.get(name)?.find((report) => report.name === collector));
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    throw new DataError(`can't parse MonD data: ${error.message}`);
  }
}
