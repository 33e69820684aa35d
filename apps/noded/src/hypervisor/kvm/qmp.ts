/** Client of QMP, QEMU's machine protocol. */
import { lstat } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { NodeFailure } from "../../failure.js";

export interface QmpEvent {
  readonly event: string;
  readonly data: JsonObject;
}

export interface Qmp {
  /** Major, minor, micro of the program. */
  readonly version: readonly [number, number, number];
  /** Rejects with QEMU's error, or if no answer arrives in time. */
  execute(command: string, args?: JsonObject): Promise<Json>;
  /** As `execute`, but `send` writes the message, and the end of the line, to the socket. */
  executeThrough(
    send: (socket: Socket, message: string) => Promise<void>,
    command: string,
    args?: JsonObject,
  ): Promise<Json>;
  /** Runs a command of the human monitor and returns its output. */
  humanMonitor(line: string): Promise<string>;
  /** Waits for an event; false after the timeout. Events received since the connection was made count. */
  awaited(isWanted: (event: QmpEvent) => boolean, timeoutMs: number): Promise<boolean>;
}

/** Default time limit (ms) for each message. */
const timeoutMsDefault = 5_000;

/** Maximum number of events that a connection remembers. */
const seenMax = 1_000;

const queues = new Map<string, Promise<unknown>>();

/**
 * Connects, runs `action` and closes the connection. QEMU serves one client per socket at a time, so clients within this
 * daemon queue here.
 */
export async function withQmp<T>(
  path: string,
  action: (qmp: Qmp) => Promise<T>,
  timeoutMs = timeoutMsDefault,
): Promise<T> {
  const before = queues.get(path);
  const run = async (): Promise<T> => {
    await before?.catch(() => {});
    const connection = await openQmp(path, timeoutMs);
    try {
      return await action(connection);
    } finally {
      connection.close();
    }
  };
  const mine = run();
  const settled = mine.catch(() => {});
  queues.set(path, settled);
  try {
    return await mine;
  } finally {
    if (queues.get(path) === settled) queues.delete(path);
  }
}

interface Connection extends Qmp {
  /** Calls the listener for each event, starting with those received since the connection was made. */
  onEvent(listener: (event: QmpEvent) => void): void;
  /** Resolves when QEMU or `close` has ended the connection. */
  readonly closed: Promise<void>;
  close(): void;
}

async function openSocket(path: string): Promise<Socket> {
  const found = await lstat(path).catch(() => {
    throw new NodeFailure("No monitor socket found");
  });
  if (!found.isSocket()) throw new NodeFailure("Monitor socket is not a socket");
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const refused = (error: Error): void =>
      reject(new NodeFailure(`Can't connect to qmp socket: ${error.message}`));
    socket.once("error", refused);
    socket.once("connect", () => {
      socket.off("error", refused);
      resolve(socket);
    });
  });
}

type Message = JsonObject;
type Waiter = {
  readonly resolve: (message: Message) => void;
  readonly reject: (error: Error) => void;
};

/** Splits the messages of a socket into events and answers. */
function messagesOf(socket: Socket) {
  const waiting: Waiter[] = [];
  const arrived: Message[] = [];
  const listeners = new Set<(event: QmpEvent) => void>();
  let end: Error | null = null;
  const receive = (line: string): void => {
    if (line.trim() === "") return;
    const message = JSON.parse(line) as Message;
    if (typeof message.event === "string") {
      const event = { event: message.event, data: (message.data ?? {}) as JsonObject };
      for (const listener of listeners) listener(event);
      return;
    }
    const waiter = waiting.shift();
    if (waiter === undefined) arrived.push(message);
    else waiter.resolve(message);
  };
  const over = (error: Error): void => {
    end ??= error;
    for (const { reject } of waiting.splice(0)) reject(end);
  };
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (part: string) => {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    try {
      for (const line of lines) receive(line);
    } catch (error) {
      over(new NodeFailure(`kvm: QMP communication error (${(error as Error).message})`));
      socket.destroy();
    }
  });
  socket.on("error", (error) =>
    over(new NodeFailure(`kvm: QMP communication error (${error.message})`)),
  );
  const closed = new Promise<void>((resolve) => {
    socket.on("close", () => {
      over(new NodeFailure("kvm: the QMP connection has been closed"));
      resolve();
    });
  });
  const next = (timeoutMs: number): Promise<Message> =>
    new Promise((resolve, reject) => {
      const message = arrived.shift();
      if (message !== undefined) return resolve(message);
      if (end !== null) return reject(end);
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1);
        reject(
          new NodeFailure(`Timeout while receiving a QMP message: nothing came in ${timeoutMs} ms`),
        );
      }, timeoutMs);
      const waiter: Waiter = {
        resolve: (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      waiting.push(waiter);
    });
  return { next, closed, listeners };
}

/** Opens a connection and negotiates capabilities, so that it is ready for commands. */
export async function openQmp(path: string, timeoutMs = timeoutMsDefault): Promise<Connection> {
  const socket = await openSocket(path);
  const { next, closed, listeners } = messagesOf(socket);
  const seen: QmpEvent[] = [];
  listeners.add((event) => {
    seen.push(event);
    if (seen.length > seenMax) seen.shift();
  });
  const executeThrough: Qmp["executeThrough"] = async (send, command, args) => {
    const message = { execute: command, ...(args && { arguments: args }) };
    await send(socket, JSON.stringify(message));
    // Node.js pauses a socket that a program inherits.
    socket.resume();
    const { return: value, error } = await next(timeoutMs);
    if (error === undefined) return value ?? null;
    throw commandError(command, error as JsonObject);
  };
  const execute: Qmp["execute"] = (command, args) =>
    executeThrough(async (to, message) => void to.write(`${message}\r\n`), command, args);
  try {
    const version = versionOf(await next(timeoutMs));
    await execute("qmp_capabilities");
    return {
      version,
      execute,
      executeThrough,
      humanMonitor: async (line) =>
        String(await execute("human-monitor-command", { "command-line": line })),
      awaited: (isWanted, limitMs) => awaited(seen, listeners, isWanted, limitMs),
      onEvent(listener) {
        seen.forEach(listener);
        listeners.add(listener);
      },
      closed,
      close: () => socket.destroy(),
    };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function awaited(
  seen: readonly QmpEvent[],
  listeners: Set<(event: QmpEvent) => void>,
  isWanted: (event: QmpEvent) => boolean,
  limitMs: number,
): Promise<boolean> {
  if (seen.some(isWanted)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const done = (found: boolean): void => {
      clearTimeout(timer);
      listeners.delete(listener);
      resolve(found);
    };
    const listener = (event: QmpEvent): void => {
      if (isWanted(event)) done(true);
    };
    const timer = setTimeout(() => done(false), limitMs);
    listeners.add(listener);
  });
}

function versionOf(greeting: Message): [number, number, number] {
  const { QMP } = greeting as { QMP?: { version?: { qemu?: Record<string, number> } } };
  const qemu = QMP?.version?.qemu;
  if (qemu === undefined) {
    throw new NodeFailure("kvm: QMP communication error (wrong server greeting)");
  }
  return [qemu.major ?? 0, qemu.minor ?? 0, qemu.micro ?? 0];
}

const commandError = (command: string, { class: kind, desc }: JsonObject): NodeFailure =>
  new NodeFailure(
    kind === "CommandNotFound"
      ? `Instance does not support the '${command}' QMP command.`
      : `kvm: error executing the ${command} command: ${desc} (${kind}):`,
  );
