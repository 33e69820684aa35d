/** secondCertificate: the next `client.pem` of the master, kept next to the present one until all nodes accept it. */

import { X509Certificate } from "node:crypto";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Snapshot } from "@ganeti-ts/config";
import { type GanetiSite, newNodePem } from "@ganeti-ts/machines";
import { answered, failed, type NodeAnswer, type SecondCertificate } from "@ganeti-ts/node-calls";
import { synced } from "./local-files.js";
import { clientFile, introducedClient } from "./node-client.js";
import { ownDigest } from "./original.js";
import { TakeoverError } from "./takeover-error.js";
import { anyCaller } from "./voting.js";

const nextFile = `${clientFile}.next`;

export function secondCertificate(site: GanetiSite, now: () => Snapshot): SecondCertificate {
  const [present, next] = [join(site.data, clientFile), join(site.data, nextFile)];
  return {
    make: () =>
      orMessage(async () => {
        const cluster = join(site.data, "server.pem");
        const pem = await newNodePem(await readFile(cluster, "utf8"), site.host, Date.now());
        await rm(next, { force: true });
        await writeAs(cluster, next, pem);
        return answered({ digest: new X509Certificate(pem).fingerprint });
      }),
    tryOn: (node) =>
      orMessage(async () => {
        const client = await introducedClient(site, now().nodes(), nextFile);
        const answer = await client.call(node, "version", {}, anyCaller);
        return answer.ok ? answered(null) : answer;
      }),
    use: (digest) =>
      orMessage(async () => {
        if ((await ownDigest(site)) === digest) return answered(null);
        const made = new X509Certificate(await readFile(next)).fingerprint;
        if (made !== digest) return failed(`${next} is another certificate than ${digest}`);
        await rename(next, present);
        // The rename survives a loss of power, before the former certificate is removed from the lists of nodes.
        await synced(site.data);
        return answered(null);
      }),
    remove: () =>
      orMessage(async () => {
        await rm(next, { force: true });
        return answered(null);
      }),
  };
}

/** Durably writes a file that did not exist, with the owner of another one. */
async function writeAs(owner: string, path: string, text: string): Promise<void> {
  const { uid, gid } = await stat(owner);
  const file = await open(path, "wx", 0o440);
  try {
    await file.chown(uid, gid);
    await file.chmod(0o440);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Converts errors of the operating system and unreadable certificates to failures. */
export async function orMessage<Value>(
  work: () => Promise<NodeAnswer<Value>>,
): Promise<NodeAnswer<Value>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TakeoverError || (error instanceof Error && "code" in error)) {
      return failed(error.message);
    }
    throw error;
  }
}
