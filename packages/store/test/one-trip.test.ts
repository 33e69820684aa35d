import { createLockManager } from "@ganeti-ts/locking";
import type { JobId } from "@ganeti-ts/protocol";
import { openPostgresStore } from "@ganeti-ts/store/postgres";
import { type Server, startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { field, obedient, op, openQueue } from "./conformance/world.js";

wherePostgresIsInstalled(describe, "steps in PostgreSQL", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  afterEach(() => void vi.restoreAllMocks());

  /** A queue alone on a schema of its own, and a connection of an onlooker. */
  async function opened(schema: string) {
    const { connection } = server;
    const onlooker = new pg.Client({ ...connection, options: `-c search_path=${schema}` });
    await onlooker.connect();
    const store = await openPostgresStore({ connection, schema });
    const locks = createLockManager({ store: store.locks });
    const queue = await openQueue(
      { store, locks, kill: () => store.leave() },
      // A look for news between the steps of a test would make one more round trip.
      { executor: obedient, pollMs: 600_000 },
    );
    onlooker.on("error", () => {});
    const close = async () => {
      await queue.stop();
      await onlooker.end();
    };
    return { queue, onlooker, close };
  }

  /** The halves and wholes of steps that are sent from now on, in their order. */
  function sentSteps(): string[] {
    const sent: string[] = [];
    const query = pg.Client.prototype.query;
    vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
      this: pg.Client,
      ...args: unknown[]
    ) {
      const [given] = args as [string | { name?: string; text: string }];
      const text = typeof given === "string" ? given : given.text;
      const word = /begin_step|keep_step|whole_step/.exec(text)?.[0];
      if (word !== undefined) sent.push(word);
      return Reflect.apply(query, this, args);
    } as never);
    return sent;
  }

  test("a worker alone submits, runs and ends a job in steps of one round trip", async () => {
    const { queue, close } = await opened("alone");
    vi.spyOn(performance, "now").mockReturnValue(performance.now()); // half a second never passes
    await queue.submit([op("A")]);
    await queue.wait(1 as JobId);
    const sent = sentSteps();
    await queue.submit([op("B")]);
    await queue.wait(2 as JobId);
    expect(new Set(sent)).toEqual(new Set(["whole_step"]));
    vi.restoreAllMocks();
    await close();
  });

  test("a step on an outdated revision writes nothing, asks for news and is decided again", async () => {
    const { queue, onlooker, close } = await opened("outdated");
    vi.spyOn(performance, "now").mockReturnValue(performance.now());
    await queue.submit([op("A")]);
    await queue.wait(1 as JobId);
    const sent = sentSteps();
    // A step of another worker whose notification has not arrived; it has used the next id.
    await onlooker.query(
      "BEGIN; INSERT INTO news SELECT revision + 1, '[]' FROM queue;" +
        "UPDATE queue SET revision = revision + 1, serial = serial + 1; COMMIT",
    );
    expect(await queue.submit([op("B")])).toBe(3);
    expect(sent.slice(0, 3)).toEqual(["whole_step", "begin_step", "keep_step"]);
    vi.restoreAllMocks();
    await queue.wait(3 as JobId);
    await close();
  });

  /** A worker that submits jobs and runs none, and one that runs them; `sent` has the queries of both. */
  async function twoWorkers(schema: string, afterNewJobs: () => Promise<void>) {
    const { connection } = server;
    const submitter = await openPostgresStore({ connection, schema });
    const submitting = await openQueue({
      store: submitter,
      locks: createLockManager({ store: submitter.locks }),
      kill: () => submitter.leave(),
    });
    const { queue, onlooker, close } = await opened(schema);
    const sent: { readonly client: pg.Client; readonly name: string }[] = [];
    const query = pg.Client.prototype.query;
    vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
      this: pg.Client,
      ...args: unknown[]
    ) {
      const [given] = args as [string | { name?: string; text: string }];
      const name = typeof given === "string" ? undefined : given.name;
      const text = typeof given === "string" ? given : given.text;
      sent.push({ client: this, name: name ?? /begin_step/.exec(text)?.[0] ?? "other" });
      const answer = Reflect.apply(query, this, args);
      if (name !== "new jobs") return answer;
      return answer.then(async (result: pg.QueryResult) => {
        if (result.rows.length > 0) await afterNewJobs();
        return result;
      });
    } as never);
    return {
      submitting,
      running: queue,
      onlooker,
      sent,
      close: async () => {
        vi.restoreAllMocks();
        await close();
        await submitting.stop();
      },
    };
  }

  test("a worker reads jobs that others have submitted before its turn, not in it", async () => {
    const { submitting, running, sent, close } = await twoWorkers("ahead", async () => {});
    await submitting.submitMany(Array.from({ length: 30 }, () => [op("A")]));
    await running.wait(30 as JobId);
    const client = sent.find(({ name }) => name === "new jobs")?.client;
    const names = sent.flatMap((one) => (one.client === client ? one.name : []));
    const step = names.slice(names.indexOf("new jobs"), names.indexOf("keep step"));
    expect(step).toEqual(["new jobs", "begin_step"]);
    await close();
  });

  test("a worker that finds many new jobs in its turn gives it up and reads them first", async () => {
    const { submitting, running, onlooker, sent, close } = await twoWorkers("late", async () => {});
    const turn = "hashtext('ganeti-ts step late')";
    const waiting = async (count: number) => {
      const text =
        "SELECT count(*)::integer AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
      while ((await onlooker.query<{ n: number }>(text)).rows[0]?.n !== count) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    await onlooker.query(`SELECT pg_advisory_lock(${turn})`);
    const submitted = submitting.submitMany(Array.from({ length: 60 }, () => [op("A")]));
    await waiting(1);
    const looked = running.live();
    await waiting(2);
    const before = sent.length;
    await onlooker.query(`SELECT pg_advisory_unlock(${turn})`);
    await Promise.all([submitted, looked]);
    await running.wait(60 as JobId);
    const client = sent.slice(before).find(({ name }) => name === "new jobs")?.client;
    const names = sent.slice(before).flatMap((one) => (one.client === client ? one.name : []));
    expect(names.slice(0, names.indexOf("keep step"))).toEqual(["other", "new jobs", "begin_step"]);
    await close();
  });

  test("a job that changes after it was read ahead is read again in the turn", async () => {
    let change = async () => {};
    const { submitting, running, close } = await twoWorkers("changed", () => change());
    let changes = 0;
    change = async () => {
      if (changes++ === 0) await submitting.changePriority(1 as JobId, -10);
    };
    await submitting.submit([op("A")]);
    await running.wait(1 as JobId);
    expect(changes).toBeGreaterThan(0);
    expect(await field(running, 1, "oppriority")).toEqual([-10]);
    await close();
  });
});
