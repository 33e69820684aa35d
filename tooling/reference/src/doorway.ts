// A TCP address inside a bench that this process serves: the opposite of the relay.
import type { ChildProcess } from "node:child_process";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { doorwayProgram } from "./folder.js";

/** Starts a program on the master of the bench. */
type Spawn = (program: string, args: readonly string[]) => ChildProcess;

/** Serves the address until the returned function is called. Throws if it is taken. */
export async function openDoorway(
  { directory, spawn }: { readonly directory: string; readonly spawn: Spawn },
  address: string,
  port: number,
  connected: (socket: Socket) => void,
): Promise<() => Promise<void>> {
  const name = `doorway-${address}-${port}.sock`;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    connected(socket);
  });
  await new Promise<void>((resolve) => server.listen(join(directory, "shared", name), resolve));
  const program = spawn("/usr/bin/python3", [
    doorwayProgram,
    ...[address, String(port), `/srv/reference/${name}`],
  ]);
  const close = async () => {
    const ended = new Promise((resolve) => program.on("close", resolve));
    if (program.exitCode === null && program.signalCode === null && program.kill()) await ended;
    await new Promise((resolve) => server.close(resolve));
  };
  try {
    await ready(program);
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}

const ready = (program: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = "";
    const listen = (text: Buffer) => {
      said += text;
      if (said.includes("ready\n")) resolve();
    };
    program.stdout?.on("data", listen);
    program.stderr?.on("data", listen);
    program.on("exit", () => reject(new Error(`the doorway has ended: ${said.trim()}`)));
  });
