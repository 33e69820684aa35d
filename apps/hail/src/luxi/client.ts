/** Calls of a master over its local socket. */
import {
  type LuxiCall,
  type LuxiConnection,
  type LuxiResult,
  readLuxiReply,
  writeLuxiCall,
} from "@ganeti-ts/luxi/calls";
import type { Ports } from "../ports.js";
import type { Settings } from "../settings.js";

/** Path of the socket that the command line means. */
export const luxiPath = async (
  { luxi, dataDir }: Pick<Settings, "luxi" | "dataDir">,
  ports: Ports,
): Promise<string> => luxi || (await ports.findLuxiSocket(dataDir));

/** Throws a GanetiError for a refusal, a FileError if no answer arrives. */
export const callLuxi = async (connection: LuxiConnection, call: LuxiCall): Promise<LuxiResult> =>
  readLuxiReply(await connection.exchange(writeLuxiCall(call)));

/** Returns the result of `use`, and closes its connection afterwards. */
export async function withLuxi<T>(
  path: string,
  ports: Ports,
  use: (connection: LuxiConnection) => Promise<T>,
): Promise<T> {
  const connection = await ports.connectLuxi(path);
  try {
    return await use(connection);
  } finally {
    connection.close();
  }
}
