/** The file of a local socket: checked before it is created, removed when no process listens on it. */
import { lstat, unlink } from "node:fs/promises";
import { createConnection } from "node:net";

/** Longest path of a socket in bytes: `sun_path` of Linux without its final zero. */
const pathBytesMax = 107;

/**
 * Makes room for a socket at `path`: a socket file that a dead server left behind is removed.
 * @throws Error with a `code`: `ENAMETOOLONG`, `EADDRINUSE` if a server listens there, `EEXIST` if
 * the path is something else than a socket
 */
export async function clearSocketPath(path: string): Promise<void> {
  const length = Buffer.byteLength(path);
  if (length > pathBytesMax) {
    throw pathError(
      "ENAMETOOLONG",
      `the path of the socket has ${length} bytes, at most ${pathBytesMax} are possible: ${path}`,
    );
  }
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isSocket()) throw pathError("EEXIST", `${path} exists and is not a socket`);
  if (await isListening(path)) throw pathError("EADDRINUSE", `a server listens on ${path}`);
  await unlink(path);
}

const isListening = (path: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const probe = createConnection({ path });
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" || error.code === "ENOENT") resolve(false);
      // A full backlog belongs to a server that is alive.
      else if (error.code === "EAGAIN") resolve(true);
      else reject(error);
    });
  });

function pathError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
