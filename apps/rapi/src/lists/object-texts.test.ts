import { Snapshot } from "@ganeti-ts/config";
import type { InstanceObject } from "@ganeti-ts/protocol";
import { aSnapshot } from "@ganeti-ts/testkit/configuration";
import { afterEach, expect, test, vi } from "vitest";
import type { GrowingParts } from "./growing-parts.js";
import { objectTexts } from "./object-texts.js";

afterEach(() => void vi.restoreAllMocks());

/** A snapshot with enough instances for a long list. */
function manyInstances(): Snapshot {
  const content = aSnapshot().content();
  const [first] = content.instances;
  const instances = Array.from({ length: 1000 }, (_, at) => ({
    ...(first as InstanceObject),
    uuid: `00000001-0000-4000-8000-${String(at).padStart(12, "0")}`,
    name: `many${at}.example.com`,
    disks: [],
  }));
  return Snapshot.of({ ...content, instances: instances as unknown as InstanceObject[] });
}

test("other requests are answered while the first list of many instances is rendered", async () => {
  const now = manyInstances();
  const texts = objectTexts({
    snapshot: () => now,
    queue: { onChange: () => () => {} } as never,
    objects: {
      liveInOrder: () => ({
        live: {
          node: () => ({ ok: false, offline: false, message: "not asked" }),
          instance: () => ({ ok: true, value: undefined }),
          console: () => undefined,
        },
        ready: () => undefined,
        stop: () => {},
      }),
    } as never,
  });
  // Each reading of the clock is 2 ms after the previous one, so that a slice contains a few blocks of the list.
  let ms = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => (ms += 2));
  let turns = 0;
  let isOver = false;
  const others = () => {
    turns++;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  const list = async () => {
    const parts = (await texts.listParts("instance")) as GrowingParts;
    return JSON.parse(Buffer.concat(await parts.whole).toString());
  };
  expect(await list()).toHaveLength(1000);
  isOver = true;
  expect(turns).toBeGreaterThan(5);
});

test("a list is kept until a job changes, although the configuration stays the same", async () => {
  const now = aSnapshot();
  let changed = () => {};
  let answers = 0;
  const texts = objectTexts({
    snapshot: () => now,
    queue: {
      onChange: (listener: () => void) => {
        changed = listener;
        return () => {};
      },
    } as never,
    objects: {
      live: async () => {
        const memoryMib = ++answers;
        const found = { hypervisor: "kvm", memoryMib, vcpus: 1, state: "running" };
        return {
          node: () => ({ ok: false, offline: false, message: "not asked" }),
          instance: () => ({ ok: true, value: { found, onPrimary: true } }),
          console: () => undefined,
        };
      },
    } as never,
  });
  const memories = async (): Promise<readonly (number | null)[]> => {
    const parts = (await texts.listParts("instance")) as readonly Uint8Array[];
    const list = JSON.parse(Buffer.concat(parts).toString()) as { oper_ram: number | null }[];
    return [...new Set(list.map(({ oper_ram }) => oper_ram))];
  };
  vi.spyOn(performance, "now").mockReturnValue(0);
  expect([await memories(), await memories()]).toEqual([[1], [1]]);
  changed();
  expect(await memories()).toEqual([2]);
});
