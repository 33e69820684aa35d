/** Port to the consoles of instances: where they are, and how bytes get there. */
import type { Duplex } from "node:stream";

/** Path of the WebSocket. */
export const consolePath = "/ganeti-ts/1/console";

export type ConsoleKind = "vnc" | "serial";

/** A running instance and the node that it runs on. */
export interface ConsoleInstance {
  readonly name: string;
  readonly node: string;
  readonly nodeAddress: string;
  readonly sshPort: number;
  readonly clusterName: string;
  readonly os: string;
  readonly memoryMib: number;
  readonly vcpus: number;
  /** Filled. */
  readonly hvparams: Readonly<Record<string, unknown>>;
  /** Null where the instance has none. */
  readonly networkPort: number | null;
  /** The node's own answer. */
  readonly console: Readonly<Record<string, unknown>>;
}

interface ConsoleConnection {
  readonly stream: Duplex;
  /** VNC only: the password of the server's copy of the file; undefined if there is none. */
  readonly password: string | undefined;
}

export interface Consoles {
  /** Kinds of consoles that the instance has, the usual one first. */
  kindsOf(instance: ConsoleInstance): readonly ConsoleKind[];
  /** @throws ConsoleError */
  open(instance: ConsoleInstance, kind: ConsoleKind): Promise<ConsoleConnection>;
}

/** A console that cannot be opened; the message is for people. */
export class ConsoleError extends Error {
  override readonly name = "ConsoleError";
  /** A password is missing, or it is wrong. */
  readonly wantsPassword: boolean;

  constructor(message: string, wantsPassword = false) {
    super(message);
    this.wantsPassword = wantsPassword;
  }
}
