/** Server with answers of a large cluster, so that the page alone is measured: 20 000 instances, and events on demand. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { moreAnswers, networkUuid, networkValues, nicValues } from "./more-answers.js";

const dist = join(import.meta.dirname, "../dist");
const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

export const instanceCount = 20_000;

const states = ["running", "running", "running", "ADMIN_down", "ERROR_down"];
const instanceValues = {
  uuid: (at) => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`,
  name: (at) => `instance${at}.example.com`,
  status: (at) => states[at % states.length],
  pnode: (at) => `node${at % 400}.example.com`,
  snodes: (at) => [`node${(at + 1) % 400}.example.com`],
  disk_template: () => "drbd",
  "be/memory": (at) => 512 * (1 + (at % 16)),
  "be/vcpus": (at) => 1 + (at % 8),
  disk_usage: (at) => 10_240 * (1 + (at % 5)),
  os: (at) => (at % 3 ? "debian+stable" : "ubuntu+lts"),
  "pnode.group": (at) => `group${at % 4}`,
  tags: (at) => (at % 7 ? [] : ["prod"]),
  ...nicValues,
};
const nodeValues = {
  name: (at) => `node${at}.example.com`,
  group: (at) => `group${at % 4}`,
  role: () => "R",
  mtotal: () => 131_072,
  mfree: (at) => 1024 * (at % 128),
  dtotal: () => 4_194_304,
  dfree: (at) => 10_240 * (at % 400),
  ctotal: () => 64,
  pinst_cnt: () => 50,
  sinst_cnt: () => 50,
};
const jobValues = {
  id: (at) => at + 1,
  status: () => "success",
  summary: (at) => [`INSTANCE_STARTUP(instance${at}.example.com)`],
  received_ts: () => [1_700_000_000, 0],
  end_ts: () => [1_700_000_001, 0],
};

const table = (values, count, fields) => ({
  fields: fields.map((name) => ({ name })),
  data: Array.from({ length: count }, (_, at) =>
    fields.map((field) => [0, values[field]?.(at) ?? null]),
  ),
});

/** Rows that the filter of a request for changed rows names. */
function someOf(values, fields, filter) {
  const wanted = filter.slice(1).map(([, , value]) => value);
  const numbers = wanted.map((value) => Number(String(value).split("-").at(-1)));
  const offset = values === jobValues ? 1 : 0;
  return {
    fields: fields.map((name) => ({ name })),
    data: numbers.map((number) =>
      fields.map((field) => [0, values[field]?.(number - offset) ?? null]),
    ),
  };
}

export async function standIn() {
  const streams = new Set();
  const ready = new Map();
  const answers = {
    "/ganeti-ts/1/whoami": { user: "bench", rights: { read: true, write: true, full: true } },
    "/2/info": {
      ...{ name: "large.example.com", master: "node0.example.com", default_iallocator: "hail" },
      enabled_disk_templates: ["drbd"],
      ipolicy: { std: { "memory-size": 1024, "disk-size": 10_240, "cpu-count": 1 } },
    },
    "/ganeti-ts/1/placement": {},
    ...moreAnswers,
  };
  const counts = {
    instance: [instanceValues, instanceCount],
    node: [nodeValues, 400],
    job: [jobValues, 200],
    network: [networkValues, 1],
    group: [{ name: (at) => `group${at}` }, 4],
  };
  const server = createServer(async (request, answer) => {
    const path = request.url.split("?")[0];
    if (path === "/ganeti-ts/1/events") {
      answer.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n");
      streams.add(answer);
      request.on("close", () => streams.delete(answer));
      return;
    }
    if (path.startsWith("/ui/")) return file(answer, path.slice(4) || "index.html");
    const kind = /^\/2\/query\/(\w+)$/.exec(path)?.[1];
    answer.setHeader("content-type", "application/json");
    if (kind !== undefined) {
      let body = "";
      for await (const part of request) body += part;
      const { fields, qfilter } = JSON.parse(body);
      const [values, count] = counts[kind];
      const key = `${kind} ${fields}`;
      // There is one network, and all NICs are in it.
      const isAll =
        qfilter === null ||
        kind === "network" ||
        (qfilter[0] === "=[]" && qfilter[2] === networkUuid);
      if (!isAll && qfilter[0] === "&") {
        return answer.end(JSON.stringify(someOf(values, fields, qfilter[2])));
      }
      if (!isAll) return answer.end(JSON.stringify(someOf(values, fields, qfilter)));
      if (!ready.has(key)) ready.set(key, JSON.stringify(table(values, count, fields)));
      return answer.end(ready.get(key));
    }
    if (answers[path] === undefined) answer.statusCode = 404;
    answer.end(JSON.stringify(answers[path] ?? { message: "There is no such thing" }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://localhost:${server.address().port}`,
    send: (kind, data) => {
      for (const stream of streams)
        stream.write(`event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    close: () => {
      for (const stream of streams) stream.end();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function file(answer, path) {
  answer.writeHead(200, { "content-type": types[extname(path)], "content-encoding": "gzip" });
  answer.end(gzipSync(readFileSync(join(dist, path))));
}
