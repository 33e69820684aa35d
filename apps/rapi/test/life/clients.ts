/** Random clients, which record their answers. */
import type { Dice } from "@ganeti-ts/testkit/simulation";
import type { ServerProcess } from "./server-process.js";

const names = ["a", "b", "c", "d", "e", "f"].map((one) => `${one}.example.com`);
/** A disk that is only grown, so that the growths can be counted. */
export const grown = "grown.example.com";
export const growth = 64;
/** The first job, which makes the instance. */
const grownJob = 1;
export const firstSize = 1024;

export interface Books {
  /** Jobs whose ids were given. */
  readonly acknowledged: Set<number>;
  /** Names of the cluster's nodes. */
  readonly nodes: string[];
  readonly counts: { asked: number; refused: number; cut: number };
}

export const newBooks = (): Books => ({
  acknowledged: new Set(),
  nodes: [],
  counts: { asked: 0, refused: 0, cut: 0 },
});

export const creation = (instance_name: string, more: object = {}) => ({
  __version__: 1,
  mode: "create",
  instance_name,
  os_type: "noop+default",
  nics: [{}],
  disk_template: "plain",
  disks: [{ size: firstSize }],
  iallocator: "hail",
  name_check: false,
  ip_check: false,
  beparams: { memory: 128 },
  ...more,
});

/** Runs until it is stopped; sends requests to any running server. */
export async function client(
  servers: readonly ServerProcess[],
  books: Books,
  dice: Dice,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const up = servers.filter((server) => server.isUp);
    if (up.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      continue;
    }
    const server = dice.pick(up);
    const [method, path, body] = randomRequest(dice, books);
    books.counts.asked++;
    try {
      const answer = await server.ask(method, path, body);
      if (answer.status === 200 && typeof answer.body === "number") {
        books.acknowledged.add(answer.body);
      } else books.counts.refused++;
    } catch {
      books.counts.cut++;
    }
    await new Promise((resolve) => setTimeout(resolve, dice.fraction() * 150));
  }
}

function randomRequest(dice: Dice, books: Books): [method: string, path: string, body?: object] {
  const recent = () => dice.pick([...books.acknowledged, grownJob].slice(-6));
  const name = dice.pick(names);
  const at = `/2/instances/${name}`;
  const node = dice.pick(books.nodes);
  const disk_template = dice.pick(["plain", "drbd"]);
  const size = dice.pick([1024, 2048]);
  return dice.pick<() => [string, string, object?]>([
    () => ["POST", "/2/instances", creation(name, { disk_template, disks: [{ size }] })],
    () => ["POST", "/2/instances", creation(name, { disk_template, disks: [{ size }] })],
    () => ["POST", "/2/instances", creation(name, { disk_template, disks: [{ size }] })],
    () => ["POST", "/2/instances", creation(name, { disk_template, forthcoming: true })],
    () => ["POST", "/2/instances", { ...committing(name) }],
    () => ["DELETE", at],
    () => ["PUT", `${at}/modify`, { beparams: { memory: dice.pick([128, 256, 512]) } }],
    () => ["PUT", `${at}/modify`, { disks: [["add", { size: 1024 }]] }],
    () => ["PUT", `${at}/migrate`, {}],
    () => ["PUT", `${at}/failover`, {}],
    () => ["PUT", `${at}/shutdown`, { timeout: 0 }],
    () => ["PUT", `${at}/startup`],
    () => ["POST", `${at}/replace-disks`, { mode: "replace_on_secondary" }],
    () => ["POST", `${at}/replace-disks`, { mode: "replace_on_primary" }],
    () => ["POST", `${at}/replace-disks`, { mode: "replace_auto" }],
    () => ["POST", `${at}/replace-disks`, { mode: "replace_new_secondary", iallocator: "hail" }],
    () => ["POST", `${at}/recreate-disks`, {}],
    () => ["PUT", `${at}/export`, { mode: "local", destination: node, shutdown: dice.chance(0.5) }],
    () => ["POST", `/2/nodes/${node}/evacuate`, { mode: "secondary-only", iallocator: "hail" }],
    // One of the jobs that may be running.
    () => ["PUT", `/ganeti-ts/1/jobs/${recent()}/kill`],
    () => ["PUT", `/ganeti-ts/1/jobs/${recent()}/kill`],
    () => ["POST", `/2/instances/${grown}/disk/0/grow`, { amount: growth, wait_for_sync: false }],
    () => ["PUT", `/2/tags?tag=t${dice.between(0, 19)}`],
  ])();
}

const committing = (instance_name: string) => ({
  __version__: 1,
  mode: "create",
  instance_name,
  commit: true,
  os_type: "noop+default",
  name_check: false,
  ip_check: false,
});
