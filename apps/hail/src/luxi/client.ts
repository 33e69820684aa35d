/** Calls of a master over its local socket. */
import {
  type LuxiCall,
  type LuxiConnection,
  type LuxiResult,
  readLuxiReply,
  writeLuxiCall,
} from "@ganeti-ts/luxi/calls";
import type { Ports } from "../ports.js";

/** Throws a GanetiError for a refusal, a FileError if there is no answer. */
export const callLuxi = async (connection: LuxiConnection, call: LuxiCall): Promise<LuxiResult> =>
  readLuxiReply(await connection.exchange(writeLuxiCall(call)));

/** What `use` gives; the connection it is given is closed afterwards. */
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
