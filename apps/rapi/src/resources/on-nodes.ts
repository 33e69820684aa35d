/** Direct operations on nodes for the owner of a cluster: command lines and files. */
import { isAbsolute } from "node:path/posix";
import type { NodeReply } from "@ganeti-ts/cluster";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import { checkedBody } from "./checked-body.js";
import { type Method, type Resource, resource } from "./resource.js";

const Command = z.object({ command: z.string().min(1).max(100_000) });

const command: Method = {
  summary: "Runs a command line on a node, as root: what it printed, and its exit code",
  access: "full",
  body: Command,
  answer: z.object({ output: z.string(), exit_code: z.int() }),
  waits: true,
  handle: async ({ names, body, user }, { objects, log }) => {
    const { command: line } = checkedBody(Command, body);
    const node = names.node as string;
    log.info({ node, command: line, user: user?.name ?? "owner" }, "running a command on a node");
    const { output, exitCode } = repliedBy(await objects.runOnNode(node, line), node);
    return { output, exit_code: exitCode };
  },
};

const File = z.object({
  path: z.string().refine(isAbsolute, "must be an absolute path"),
  /** The whole file, as text. */
  content: z.string(),
  /** Permission bits: 0o644 is 420. */
  mode: z.int().min(0).max(0o7777).default(0o600),
});

const file: Method = {
  summary: "Writes a file of a node, whole",
  access: "full",
  body: File,
  longBody: true,
  answer: z.null(),
  handle: async ({ names, body, user }, { objects, log }) => {
    const given = checkedBody(File, body);
    const node = names.node as string;
    log.info({ node, file: given.path, user: user?.name ?? "owner" }, "writing a file to a node");
    return repliedBy(await objects.fileToNode(node, given), node);
  },
};

/** @throws HttpFault 404 if there is no such node, 502 with its message if it refuses */
function repliedBy<Value>(reply: NodeReply<Value>, node: string): Value {
  if (reply === undefined) throw new HttpFault(404, `Node '${node}' not known`);
  if (!reply.ok) throw new HttpFault(502, reply.message);
  return reply.value;
}

export const onNodeResources: readonly Resource[] = [
  resource("/ganeti-ts/1/nodes/{node}/command", { POST: command }),
  resource("/ganeti-ts/1/nodes/{node}/file", { PUT: file }),
];
