// Texts that processes share: turns, news, and what a turn that fails leaves.
import { type Server, startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSharedTexts, type SharedTexts, type Texts } from "../src/postgres/shared-texts.js";

wherePostgresIsInstalled(describe, "shared texts", () => {
  let server: Server;
  let client: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    client = new pg.Client(server.connection);
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await server.stop();
  });

  const open = (schema: string) => openSharedTexts({ connection: server.connection, schema });
  /** Adds a letter to a text; gives what it has learnt. */
  async function add(texts: SharedTexts, known: Map<string, string>, name: string, letter: string) {
    const news: [string, string][] = [];
    await texts.turn(
      (changed) => {
        for (const [one, text] of changed) {
          known.set(one, text);
          news.push([one, text]);
        }
      },
      (save) => {
        known.set(name, `${known.get(name) ?? ""}${letter}`);
        save(new Map([[name, known.get(name) as string]]));
      },
    );
    return news;
  }

  test("a process that takes a turn gets earlier changes by others exactly once", async () => {
    const [one, two] = await Promise.all([open("turns"), open("turns")]);
    const [a, b] = [new Map<string, string>(), new Map<string, string>()];
    expect(await add(one, a, "x", "1")).toEqual([]);
    expect(await add(two, b, "x", "2")).toEqual([["x", "1"]]);
    expect(await add(two, b, "y", "3")).toEqual([]);
    expect(await add(one, a, "x", "4")).toEqual([
      ["x", "12"],
      ["y", "3"],
    ]);
    await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        at % 2 ? add(one, a, "z", "o") : add(two, b, "z", "t"),
      ),
    );
    const late = await open("turns");
    const all = await late.load();
    expect(all.get("x")).toBe("124");
    expect(all.get("z")).toHaveLength(60);
    for (const texts of [one, two, late]) await texts.close();
  });

  test("a turn that fails keeps nothing, and the next one begins with what is true", async () => {
    const texts = await open("failures");
    const known = new Map<string, string>();
    await add(texts, known, "x", "1");
    const failing = texts.turn(
      () => {},
      (save) => {
        known.set("x", "wrong");
        save(new Map([["x", "wrong"]]));
        throw new Error("no");
      },
    );
    await expect(failing).rejects.toThrow("no");
    expect(await add(texts, known, "x", "2")).toEqual([["x", "1"]]);
    expect((await texts.load()).get("x")).toBe("12");
    await texts.close();
  });

  /** Takes the turn of a schema from all processes; gives it back. */
  async function takeTurn(schema: string): Promise<() => Promise<void>> {
    const key = `hashtext('ganeti-ts texts ${schema}')`;
    await client.query(`SELECT pg_advisory_lock(${key})`);
    return async () => void (await client.query(`SELECT pg_advisory_unlock(${key})`));
  }

  const transactionsIn = async (schema: string): Promise<number> => {
    const { rows } = await client.query(
      `SELECT count(DISTINCT xmin::text)::integer AS count FROM ${schema}.shared_text`,
    );
    return rows[0].count;
  };

  test("callers that wait for a turn share it, in their order, and all texts are stored", async () => {
    const texts = await open("shares");
    const giveBack = await takeTurn("shares");
    const known = new Map<string, string>();
    const names = ["a", "b", "c", "d", "e"];
    const calls = [...names, ...names].map((name, at) => add(texts, known, name, `${at}`));
    await giveBack();
    await Promise.all(calls);
    const late = await open("shares");
    expect([...(await late.load())].sort()).toEqual([
      ...[
        ["a", "05"],
        ["b", "16"],
        ["c", "27"],
        ["d", "38"],
        ["e", "49"],
      ],
    ]);
    expect(await transactionsIn("shares")).toBe(1);
    for (const one of [texts, late]) await one.close();
  });

  test("one of several callers fails: nothing of their turn is stored, and all are told", async () => {
    const texts = await open("shared_failures");
    const known = new Map<string, string>();
    await add(texts, known, "x", "1");
    const giveBack = await takeTurn("shared_failures");
    const calls = [
      add(texts, known, "x", "2"),
      texts.turn(
        () => {},
        () => {
          throw new Error("no");
        },
      ),
      add(texts, known, "y", "3"),
    ];
    const ended = Promise.allSettled(calls);
    await giveBack();
    expect((await ended).map(({ status }) => status)).toEqual(Array(3).fill("rejected"));
    expect(await add(texts, known, "x", "4")).toEqual([["x", "1"]]);
    expect([...(await texts.load())]).toEqual([["x", "14"]]);
    await texts.close();
  });

  test("a caller that comes during the actions of a turn gets a turn of its own", async () => {
    const texts = await open("later");
    const known = new Map<string, string>();
    let later: Promise<unknown> = Promise.resolve();
    await texts.turn(
      () => {},
      () => {
        later = add(texts, known, "x", "1");
      },
    );
    await later;
    expect((await texts.load()).get("x")).toBe("1");
    await texts.close();
  });

  test("a connection that breaks between turns is reopened, one that breaks during a turn causes an error", async () => {
    const texts = await open("breaks");
    const known = new Map<string, string>();
    await add(texts, known, "x", "1");
    const breakAll = () =>
      client.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
      );
    await breakAll();
    expect(await add(texts, known, "x", "2")).toEqual([]);
    let learnt: Texts = new Map();
    const waiting = new pg.Client(server.connection);
    waiting.on("error", () => {});
    await waiting.connect();
    await waiting.query("SELECT pg_advisory_lock(hashtext('ganeti-ts texts breaks'))");
    const blocked = add(texts, known, "x", "3");
    await new Promise((resolve) => setTimeout(resolve, 50));
    await breakAll();
    // Its turn had not come: it is taken on the next connection.
    await blocked;
    await texts.turn(
      (changed) => {
        learnt = changed;
      },
      () => undefined,
    );
    expect(learnt.size).toBe(0);
    expect((await texts.load()).get("x")).toBe("123");
    await texts.close();
  });
});
