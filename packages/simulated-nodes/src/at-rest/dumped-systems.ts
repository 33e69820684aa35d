/** DumpedSystems: systems that instances have from exports, noted while their dumps are written and read. */
import type {
  DiskOnNode,
  NodeBackend,
  NodeCallArguments,
  NodeCallName,
} from "@ganeti-ts/node-calls";
import type { RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { systemOf } from "../instance-operations.js";
import type { SimulatedNodes } from "../simulated-nodes.js";

type First = Pick<DiskOnNode, "dev_type" | "logical_id">;
type Started = NodeCallArguments<"import_start">;

/** Sees all calls to nodes: which dumps are written of which instances, and which instances read them. */
export class DumpedSystems {
  /** By the UUID of the first disk, which is the name of its dump. */
  readonly #ofDumps: Map<string, string>;
  readonly #ofImported: Map<string, string>;

  /** @param from what was seen before; it is copied */
  constructor(from?: DumpedSystems) {
    this.#ofDumps = new Map(from ? from.#ofDumps : []);
    this.#ofImported = new Map(from ? from.#ofImported : []);
  }

  /** The nodes, with each call noted. */
  nodes(inner: NodeBackend): NodeBackend {
    return {
      introduce: (node) => inner.introduce(node),
      call: (node, name, args, caller) => {
        this.sees(name, args);
        return inner.call(node, name, args, caller);
      },
    };
  }

  sees(name: NodeCallName, args: object): void {
    if (name !== "import_start" && name !== "export_start") return;
    const { instance, component, end } = args as Started;
    if (component !== "disk0" || end.kind !== "file") return;
    const dump = end.path.slice(end.path.lastIndexOf("/") + 1);
    const [first] = instance.disks;
    if (name === "export_start") this.#ofImported.set(instance.uuid, this.#ofDumps.get(dump) ?? "");
    else this.#ofDumps.set(dump, this.#systemOf(instance.uuid, first));
  }

  /** The system that the instance has had since it was made. */
  readonly of = (instance: RealInstance, first: RealDisk): string =>
    this.#systemOf(instance.uuid, first);

  /** Adopted devices had theirs before: named by the path. */
  #systemOf(uuid: string, first: First | undefined): string {
    if (first?.dev_type === "blockdev") return systemOf(String(first.logical_id[1]));
    return this.#ofImported.get(uuid) ?? systemOf(uuid);
  }

  /** Exports without the system of their instance, as texts; without those of instances with these names. */
  lostExports(
    simulated: SimulatedNodes,
    nodes: Iterable<string>,
    except: ReadonlySet<string> = new Set(),
  ): readonly string[] {
    const faults: string[] = [];
    for (const node of nodes) {
      const { exports = {}, name: host } = simulated.stateOf(node) ?? {};
      for (const [name, { description, images }] of Object.entries(exports)) {
        const dump = description.instance?.disk0_dump;
        if (dump === undefined || except.has(name)) continue;
        const found = images?.[dump];
        if (found !== undefined && found === this.#ofDumps.get(dump)) continue;
        faults.push(`the export of ${name} on ${host} contains ${found ?? "nothing"}`);
      }
    }
    return faults;
  }
}
