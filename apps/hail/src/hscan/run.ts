/**
 * hscan: saves clusters as text files, and prints a summary line for each. Source: Ganeti,
 * HTools/Program/Hscan.hs.
 */
import { type Cluster, DataError, loadCluster, writeClusterText } from "@ganeti-ts/htools";
import type { ClusterData } from "@ganeti-ts/protocol";
import { onFile } from "../file-error.js";
import { readLuxi } from "../loading/luxi-source.js";
import { readRapi } from "../loading/rapi-source.js";
import { luxiPath } from "../luxi/client.js";
import type { Ports } from "../ports.js";
import { jsonText } from "../printing/json.js";
import { nodeTable } from "../printing/node-table.js";
import { print } from "../program.js";
import { headerLine, type Scanned, scanLine, scanOf } from "./scan-line.js";
import type { HscanSettings } from "./settings.js";

/** Name under which the cluster of the local socket is listed. */
const local = "LOCAL";

/** Returns 2 if a cluster could not be read. Throws a FileError for the local socket and for files. */
export async function runHscan(
  settings: HscanSettings,
  operands: readonly string[],
  ports: Ports,
): Promise<number> {
  const names = operands.length > 0 ? operands : [local];
  const width = Math.max(...names.map((name) => [...name].length));
  const tell = (text: string) => {
    if (!settings.json) print(text, ports);
  };
  if (settings.headers) tell(headerLine(width));
  const scanned: Scanned[] = [];
  for (const name of names) {
    const read = async () =>
      operands.length > 0
        ? readRapi(name, ports)
        : readLuxi(await luxiPath(settings, ports), ports);
    const data = await dataOr(read);
    if (data instanceof DataError) {
      tell(`\nError for ${name}: failed to load data. Details:\n${data.message}\n`);
      scanned.push({ ok: false, name, error: data.message });
      continue;
    }
    const { staticKvmNodeMemoryMib, printNodes } = settings;
    const cluster = loadCluster(data, { staticKvmNodeMemoryMib });
    const file = fileOf(settings.outputFolder, name);
    const scan = scanOf(name, file, cluster);
    tell(scanLine(scan, width));
    if (printNodes !== undefined) tell(nodeTable(cluster, printNodes));
    onFile(file, () => ports.writeFile(file, writeClusterText(asReceived(data))));
    scanned.push(scan);
  }
  if (settings.json) print(jsonText({ clusters: scanned }), ports);
  return scanned.every(({ ok }) => ok) ? 0 : 2;
}

async function dataOr(read: () => Promise<ClusterData>): Promise<ClusterData | DataError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DataError) return error;
    throw error;
  }
}

/** The cluster as received: loading must not replace the reported memory. */
const asReceived = (data: ClusterData): Cluster => loadCluster(data, { staticKvmNodeMemoryMib: 0 });

function fileOf(folder: string, name: string): string {
  const separator = folder === "" || folder.endsWith("/") ? "" : "/";
  return `${folder}${separator}${name.replaceAll("/", "_")}.data`;
}
