/** remoteOrigin: a running cluster as its remote API shows it; only reads, and starts no job. */
import { FilterRule, parseJson, type RapiNode } from "@ganeti-ts/protocol";
import { openRapi, type Rapi, RapiError } from "@ganeti-ts/rapi-client";
import * as z from "zod";
import {
  type Figures,
  type MachineFigures,
  type Making,
  TwinError,
  type TwinOrigin,
} from "./origin.js";
import type { RemoteAccess, RemoteCluster } from "./remote-cluster.js";
import { contentOfRemote } from "./remote-content.js";

/** @throws TwinError with the reason of the remote API */
export async function remoteOrigin(
  url: string,
  access: RemoteAccess,
  making: Making,
): Promise<TwinOrigin> {
  return orTwinError(async () => {
    const rapi = openRapi({ url, ...access });
    const [info, groups, nodes, instances, networks] = await Promise.all([
      rapi.info(),
      rapi.groups.list(),
      rapi.nodes.list(),
      rapi.instances.list(),
      rapi.networks.list(),
    ]);
    const filters = await rulesOf(rapi);
    const remote = { info, groups, nodes, instances, networks };
    return {
      content: contentOfRemote(remote, making),
      filters,
      figures: figuresIn(remote),
      systems: [],
      remarks: [],
    };
  });
}

/** Filter rules; none for versions without them. Their times have more digits than a JavaScript number holds. */
async function rulesOf(rapi: Rapi): Promise<readonly FilterRule[]> {
  try {
    const body = await rapi.read("/2/filters", { query: { bulk: 1 } });
    const rules = z.array(FilterRule).safeParse(parseJson(new TextDecoder().decode(body)));
    if (rules.success) return rules.data;
    throw new TwinError(`the filter rules cannot be read: ${z.prettifyError(rules.error)}`);
  } catch (error) {
    if (error instanceof RapiError && error.status === 404) return [];
    throw error;
  }
}

/** The figures alone. @throws TwinError */
export const remoteFigures = (url: string, access: RemoteAccess): Promise<Figures> =>
  orTwinError(async () => {
    const rapi = openRapi({ url, ...access });
    const [nodes, instances] = await Promise.all([rapi.nodes.list(), rapi.instances.list()]);
    return figuresIn({ nodes, instances });
  });

/** Converts errors of the remote API, whose messages contain no passwords. */
async function orTwinError<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof RapiError)) throw error;
    throw new TwinError(error.message, { cause: error });
  }
}

function figuresIn({ nodes, instances }: Pick<RemoteCluster, "nodes" | "instances">): Figures {
  const machines = new Map<string, MachineFigures | "silent">();
  for (const node of nodes) {
    if (node.offline || !node.vm_capable) continue;
    machines.set(node.name, machineOf(node));
  }
  const real = instances.filter(({ forthcoming }) => forthcoming !== true);
  return {
    machines,
    instances: new Map(
      real.map(({ name, status, oper_ram, oper_vcpus, beparams }) => [
        name,
        {
          status,
          memoryMib: typeof oper_ram === "number" ? oper_ram : beparams.maxmem,
          vcpus: oper_vcpus ?? beparams.vcpus,
        },
      ]),
    ),
  };
}

function machineOf(node: RapiNode): MachineFigures | "silent" {
  const { mtotal, mnode, mfree, ctotal, cnos, cnodes, csockets } = node;
  const { dtotal, dfree, sptotal, spfree } = node;
  if (typeof mtotal !== "number" || typeof mfree !== "number") return "silent";
  return {
    memoryTotalMib: mtotal,
    memoryNodeMib: mnode ?? 0,
    memoryFreeMib: mfree,
    cpuTotal: ctotal ?? 0,
    cpuNode: cnos ?? 0,
    ...(typeof cnodes === "number" && { cpuNodes: cnodes }),
    ...(typeof csockets === "number" && { cpuSockets: csockets }),
    ...(typeof dtotal === "number" && { diskTotalMib: dtotal }),
    ...(typeof dfree === "number" && { diskFreeMib: dfree }),
    ...(typeof sptotal === "number" && { spindleTotal: sptotal }),
    ...(typeof spfree === "number" && { spindleFree: spfree }),
  };
}
