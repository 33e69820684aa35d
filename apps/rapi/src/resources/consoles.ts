/** `/ganeti-ts/1/instances/…/console`: a one-time token for the WebSocket of a console. */
import type { Json } from "@ganeti-ts/protocol";
import * as z from "zod";
import { type ConsoleInstance, type ConsoleKind, consolePath } from "../console/consoles.js";
import { tokenMs } from "../console/tokens.js";
import { HttpFault } from "../http/fault.js";
import type { World } from "../world.js";
import { checkedBody } from "./checked-body.js";
import { queryOne } from "./queries.js";
import { type Resource, resource } from "./resource.js";

const Kind = z.enum(["vnc", "serial"]);

const Wanted = z.object({
  /** The instance's usual console if absent. */
  kind: Kind.optional(),
  /** VNC password, where the server has none. */
  password: z.string().max(64).optional(),
});

const Granted = z.object({
  instance: z.string(),
  kind: Kind,
  /** All consoles of the instance, the usual one first. */
  kinds: z.array(Kind),
  /** For the WebSocket at `path`, as its second subprotocol; the first is `ganeti-console`. */
  token: z.string(),
  path: z.string(),
  /** Seconds for which the token is valid. */
  expires: z.number(),
});

export const consoleResources: readonly Resource[] = [
  resource("/ganeti-ts/1/instances/{instance}/console", {
    POST: {
      summary: "A token that opens the instance's console once, by a WebSocket",
      access: "write",
      body: Wanted,
      answer: Granted,
      handle: async ({ names, body, user }, world) => {
        const { kind, password } = checkedBody(Wanted, body ?? {});
        const instance = await runningInstance(world, names.instance as string);
        const kinds = world.consoles.kindsOf(instance);
        const chosen = kind ?? kinds[0];
        if (chosen === undefined || !kinds.includes(chosen)) {
          throw new HttpFault(503, refusalOf(instance, chosen, kinds));
        }
        const token = world.consoleTokens.issue({
          ...{ user: user?.name ?? "", instance, kind: chosen, password },
        });
        await world.record("console", { object: instance.name, done: true, text: chosen });
        const expires = tokenMs / 1000;
        return {
          ...{ instance: instance.name, kind: chosen, kinds: [...kinds] },
          ...{ token, path: consolePath, expires },
        };
      },
    },
  }),
];

function refusalOf(
  { name, console }: ConsoleInstance,
  kind: ConsoleKind | undefined,
  kinds: readonly ConsoleKind[],
): string {
  if (kinds.length > 0) return `${name} has no console of kind ${kind}, but ${kinds.join(" and ")}`;
  if (console.kind === "spice") {
    return `The console of ${name} speaks SPICE at ${console.host}:${console.port}, which this server does not`;
  }
  return `${name} has no console: ${console.message ?? "its hypervisor offers none"}`;
}

/** @throws HttpFault 404, or 503 if it does not run */
async function runningInstance(world: World, name: string): Promise<ConsoleInstance> {
  const fields = [
    ...["name", "pnode", "os", "oper_state", "console", "network_port", "hvparams"],
    ...["be/memory", "be/vcpus"],
  ];
  const found = await queryOne(world, "instance", name, fields).catch((error: unknown) => {
    const isUnknown = error instanceof HttpFault && error.status === 404;
    throw isUnknown ? new HttpFault(404, `There is no instance ${name}`) : error;
  });
  if (found.oper_state !== true || found.console === null) {
    throw new HttpFault(503, `${name} does not run: start it first`);
  }
  const node = await queryOne(world, "node", String(found.pnode), ["pip", "ndp/ssh_port"]);
  return {
    name,
    node: String(found.pnode),
    nodeAddress: String(node.pip),
    sshPort: Number(node["ndp/ssh_port"] ?? 22),
    clusterName: String((world.objects.info() as { name?: Json }).name),
    os: String(found.os),
    memoryMib: Number(found["be/memory"] ?? 0),
    vcpus: Number(found["be/vcpus"] ?? 0),
    hvparams: (found.hvparams ?? {}) as Readonly<Record<string, unknown>>,
    networkPort: typeof found.network_port === "number" ? found.network_port : null,
    console: found.console as Readonly<Record<string, unknown>>,
  };
}
