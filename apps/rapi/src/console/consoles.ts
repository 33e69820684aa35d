/** Port to the consoles of instances: their kinds and connections. */
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
  /** Parameters of the hypervisor, filled with inherited values. */
  readonly hvparams: Readonly<Record<string, unknown>>;
  /** Null if the instance has none. */
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
  /** Kinds of consoles that the instance has, the default one first. */
  kindsOf(instance: ConsoleInstance): readonly ConsoleKind[];
  /** @throws ConsoleError */
  open(instance: ConsoleInstance, kind: ConsoleKind): Promise<ConsoleConnection>;
}

/** Error of a console that cannot be opened; the message is for the user. */
export class ConsoleError extends Error {
  override readonly name = "ConsoleError";
  /** A password is missing, or it is wrong. */
  readonly wantsPassword: boolean;

  constructor(message: string, wantsPassword = false) {
    super(message);
    this.wantsPassword = wantsPassword;
  }
}
