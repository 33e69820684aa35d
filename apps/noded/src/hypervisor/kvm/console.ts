/** Consoles of instances under KVM. */
import { isIP } from "node:net";
import type { Console, ConsoleRequest } from "@ganeti-ts/node-calls";
import { shellQuoted } from "../../machine/runner.js";
import { shipped } from "../../machine/shipped.js";
import { vncDisplay } from "./display.js";
import type { KvmFiles } from "./files.js";
import { flag, text } from "./parameters.js";

const wrapper = shipped("programs/kvm-console-wrapper");
export const socatProgram = "/usr/bin/socat";

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** Port of the node's ssh server, from the parameters of the node or its group. */
export function sshPort({ node, group }: ConsoleRequest): number {
  for (const { ndparams } of [node, group]) {
    const port = objectOf(ndparams).ssh_port;
    if (typeof port === "number") return port;
  }
  return 22;
}

export function consoleOf(files: KvmFiles, request: ConsoleRequest): Console {
  const { instance, node, hvparams } = request;
  const name = String(instance.name);
  const { monitor, serial } = files.of(name);
  if (flag(hvparams, "serial_console")) {
    return {
      ...{ instance: name, kind: "ssh", host: String(node.name), port: sshPort(request) },
      user: "root",
      command: [
        ...[wrapper, socatProgram, shellQuoted(name), shellQuoted(monitor)],
        ...["STDIO,raw,echo=0,escape=0x1d", `UNIX-CONNECT:${serial}`],
      ],
    };
  }
  const port = typeof instance.network_port === "number" ? instance.network_port : null;
  const vnc = text(hvparams, "vnc_bind_address");
  const display = vncDisplay(port);
  if (vnc !== "" && display !== null && port !== null && isIP(vnc) !== 0) {
    return { instance: name, kind: "vnc", host: vnc, port, display };
  }
  const spice = text(hvparams, "spice_bind");
  if (spice !== "" && port !== null) return { instance: name, kind: "spice", host: spice, port };
  return { instance: name, kind: "msg", message: `No serial shell for instance ${name}` };
}
