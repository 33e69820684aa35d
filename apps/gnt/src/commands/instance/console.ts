/** `gnt-instance console`: connects to the console of an instance, or shows its address. */
import { spawn } from "node:child_process";
import type { JsonObject } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { execError, prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { quotedWord } from "../../parsing/shell-words.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, cluster, out } = invocation;
  const [name = ""] = args;
  const filter = ["|", ["==", "name", name], ["==", "uuid", name]] as const;
  const { data } = await cluster.query("instance", ["console", "oper_state"], filter);
  const [row] = data;
  if (row === undefined) {
    throw prereqError(`Instance '${name}' does not exist`, "unknown_entity");
  }
  const [console, runs] = row.map(([, value]) => value);
  if (!console) {
    throw execError(
      runs
        ? `Console information for instance ${name} is unavailable`
        : `Instance ${name} is not running, can't get console`,
    );
  }
  const access = console as JsonObject;
  out.document(access);
  if (access.kind !== "ssh") {
    out.line(consoleText(access));
    return 0;
  }
  const { name: clusterName } = await cluster.info();
  const words = sshWords(access, String(clusterName));
  if (options.flag("show-cmd") || out.json) {
    out.line(words.map(quotedWord).join(" "));
    return 0;
  }
  await connected(words, String(access.instance));
  return 0;
}

/** Address of a console for another program. @throws GanetiError for unknown kinds */
function consoleText(access: JsonObject): string {
  const { kind, message, instance, host, port, display } = access;
  switch (kind) {
    case "msg":
      return String(message);
    case "vnc":
      return (
        `Instance ${instance} has VNC listening on ${host}:${port} (display ${display}),` +
        ` URL <vnc://${host}:${port}/>`
      );
    case "spice":
      return `Instance ${instance} has SPICE listening on ${host}:${port}`;
    default:
      throw execError(`Unknown console type '${kind}'`);
  }
}

/** The host keys of all nodes are registered under the name of the cluster. */
function sshWords(access: JsonObject, clusterName: string): string[] {
  const { host, user, command, port } = access;
  const remote = Array.isArray(command) ? command.map(String).map(quotedWord).join(" ") : command;
  return [
    ...["ssh", "-oEscapeChar=none", "-oHashKnownHosts=no"],
    "-oGlobalKnownHostsFile=/var/lib/ganeti/known_hosts",
    ...["-oUserKnownHostsFile=/dev/null", "-oCheckHostIp=no", "-oConnectTimeout=10"],
    `-oHostKeyAlias=${clusterName}`,
    ...(port == null ? [] : [`-oPort=${port}`]),
    ...["-oBatchMode=yes", "-oStrictHostKeyChecking=yes", "-4", "-t", "-t"],
    `${user}@${host}`,
    String(remote),
  ];
}

/** Hands over the terminal until the console is left. @throws GanetiError */
async function connected([program = "", ...words]: readonly string[], name: string): Promise<void> {
  const code = await new Promise<number | null>((resolve, reject) => {
    const console = spawn(program, words, { stdio: "inherit" });
    console.on("error", reject);
    console.on("close", resolve);
  }).catch(() => null);
  if (code === 0) return;
  throw execError(
    `Connection to console of instance ${name} failed, please check cluster configuration`,
  );
}
