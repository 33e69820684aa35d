// The disk of a master is lost: its backup, restored on an empty machine, has the keys by which node daemons know it.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createCluster } from "@ganeti-ts/cluster";
import { Configuration } from "@ganeti-ts/config";
import { createNodeRpcClient } from "@ganeti-ts/node-rpc";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import {
  anyCaller,
  certificatesOf,
  localGanetiFiles,
  readAdopted,
  stampsIn,
  writeAdopted,
} from "@ganeti-ts/takeover";
import { afterAll, beforeAll, expect, test } from "vitest";
import { backUp, restore } from "../../src/program/backup.js";
import { openDataDirectory } from "../../src/program/data-directory.js";
import { firstCopies } from "../../src/program/real/first-copies.js";
import { newSimulatedCluster, simulation } from "../../src/program/simulation.js";
import { closeUnused, openStores } from "../../src/program/stores.js";
import { type DrivenNodes, drivenNodes } from "./driven-nodes.js";

const host = "node1.example.com";
let folder: string;
let nodes: DrivenNodes;
let file: string;
/** Ganeti's folder of the lost master, and its contents by path. */
let lost: string;
let files: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restored-master-"));
  nodes = await drivenNodes("stand-in-nodes");
  file = join(folder, "backup");
  lost = join(folder, "lost");
  const site = { host, root: join(lost, "root"), data: join(lost, "root/var/lib/ganeti") };
  const directory = openDataDirectory(join(lost, "data"));
  files = {
    "server.pem": nodes.server,
    "client.pem": nodes.client,
    "hmac.key": "aabb\n",
    "rapi.pem": "key\n",
    "cluster-domain-secret": "secret\n",
    known_hosts: "keys\n",
    ganeti_pub_keys: "ssh-rsa\n",
    "spice.pem": "spice\n",
    "vnc/web.example.com": "password\n",
    "rapi/users": "jack secret write\n",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(site.data, name)), { recursive: true });
    writeFileSync(join(site.data, name), text);
    chmodSync(join(site.data, name), 0o440);
  }
  mkdirSync(join(site.root, homedir(), ".ssh"), { recursive: true });
  writeFileSync(join(site.root, homedir(), ".ssh", "id_rsa"), "private\n", { mode: 0o600 });
  mkdirSync(join(site.data, "export"));
  writeFileSync(join(site.data, "export", "large"), "disk");
  const stores = await openStores(
    { store: undefined, leaseMs: 1000, acceptsLoss: false },
    directory,
  );
  const ports = { clock: systemClock, random: secureRandom };
  const settings = { name: "real.example.com", nodeCount: 1, groupCount: 1, settings: {} };
  await createCluster(newSimulatedCluster(settings), {
    store: stores.config,
    ...ports,
    ...simulation(),
  });
  const { snapshot } = await Configuration.open(stores.config, ports);
  await firstCopies(snapshot, site, directory);
  await closeUnused(stores);
  writeFileSync(join(site.data, "queue", "job-1"), "{}");
  await backUp(directory, file);
});
afterAll(async () => {
  await nodes.close();
  rmSync(folder, { recursive: true });
});

/** An empty machine, and its folders. */
function aMachine(name: string) {
  const root = join(folder, name, "root");
  const place = { host, root, data: join(root, "var/lib/ganeti") };
  return { place, path: join(folder, name, "data") };
}

test("an empty machine gets all files of the cluster but queue and exports, with their modes, and calls a node", async () => {
  const { place, path } = aMachine("empty");
  const directory = openDataDirectory(path);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await restore(directory, file, { place });
  for (const [name, text] of Object.entries(files)) {
    const found = join(place.data, name);
    expect([name, readFileSync(found, "utf8")]).toEqual([name, text]);
    expect([name, statSync(found).mode & 0o777]).toEqual([name, 0o440]);
  }
  expect(readFileSync(join(place.root, homedir(), ".ssh", "id_rsa"), "utf8")).toBe("private\n");
  expect(readdirSync(join(place.data, "queue")).sort()).toEqual(["archive", "serial"]);
  expect(readdirSync(join(place.data, "export"))).toEqual([]);
  expect(readAdopted(directory.adopted)).toEqual({
    state: "made here",
    site: place,
    queueIsComplete: false,
  });
  const own = await localGanetiFiles(place, stampsIn(directory.ownStamps));
  expect(await own.foreignChange()).toBeUndefined();

  const [node] = nodes.nodes;
  const uuid = "11111111-1111-4111-8111-111111111111";
  const client = createNodeRpcClient({
    certificates: certificatesOf(place),
    ports: { [uuid]: node?.port as number },
  });
  await client.introduce({ ...(node as object), uuid } as never);
  const answer = await client.call(uuid as never, "version", {}, anyCaller);
  expect(answer).toMatchObject({ ok: true });
});

test("keys of another cluster are not replaced, and nothing is left behind", async () => {
  const { place, path } = aMachine("other");
  mkdirSync(place.data, { recursive: true });
  writeFileSync(join(place.data, "server.pem"), "another\n");
  writeFileSync(join(place.data, "config.data"), '{"cluster":{"uuid":"other"}}');
  const directory = openDataDirectory(path);
  const before = readdirSync(join(folder, "other"), { recursive: true }).sort();
  await expect(restore(directory, file, { place })).rejects.toThrow(
    /server\.pem is not the one of the backup, and \S+ belongs to the cluster other, the backup to \S+: move \S+ away first$/,
  );
  const after = readdirSync(join(folder, "other"), { recursive: true }).filter(
    (name) => !String(name).endsWith(".lock"),
  );
  expect(after.sort()).toEqual(before);
});

test("newer keys and foreign changes of the same cluster stay, and missing keys come back", async () => {
  const { place, path } = aMachine("same");
  await restore(openDataDirectory(path), file, { place });
  writeFileSync(join(place.data, "hmac.key"), "renewed\n");
  rmSync(join(place.data, "server.pem"));
  await restore(openDataDirectory(path), file, { place });
  expect(readFileSync(join(place.data, "hmac.key"), "utf8")).toBe("renewed\n");
  expect(existsSync(join(place.data, "server.pem"))).toBe(true);
  // A change by another program meanwhile is not taken for the server's own.
  const { adopted, ownStamps } = openDataDirectory(path);
  writeFileSync(join(place.data, "config.data"), readFileSync(join(place.data, "config.data")));
  await restore(openDataDirectory(path), file, { place });
  const own = await localGanetiFiles(place, stampsIn(ownStamps));
  expect(await own.foreignChange()).toContain("has been changed by another program");
  writeAdopted(adopted, { state: "handed back", site: place, queueIsComplete: true });
  await expect(restore(openDataDirectory(path), file, { place })).rejects.toThrow(
    "was handed back to Ganeti: restore into another --data-dir",
  );
});
