// Jobs of the benchmark: creations of instances, and jobs that only fill the queue.
import { rounded } from "./measured.js";

/** @typedef {import("./measured.js").Server} Server */
/** @typedef {import("./measured.js").Connection} Connection */

/** A mirrored instance on nodes that hail chooses. @param {number} at */
const creation = (at) =>
  JSON.stringify({
    __version__: 1,
    instance_name: `made${at + 1}.example.com`,
    mode: "create",
    disk_template: "drbd",
    disks: [{ size: 1024 }],
    nics: [{}],
    os_type: "noop+default",
    beparams: { memory: 512 },
    iallocator: "hail",
    wait_for_sync: false,
  });

/**
 * Creates instances over a few connections, and waits until all exist.
 * @param {Server} server @param {number} count
 * @param {number} [first] number of instances created before
 */
export async function create(server, count, first = 0) {
  const before = await server.usage();
  const start = performance.now();
  /** @type {number[]} */
  const ids = [];
  let next = first;
  const work = async () => {
    const { ask, close } = await server.connect();
    while (next < first + count) {
      ids.push(Number((await ask("POST", "/2/instances", creation(next++))).toString()));
    }
    close();
  };
  await Promise.all(Array.from({ length: 4 }, work));
  const submitted = performance.now();
  const { ask, close } = await server.connect();
  for (const id of ids) await ended(ask, id);
  const end = performance.now();
  const names = JSON.parse((await ask("GET", "/2/instances")).toString());
  if (names.length !== first + count) {
    throw new Error(`${names.length - first} instances of ${count} were made`);
  }
  close();
  const after = await server.usage();
  return {
    instances: count,
    submittedPerSecond: rounded((count * 1000) / (submitted - start)),
    jobsPerSecond: rounded((count * 1000) / (end - start)),
    serverMillisPerJob: rounded((after.cpuMs - before.cpuMs) / count),
  };
}

/** Fills the queue with ended jobs. @param {Server} server @param {number} count */
export async function fillQueue(server, count) {
  const { ask, close } = await server.connect();
  const there = JSON.parse((await ask("GET", "/2/jobs")).toString()).length;
  for (let at = there; at < count; at++) {
    await ended(ask, Number((await ask("PUT", "/2/redistribute-config")).toString()));
  }
  close();
}

/**
 * Waits for the end of a job like `gnt-job watch`: without the serial of the last log entry seen, each request for a job
 * with a log would be answered at once.
 * @param {Connection["ask"]} ask @param {number} id
 */
export async function ended(ask, id) {
  /** @type {unknown[] | null} */
  let seen = null;
  let serial = 0;
  for (;;) {
    const about = {
      fields: ["status", "opresult"],
      previous_job_info: seen,
      previous_log_serial: serial,
    };
    const answer = JSON.parse(
      (await ask("GET", `/2/jobs/${id}/wait`, JSON.stringify(about))).toString(),
    );
    if (answer === null) continue;
    seen = answer.job_info;
    for (const [one] of answer.log_entries ?? []) serial = Math.max(serial, one);
    const [status, results] = answer.job_info;
    if (status === "success") return;
    if (status === "error") throw new Error(JSON.stringify(results));
  }
}
