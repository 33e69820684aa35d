/** currentCluster: the cluster of the page's server, as a source. */
import type { Source } from "./operations.js";

const resources = {
  groups: "/2/groups?bulk=1",
  nodes: "/2/nodes?bulk=1",
  instances: "/2/instances?bulk=1",
  info: "/2/info",
} as const;

/** Whether the page comes from a server, which may have a cluster. */
export const hasServer = (): boolean => location.protocol.startsWith("http");

/** Reads the same four resources as the htools. @throws Error with the status, or the missing resource */
export async function currentCluster(): Promise<Source> {
  const bodies = await Promise.all(
    Object.entries(resources).map(async ([name, path]) => {
      const answer = await fetch(path, { credentials: "same-origin" });
      if (answer.status === 401) throw new Error("log in to the page of this server first");
      if (!answer.ok) throw new Error(`${path}: status ${answer.status}`);
      return [name, new Uint8Array(await answer.arrayBuffer())] as const;
    }),
  );
  return { kind: "rapi", bodies: Object.fromEntries(bodies) };
}
