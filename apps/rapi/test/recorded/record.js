// Sends requests.json to a server of Ganeti's, and writes what it says to answers.json: shapes instead of values
// where these are the cluster's own, and how jobs ended. Usage: node record.js https://user:password@host:5080 reader:password
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { shapeOf } from "./shape.js";

const url = new URL(process.argv[2] ?? "");
const own = `${url.username}:${url.password}`;
/** Credentials of a user with the right to read: `user:password`. */
const reader = process.argv[3] ?? "";
/** @param {string} name */
const file = (name) => new URL(name, import.meta.url);

/**
 * @param {string} line
 * @param {{ body?: unknown, user?: string | null }} request
 * @returns {Promise<{ status: number | undefined, text: string }>}
 */
function send(line, { body, user = own }) {
  const [method, path] = line.split(" ");
  return new Promise((resolve, reject) => {
    const sent = request(
      { method, path, host: url.hostname, port: url.port, rejectUnauthorized: false },
      (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode, text }));
      },
    );
    sent.on("error", reject);
    if (user) sent.setHeader("authorization", `Basic ${btoa(user === "reader" ? reader : user)}`);
    if (body !== undefined) sent.setHeader("content-type", "application/json");
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** @param {number} id */
async function ended(id) {
  for (;;) {
    const { status, summary, opresult, oplog } = JSON.parse(
      (await send(`GET /2/jobs/${id}`, {})).text,
    );
    if (["success", "error", "canceled"].includes(status)) {
      const log = oplog.map((/** @type {unknown[][]} */ entries) =>
        entries.map((entry) => entry.slice(2)),
      );
      return { status, summary, opresult, log };
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const answers = [];
for (const exchange of JSON.parse(readFileSync(file("requests.json"), "utf8"))) {
  const { status, text } = await send(exchange.request, exchange);
  const answer = JSON.parse(text);
  answers.push({
    request: exchange.request,
    status,
    ...(exchange.job && status === 200 ? { job: await ended(answer) } : {}),
    ...(exchange.shape && status === 200 ? { shape: shapeOf(answer) } : {}),
    ...((exchange.job || exchange.shape) && status === 200 ? {} : { answer }),
  });
}
const lines = answers.map((one) => `  ${JSON.stringify(one)}`);
writeFileSync(file("answers.json"), `[\n${lines.join(",\n")}\n]\n`);
