/** The WebSocket of a console: a one-time token opens it. */
import { ask } from "../api/server.js";

export type ConsoleKind = "vnc" | "serial";

export interface Granted {
  readonly kind: ConsoleKind;
  /** All consoles of the instance. */
  readonly kinds: readonly ConsoleKind[];
  readonly token: string;
  readonly path: string;
}

/** Close code of the server for a missing or wrong password. */
export const wantsPassword = 4001;

/** @throws ServerError if the instance has no such console, or the user may not open it */
export const grantFor = (
  instance: string,
  kind: ConsoleKind | undefined,
  password: string | undefined,
): Promise<Granted> =>
  ask("POST", `/ganeti-ts/1/instances/${encodeURIComponent(instance)}/console`, {
    ...(kind && { kind }),
    ...(password && { password }),
  });

/** Properties of a view of a console. The view opens the WebSocket itself, so that it misses no bytes. */
export interface ViewProps {
  readonly granted: Granted;
  readonly label: string;
  readonly onLeave: () => void;
  readonly onEnd: (event: CloseEvent) => void;
}

export function socketOf({ path, token }: Granted): WebSocket {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${location.host}${path}`, ["ganeti-console", token]);
  socket.binaryType = "arraybuffer";
  return socket;
}

/** The reason why a console has ended. */
export const endText = ({ code, reason }: Pick<CloseEvent, "code" | "reason">): string =>
  reason || (code === 1006 ? "The connection to the server was lost" : "The console has ended");
