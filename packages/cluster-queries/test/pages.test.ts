// Pages of a query: together they are the whole answer, whatever changes in between.
import { type ConfigChange, Snapshot } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import type { InstanceObject, Json } from "@ganeti-ts/protocol";
import { aSnapshot, someChanges, someNodes, uuidOf } from "@ganeti-ts/testkit/configuration";
import fc from "fast-check";
import { expect, test } from "vitest";
import { InstanceIndexes, type NamedKind, nameOrders, queryPage } from "../src/index.js";
import { type QueryDeps, queryResource } from "../src/query-resource.js";

const caller = { lease: "1:1", signal: new AbortController().signal };
const fields = ["name", "uuid", "tags"];

/** Many copies of the first instance: on three nodes, some with the same name, some reserved without a name. */
function crowded(copyCount: number): Snapshot {
  const content = aSnapshot().content();
  const [first] = content.instances as readonly InstanceObject[];
  const nodes = content.nodes.map(({ uuid }) => uuid);
  const copies = Array.from({ length: copyCount }, (_, at) => ({
    ...(first as InstanceObject),
    ...{ uuid: uuidOf(1000 + ((at * 7919) % copyCount)), disks: [], nics: [] },
    ...(at % 50 === 1
      ? { name: undefined, forthcoming: true }
      : { name: `copy${at - (at % 50 === 0 ? 0 : Number(at % 20 === 0))}.example.com` }),
    ...{ primary_node: nodes[at % nodes.length], tags: [`t${at % 4}`, `u${at % 60}`] },
  }));
  return Snapshot.of({ ...content, instances: [...content.instances, ...copies] as never });
}

const { nodes } = someNodes({ [aSnapshot().expectNode("node1").uuid]: ["copy3.example.com"] });

/** Rows of all pages; `changed` gives the configuration for each page. */
async function allPages(
  deps: Omit<QueryDeps, "now">,
  now: () => Snapshot,
  kind: NamedKind,
  { filter, limit, shown = fields }: { filter: Json; limit: number; shown?: readonly string[] },
) {
  const orders = nameOrders();
  const rows: unknown[] = [];
  let after: string | undefined;
  do {
    const page = await queryPage({ ...deps, now: now(), orders }, kind, shown, filter, {
      ...{ limit, after },
    });
    expect(page.data.length).toBeLessThanOrEqual(limit);
    rows.push(...page.data);
    if (page.next === after) throw new Error(`the page after '${after}' ends where it begins`);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return rows;
}

const filters: readonly Json[] = [
  null,
  ["=[]", "tags", "u7"],
  ["=[]", "tags", "t1"],
  ["==", "pnode", "node2.example.com"],
  ["!=", "pnode", "node2.example.com"],
  ["=~", "name", "9[.]example"],
  ["&", ["=[]", "tags", "t3"], ["==", "status", "running"]],
  ["==", "status", "running"],
  ["|", ["==", "name", "copy8.example.com"], ["==", "name", "copy12.example.com"]],
  ["==", "name", "copy9"],
];

test.each([1, 7, 100, 300, 5000])(
  "pages of %i rows together are the whole answer",
  async (limit) => {
    const now = crowded(700);
    const deps = {
      ...{ nodes, caller, architecture: ["64bits", "x86_64"] as const },
      indexes: new InstanceIndexes(),
    };
    for (const filter of limit === 1 ? filters.slice(6) : filters) {
      const whole = await queryResource({ ...deps, now }, "instance", fields, filter);
      expect(whole.data.length).toBeGreaterThan(0);
      const pages = await allPages(deps, () => now, "instance", { filter, limit });
      expect([filter, pages]).toEqual([filter, whole.data]);
    }
    for (const kind of ["node", "group", "network"] as const) {
      const whole = await queryResource({ ...deps, now }, kind, ["name", "uuid"], null);
      const shown = ["name", "uuid"];
      expect(await allPages(deps, () => now, kind, { filter: null, limit, shown })).toEqual(
        whole.data,
      );
    }
  },
);

test("an object that keeps its name is on one page, whatever changes between the pages", async () => {
  const deps = { nodes, caller, architecture: ["64bits", "x86_64"] as const };
  const steps = fc.array(fc.tuple(fc.nat(someChanges.length - 1), fc.nat(99)), { maxLength: 30 });
  let changeCount = 0;
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 9 }), async (some, limit) => {
      const states = [crowded(20)];
      const next = () => {
        const last = states.at(-1) as Snapshot;
        const [which, salt] = some[states.length - 1] ?? [];
        if (which === undefined) return last;
        const changes = someChanges[which]?.(last, salt as number) as ConfigChange[];
        const now = last.with(changes, { serial: last.serial + 1, mtime: last.mtime });
        changeCount += changes.length;
        states.push(now);
        return now;
      };
      const rows = await allPages(deps, next, "instance", { filter: null, limit });
      const shown = rows.map((row) => (row as [number, Json][])[1]?.[1]);
      const namesOf = (now: Snapshot) =>
        new Map([...now.instances()].map(({ uuid, name }) => [uuid as string, name ?? uuid]));
      const lasting = [...namesOf(states[0] as Snapshot)].filter(([uuid, name]) =>
        states.every((state) => namesOf(state).get(uuid) === name),
      );
      for (const [uuid] of lasting) {
        expect(shown.filter((one) => one === uuid)).toEqual([uuid]);
      }
    }),
    { numRuns: 60 },
  );
  expect(changeCount).toBeGreaterThan(100);
});

test("the next page begins behind an object that has been removed", async () => {
  const before = crowded(3);
  const orders = nameOrders();
  const page = (now: Snapshot, limit: number, after?: string) =>
    queryPage({ now, nodes, caller, orders }, "instance", ["name"], null, { limit, after });
  const whole = (await page(before, 100)).data;
  const first = await page(before, 1);
  expect(first.data).toEqual(whole.slice(0, 1));
  const [uuid] = (first.next as string).split(" ").slice(-1);
  const content = before.content();
  const now = Snapshot.of({
    ...content,
    instances: content.instances.filter((one) => one.uuid !== uuid),
  });
  expect((await page(now, 100, first.next as string)).data).toEqual(whole.slice(1));
});

test("a page asks no nodes but those of its rows", async () => {
  const asked: string[] = [];
  const counting: NodeBackend = {
    introduce: nodes.introduce,
    call: (node, ...rest) => {
      asked.push(node);
      return nodes.call(node, ...rest);
    },
  };
  const now = crowded(700);
  const deps = { now, nodes: counting, caller, orders: nameOrders() };
  const page = await queryPage(deps, "instance", ["name", "status"], ["=~", "name", "^copy"], {
    limit: 1,
  });
  expect(page.data).toHaveLength(1);
  expect(asked).toHaveLength(1);
});

test.each(["", "copy1.example.com", " u", "copy1.example.com "])(
  "'%s' as the place of a page is refused",
  async (after) => {
    const deps = { now: crowded(3), nodes, caller, orders: nameOrders() };
    const page = queryPage(deps, "instance", fields, null, { limit: 1, after });
    await expect(page).rejects.toThrow(`'${after}' is not the 'next' of a page`);
  },
);
