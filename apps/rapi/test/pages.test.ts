// Queries in pages over the remote API, by the typed client.
import { openRapi, type Paging, type QueryPage } from "@ganeti-ts/rapi-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withInstances } from "./instances.js";
import { aServer, type TestServer } from "./served.js";

let server: TestServer;
let rapi: ReturnType<typeof openRapi>;
beforeAll(async () => {
  server = await aServer();
  const ca = server.certificate;
  rapi = openRapi({ url: server.url, user: "jack", password: "abc123", ca });
  await withInstances(
    server,
    [10, 9, 1, 2, 21].map((number) => ({
      ...{
        instance_name: `web${number}.example.com`,
        start: number < 10,
        tags: [`t${number % 2}`],
      },
    })),
  );
});
afterAll(() => server.end());

const namesOf = (rows: readonly (readonly (readonly [number, unknown])[])[]) =>
  rows.map(([name]) => name?.[1]);

async function onlyPage(options: Paging): Promise<QueryPage> {
  for await (const page of rapi.own.pages("instance", ["name"], options)) return page;
  throw new Error("there is no page");
}

test("pages follow each other in natural order, with live values, and end", async () => {
  const pages = [];
  for await (const page of rapi.own.pages("instance", ["name", "status"], { limit: 2 })) {
    pages.push(page);
  }
  expect(pages.map(({ data }) => namesOf(data))).toEqual([
    ["web1.example.com", "web2.example.com"],
    ["web9.example.com", "web10.example.com"],
    ["web21.example.com"],
  ]);
  expect(pages.map(({ next }) => next?.split(" ")[0])).toEqual([
    "web2.example.com",
    "web10.example.com",
    undefined,
  ]);
  expect(pages.flatMap(({ data }) => data)).toEqual(
    (await rapi.query("instance", ["name", "status"])).data,
  );
  expect(pages[0]?.fields.map(({ name }) => name)).toEqual(["name", "status"]);
});

test("a filter applies to every page, and a page can be read again after its place", async () => {
  const filter = ["=[]", "tags", "t1"] as const;
  const seen = [];
  for await (const { data } of rapi.own.pages("instance", ["name"], { filter, limit: 1 }))
    seen.push(...namesOf(data));
  expect(seen).toEqual(["web1.example.com", "web9.example.com", "web21.example.com"]);
  const after = (await onlyPage({ limit: 3 })).next as string;
  expect(namesOf((await onlyPage({ after })).data)).toEqual([
    "web10.example.com",
    "web21.example.com",
  ]);
});

test.each([
  [{ limit: 0 }, "limit: Too small"],
  [{ limit: 1001 }, "limit: Too big"],
  [{ after: "web1.example.com" }, "'web1.example.com' is not the 'next' of a page"],
  [{ filter: ["==", "colour", 1] as never }, "colour"],
])("%j is refused: %s", async (options, text) => {
  const page = rapi.own.pages("node", ["name"], options)[Symbol.asyncIterator]().next();
  await expect(page).rejects.toThrow(text);
});

test("kinds of objects that are not in the configuration have no pages", async () => {
  const page = rapi.own
    .pages("job" as never, ["id"])
    [Symbol.asyncIterator]()
    .next();
  await expect(page).rejects.toThrow("There are pages of group, instance, network, node only");
});
