/** `gnt-debug confd`: a configuration query to one or several confd servers. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AskResult,
  ConfdClientError,
  confdErrors,
  confdPort,
  connectConfdClient,
} from "@ganeti-ts/confd";
import type { Json } from "@ganeti-ts/protocol";
import { isJsonObject } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { answerLines, confdQuestion } from "./confd-queries.js";

interface Servers {
  readonly peers: readonly string[];
  readonly port: number;
}

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const [name = "", ...rest] = args;
  const question = confdQuestion(name, rest, options.text("link"));
  const timeoutMs = 1000 * (options.number("timeout") ?? 10);
  const key = keyOf(options.text("key") ?? join(invocation.dataDirectory, "hmac.key"));
  const servers = await serversOf(invocation);
  const result = await ask(servers, key, (client) =>
    client.ask(question, { coverage: -1, timeoutMs }),
  );
  out.document(documentOf(result));
  const { answer, sent, received } = result;
  if (answer === undefined) {
    throw new Ending(
      `No answer from ${servers.peers.join(", ")}, port ${servers.port}, within ${timeoutMs / 1000} s. ` +
        "A server is silent if it does not run, if its key is another one, and if its clock differs by more than five minutes.",
    );
  }
  if (!result.isConsistent) {
    out.error("Warning: servers with the same serial number gave different answers.");
  }
  if (answer.status !== 0) throw new Ending(`Query '${name}': ${faultText(answer.answer as Json)}`);
  for (const line of answerLines(name, answer.answer as Json)) out.line(line);
  if (options.flag("verbose")) {
    out.line(`Serial number ${answer.serial}; ${received} of ${sent} servers have answered.`);
  }
  return 0;
}

function documentOf({ answer, sent, received, timedOut, isConsistent }: AskResult): Json {
  const replies = { sent, received, timed_out: timedOut, consistent: isConsistent };
  if (answer === undefined) return { ...replies, status: null, answer: null, serial: null };
  const { status, answer: value, serial } = answer;
  return { ...replies, status, answer: value as Json, serial };
}

async function ask(
  { peers, port }: Servers,
  key: Uint8Array,
  work: (client: Awaited<ReturnType<typeof connectConfdClient>>) => Promise<AskResult>,
): Promise<AskResult> {
  try {
    const client = await connectConfdClient({ key, peers, port });
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  } catch (error) {
    if (error instanceof ConfdClientError) throw new Ending(`${error.message}.`);
    throw error;
  }
}

/** The whole content of the file, with its newline. */
function keyOf(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Ending(`Cannot read the key of configuration queries: ${(error as Error).message}`);
  }
}

/** Those named, all master candidates, or the server of this cluster. */
async function serversOf({ options, cluster }: Invocation): Promise<Servers> {
  const given = options.integer("port");
  const named = options.texts("address");
  if (options.flag("candidates") && named.length > 0) {
    throw new Ending("--address and --candidates exclude each other.");
  }
  if (named.length > 0) return { peers: named, port: given ?? confdPort };
  if (options.flag("candidates")) {
    const candidates = ["&", ["?", "master_candidate"], ["!", ["?", "offline"]]] as const;
    const { data } = await cluster.query("node", ["pip"], candidates);
    return { peers: data.map((row) => String(row[0]?.[1])), port: given ?? confdPort };
  }
  const path = "/ganeti-ts/1/confd";
  const state = await cluster.call("GET", path);
  const listening = isJsonObject(state) ? state.listening : undefined;
  if (!isJsonObject(listening)) {
    throw new Ending(
      "The server answers no configuration queries: start it with --confd, or name others with --address or --candidates.",
    );
  }
  const { address, port } = listening;
  return { peers: [reachable(String(address))], port: given ?? Number(port) };
}

/** An address to send to, for one to listen on. */
const reachable = (address: string): string =>
  address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;

function faultText(answer: Json): string {
  switch (answer) {
    case confdErrors.unknownEntry:
      return "unknown entry";
    case confdErrors.internal:
      return "internal error";
    case confdErrors.argument:
      return "argument error";
    default:
      return typeof answer === "string" ? answer : JSON.stringify(answer);
  }
}
