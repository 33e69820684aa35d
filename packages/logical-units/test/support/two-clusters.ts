// Two clusters on one simulated network, between which an instance moves.
import type { JsonObject } from "@ganeti-ts/protocol";
import { creation, exporting, succeeds } from "./exports.js";
import { type SimulatedOptions, simulatedCluster } from "./simulated.js";

const caller = { lease: "1:1", signal: new AbortController().signal };
const secret = "0123456789abcdef0123456789abcdef01234567";

/** Options of both clusters. */
interface Options extends Pick<SimulatedOptions, "between"> {
  /** Whether they have the same domain secret. */
  readonly shared?: boolean;
}

/** Two clusters on one simulated network; web1 is in the first. */
export async function twoClusters({ shared = true, ...options }: Options = {}) {
  const home = await simulatedCluster({ nodeCount: 3, ...options });
  const { simulated } = home;
  for (const name of ["far1.example.com", "far2.example.com"]) await simulated.addHost({ name });
  const away = await simulatedCluster({
    nodeNames: ["far1.example.com", "far2.example.com"],
    subnet: "198.51.100",
    seed: 7,
    simulated,
    ...options,
  });
  for (const [at, { nodes }] of [home, away].entries()) {
    const content = `${shared || at === 0 ? secret : secret.replaceAll("0", "9")}\n`;
    const file = { path: "/var/lib/ganeti/cluster-domain-secret", content, mode: 0o400 };
    const attributes = { owner: "root", group: "root", accessedAt: 0, modifiedAt: 0 };
    await simulated.call(nodes[0] ?? "", "upload_file", { ...file, ...attributes }, caller);
  }
  await succeeds(home, creation({ start: true }));
  const prepared = await home.run({
    OP_ID: "OP_BACKUP_PREPARE",
    instance_name: "web1",
    mode: "remote",
  });
  return { home, away, simulated, prepared: prepared.result as JsonObject, log: prepared.log };
}
export const awaiting = (prepared: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...creation({ mode: "remote-import", pnode: "far1", source_instance_name: "web1.example.com" }),
  source_handshake: prepared.handshake ?? null,
  source_x509_ca: prepared.x509_ca ?? null,
  ...more,
});

/** Runs the import, and starts the export when the import waits for the disks; both with further parameters. */
export async function moved(
  { home, away, prepared }: Awaited<ReturnType<typeof twoClusters>>,
  more = {},
  importing: JsonObject = {},
) {
  const id = await away.queue.submit([awaiting(prepared, importing)]);
  for (let tries = 0; tries < 2000; tries++) {
    const [row] = await away.queue.query([id], ["oplog"]);
    const [[log] = []] = row ?? [];
    const announced = log?.find(([, , type]) => type === "remote-import")?.[3] as
      | JsonObject
      | undefined;
    if (announced !== undefined) {
      const exported = await home.run(
        exporting({
          mode: "remote",
          target_node: announced.disks ?? [],
          x509_key_name: prepared.x509_key_name ?? [],
          ...({ destination_x509_ca: announced.x509_ca, ...more } as JsonObject),
        }),
      );
      await away.queue.idle();
      const [end] = await away.queue.query([id], ["status", "opresult", "oplog"]);
      const [status, [result] = [], [lines] = []] = end ?? [];
      const texts = (lines ?? []).map(([, , type, text]) => (type === "message" ? text : type));
      return { exported, imported: { status, result, log: texts }, announced };
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error("the disks were never awaited");
}
