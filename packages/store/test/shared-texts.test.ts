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
