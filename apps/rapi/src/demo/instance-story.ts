/**
 * Creation of instances over the API, narrated line by line: request, placement, creation, start.
 */
import { request } from "node:http";
import {
  Explanation,
  isFinalized,
  type JobId,
  type Json,
  parseJson,
  RapiInstance,
  RapiJob,
} from "@ganeti-ts/protocol";
import type { Served } from "../program/serve.js";
import { wrapped } from "./wrapped.js";

/** The request, which is sent three times: the third placement has to take the first two into account. */
const wanted = {
  beparams: { memory: "2g", vcpus: 2 },
  disks: [{ size: "20g" }],
  disk_template: "drbd",
};
/**
 * A mirror of 20 GiB takes minutes to synchronise, as on real nodes: it continues while the
 * instance runs.
 */
const creation = { wait_for_sync: false, iallocator: "hail", os_type: "debian+stable", nics: [{}] };
const names = ["db1.example.com", "web1.example.com", "web2.example.com"];

/** Number of candidates shown in addition to the winner. */
const othersShown = 3;

/** Describes the steps as they happen. @throws Error if the server refuses a request */
export async function instanceStory(served: Served, say: (line: string) => void): Promise<void> {
  const ask = asker(served.directory.socket);
  for (const name of names) {
    const explanation = Explanation.parse(await ask("POST", "/ganeti-ts/1/explain", wanted));
    const id = (await ask("POST", "/2/instances?reason=demonstration", {
      __version__: 1,
      mode: "create",
      instance_name: name,
      ...wanted,
      ...creation,
    })) as JobId;
    const job = await ended(ask, id);
    say(`\njob ${id}: ${job.summary.join(", ")} ${job.status}`);
    if (job.status !== "success") throw new Error(JSON.stringify(job.opresult));
    const { pnode, snodes, status } = RapiInstance.parse(await ask("GET", `/2/instances/${name}`));
    say(`  ${name} is ${status} on ${pnode}, mirrored on ${snodes.join(", ")}`);
    if (name === names.at(-1)) for (const line of why(explanation)) say(line);
  }
}

/** The chosen placement in words, and the candidates that it was compared with. */
function why({ instances: [instance] }: Explanation): string[] {
  const { choice, groups } = instance ?? {};
  if (!choice) return [];
  const candidates = groups?.find(({ group }) => group === choice.group)?.field;
  return [
    ...wrapped(`why there: ${choice.text}`, 80, "  "),
    `  group ${choice.group}: ${candidates?.feasible ?? 0} places possible, ${candidates?.refused ?? 0} refused; the best:`,
    ...(candidates?.candidates.slice(0, 1 + othersShown) ?? []).map(
      ({ nodes, score }) =>
        `    ${typeof score?.total === "number" ? score.total.toFixed(8) : score?.total}  ${nodes.join(" and ")}`,
    ),
  ];
}

type Ask = (method: string, path: string, body?: Json) => Promise<Json>;

async function ended(ask: Ask, id: JobId): Promise<RapiJob> {
  for (;;) {
    const job = RapiJob.parse(await ask("GET", `/2/jobs/${id}`));
    if (isFinalized(job.status)) return job;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Sends requests over the local socket, which requires no password. */
const asker =
  (socketPath: string): Ask =>
  (method, path, body) =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { "content-type": "application/json" };
      const sent = request({ socketPath, method, path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(parseJson(text));
          else reject(new Error(`${method} ${path}: ${text}`));
        });
      });
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
