import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "./log.js";
import { LogDestination } from "./log-destination.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "log-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A pipe whose reader reads only on request. */
function aPipe(name: string) {
  const path = join(folder, name);
  execFileSync("mkfifo", [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const buffer = Buffer.alloc(64 * 1024);
  return {
    fd,
    /** Content of the pipe; may be empty. */
    read(): string {
      try {
        return buffer.toString("latin1", 0, readSync(fd, buffer));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EAGAIN") return "";
        throw error;
      }
    },
    /** Fills the pipe completely. */
    fill(): void {
      const blank = Buffer.alloc(4096, "\n");
      try {
        for (;;) writeSync(fd, blank);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      }
    },
    close: () => closeSync(fd),
  };
}

describe.runIf(process.platform === "linux")("a log that cannot be written", () => {
  test("on a full disk keeps as many lines as it may, drops the others and counts them", async () => {
    const fd = openSync("/dev/full", "w");
    const destination = new LogDestination(fd, { bytesMax: 300, retryMs: 5 });
    const log = createLog("info", destination);
    for (let at = 0; at < 100; at += 1) log.info({ at }, "a line");
    // Several attempts in the background, none of which throws or makes room.
    await new Promise((resolve) => setTimeout(resolve, 30));
    const { dropped, waiting } = destination.figures();
    expect(waiting).toBeGreaterThan(0);
    expect(dropped).toBe(100 - waiting);
    destination.flushNow();
    expect(destination.figures()).toEqual({ dropped, waiting });
    // The descriptor stays open, because a write in the background would go to the next file with its number.
  });

  test("is complete again as soon as there is room, and says how many lines are missing where", async () => {
    const pipe = aPipe("full");
    pipe.fill();
    const destination = new LogDestination(pipe.fd, { bytesMax: 50_000, retryMs: 5 });
    const log = createLog("info", destination);
    const text = "x".repeat(1000);
    // The destination keeps 50 kB: the last lines have no room.
    for (let at = 0; at < 100; at += 1) log.info({ at, text }, "a line");
    const { dropped } = destination.figures();
    expect(dropped).toBeGreaterThan(50);
    let received = "";
    await expect
      .poll(() => {
        received += pipe.read();
        return received;
      })
      .toContain("lines of the log were dropped");
    log.info({ at: 100 }, "a line");
    await expect
      .poll(() => {
        received += pipe.read();
        return received;
      })
      .toContain('"at":100');
    const lines = received
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const numbers = lines.slice(0, -2).map(({ at }) => at);
    expect(numbers).toEqual(Array.from({ length: 100 - dropped }, (_, at) => at));
    expect(lines.at(-2)).toMatchObject({ level: "warn", lines: dropped });
    expect(lines.at(-1)).toMatchObject({ at: 100 });
    await expect.poll(() => destination.figures()).toEqual({ dropped, waiting: 0 });
    pipe.close();
  });
});

test("the last lines of a process are written at its end, each once", () => {
  const path = join(folder, "file");
  const fd = openSync(path, "a");
  const destination = new LogDestination(fd);
  for (const line of ["one\n", "two\n", "three\n"]) destination.write(line);
  destination.flushNow();
  // `one` is being written in the background, which ends before the process does.
  expect(readFileSync(path, "utf8").replace("one\n", "")).toBe("two\nthree\n");
});

test("the reason why a process ends follows a line that is being written to a socket", async () => {
  const server = createServer();
  server.listen(join(folder, "socket"));
  const accepted = once(server, "connection");
  const client = connect(join(folder, "socket"));
  const [reader] = (await accepted) as [Socket];
  let received = "";
  reader.setEncoding("utf8").on("data", (text: string) => {
    received += text;
  });
  // A Node.js process gives its children sockets as standard streams.
  const { fd } = (client as unknown as { readonly _handle: { readonly fd: number } })._handle;
  const destination = new LogDestination(fd);
  destination.write("one\n");
  const written = destination.writeLast("the reason\n");
  destination.write("logged meanwhile\n");
  await written;
  await expect.poll(() => received).toBe("one\nthe reason\nlogged meanwhile\n");
  client.destroy();
  server.close();
});
