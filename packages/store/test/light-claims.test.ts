import { createLockManager, lockName } from "@ganeti-ts/locking";
import { type JobId, type JsonObject, microsOf, type Timestamp } from "@ganeti-ts/protocol";
import { openPostgresStore } from "@ganeti-ts/store/postgres";
import { type Server, startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, field, Hands, op, openQueue } from "./conformance/world.js";

interface Row {
  readonly status: string;
  readonly taken: string | null;
  readonly process_id: number | null;
  /** Status of each opcode in the document. */
  readonly statuses: readonly string[];
}

wherePostgresIsInstalled(describe, "claims without documents", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  /** A queue on a schema of its own, whose jobs end when the test says so, and the rows of its jobs. */
  async function opened(schema: string) {
    const { connection } = server;
    const database = new pg.Client({ ...connection, options: `-c search_path=${schema}` });
    await database.connect();
    const connect = () => openPostgresStore({ connection, schema });
    const store = await connect();
    const locks = createLockManager({ store: store.locks });
    const hands = new Hands(({ lock }) =>
      lock ? [{ lock: lockName("instance", String(lock)), mode: "exclusive" }] : [],
    );
    const queue = await openQueue(
      { store, locks, kill: () => store.leave() },
      { executor: hands, processId: 4711 },
    );
    const row = async (id: number): Promise<Row> => {
      const { rows } = await database.query(
        `SELECT status, taken, process_id, (SELECT json_agg(opcode->'status')
           FROM json_array_elements(document->'ops') AS opcode) AS statuses FROM job WHERE id = $1`,
        [id],
      );
      return rows[0];
    };
    const close = async () => {
      await queue.stop();
      await database.end();
    };
    /** Submits the jobs and has them claimed in a later step. */
    const submit = async (jobs: readonly (readonly JsonObject[])[]) => {
      await queue.change({ runningMax: 0 });
      await queue.submitMany(jobs);
      await queue.change({ runningMax: 5 });
      await eventually(() => hands.begun.length === 1);
    };
    return { database, connect, queue, submit, hands, row, close };
  }

  test("a claim leaves the document as it is, and every reader sees the job running", async () => {
    const { connect, queue, submit, hands, row, close } = await opened("light");
    await submit([[op("A"), op("B")]]);
    const { taken, ...rest } = await row(1);
    expect(rest).toEqual({ status: "running", process_id: 4711, statuses: ["queued", "queued"] });
    const other = await connect();
    const [read] = await other.read([1 as JobId]);
    expect(read?.job?.opcodes.map(({ status }) => status)).toEqual(["running", "queued"]);
    expect(read?.job?.processId).toBe(4711);
    expect(read?.job?.livelock).toBe(`${read?.claim?.worker}:${read?.claim?.fence}`);
    const first = read?.job?.opcodes[0];
    for (const time of [read?.job?.started, first?.started, first?.executed]) {
      expect(microsOf(time as Timestamp)).toBe(Number(taken));
    }
    await other.leave();
    await hands.end(1, 0, "done");
    await eventually(() => hands.begun.length === 2);
    expect(await row(1)).toEqual({
      ...{ status: "running", taken: null, process_id: 4711, statuses: ["success", "running"] },
    });
    await hands.end(1, 1);
    await queue.wait(1 as JobId);
    expect((await row(1)).statuses).toEqual(["success", "success"]);
    await close();
  });

  test("a job that has to wait for its locks is claimed as waiting", async () => {
    const { queue, submit, hands, row, close } = await opened("waits");
    const lock = "a";
    await submit([[op("A", { lock })], [op("B", { lock })]]);
    expect(await row(2)).toMatchObject({ status: "waiting", statuses: ["queued"] });
    expect(await field(queue, 2, "status")).toBe("waiting");
    await hands.end(1, 0);
    await hands.end(2, 0);
    await queue.wait(2 as JobId);
    expect(await row(2)).toMatchObject({ status: "success", taken: null, statuses: ["success"] });
    await close();
  });

  test("a job whose changes are written as patches is claimed with its opcode", async () => {
    const { database, queue, submit, hands, row, close } = await opened("patched");
    await submit([Array.from({ length: 9 }, (_, at) => op(`O${at}`))]);
    expect(await row(1)).toMatchObject({ status: "running", taken: null });
    const { rows } = await database.query(
      "SELECT document->'status' AS status FROM job_patch WHERE opcode = 0",
    );
    expect(rows).toEqual([{ status: "running" }]);
    for (let at = 0; at < 9; at++) await hands.end(1, at);
    await queue.wait(1 as JobId);
    await close();
  });
});
