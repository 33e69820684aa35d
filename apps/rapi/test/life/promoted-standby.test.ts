// The built program on a replicated database whose standby takes over without the last commits.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startReplicatedPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import { expect, onTestFinished, test } from "vitest";
import { ServerProcess } from "./server-process.js";

const tagged = async (server: ServerProcess, tag: string) => {
  const { status, body: id } = await server.ask("PUT", `/2/tags?tag=${tag}`);
  expect(status).toBe(200);
  await expect
    .poll(async () => (await server.ask("GET", `/2/jobs/${id}`)).body)
    .toMatchObject({ status: "success" });
};

const tags = async (server: ServerProcess) =>
  ((await server.ask("GET", "/2/info")).body as { tags: string[] }).tags;

wherePostgresIsInstalled(
  test,
  "a server ends if a promoted standby lacks commits that were acknowledged to it; its code is 12, and it starts again only with --accept-loss",
  async () => {
    const database = await startReplicatedPostgres();
    const folder = mkdtempSync(join(tmpdir(), "promoted-"));
    const server = new ServerProcess(folder, [
      "--init=demo.example.com",
      `--store=${database.url}`,
    ]);
    onTestFinished(async () => {
      await server.end();
      await database.stop();
      rmSync(folder, { recursive: true });
    });
    await server.start();
    await tagged(server, "kept");
    await database.cutStream();
    await tagged(server, "lost");

    const ended = server.ended();

    await database.failOver();
    expect(await ended).toBe(12);
    const reason =
      /ganeti-rapi: the database has gone back .* revision \d+.* revision \d+.*--accept-loss/;
    expect(server.log).toMatch(reason);
    expect(server.log.match(reason)?.[0]).not.toContain("\n");
    await expect(server.start()).rejects.toThrow(/the server ended \(12\)/);
    await server.start("--accept-loss");
    expect(await tags(server)).toEqual(["kept"]);
    await tagged(server, "later");
    expect((await server.ask("GET", "/2/jobs")).status).toBe(200);
    await server.end("SIGTERM");
    await server.start();
    expect(await tags(server)).toEqual(["kept", "later"]);
  },
);
