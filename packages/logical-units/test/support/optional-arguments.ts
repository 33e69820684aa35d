// Arguments of node calls that may be left out or be null, and the opcodes that send them.
import type { NodeBackend } from "@ganeti-ts/node-calls";
import {
  type CatalogEntry,
  catalogEntry,
  DiskOnNode,
  InstanceOnNode,
  NicOnNode,
  nodeCalls,
} from "@ganeti-ts/node-calls/catalog";

type Schema = CatalogEntry["arguments"];

/** Objects of many calls, and those with many parts of their own, by the names under which their parts are listed. */
const objects: ReadonlyMap<Schema, string> = new Map<Schema, string>([
  [DiskOnNode, "disk"],
  [NicOnNode, "nic"],
  [InstanceOnNode, "instance"],
  [nodeCalls.node_verify.arguments, "verification"],
]);

type Note = (path: string) => void;

/** Paths of the optional arguments of all calls: `import_start.options.keyName`, `disk.pci`. */
export function optionalArguments(): ReadonlySet<string> {
  const paths = new Set<string>();
  const note: Note = (path) => paths.add(path);
  for (const [name, call] of Object.entries(nodeCalls)) walk(call.arguments, undefined, name, note);
  for (const [schema, name] of objects) walk(schema, undefined, name, note);
  return paths;
}

/** Notes in `senders` each optional argument that is given, with the first opcode that gives it, as `current` names it. */
export const noting = (
  senders: Map<string, string>,
  current: () => string,
): ((nodes: NodeBackend) => NodeBackend) => {
  const note: Note = (path) => {
    if (!senders.has(path)) senders.set(path, current());
  };
  return (nodes) => ({
    introduce: (node) => nodes.introduce(node),
    call(node, name, args, caller) {
      walk(catalogEntry(name).arguments, args, name, note);
      return nodes.call(node, name, args, caller);
    },
  });
};

interface Definition {
  readonly type: string;
  readonly innerType: Schema;
  readonly shape: Readonly<Record<string, Schema>>;
  readonly element: Schema;
  readonly valueType: Schema;
  readonly options: readonly Schema[];
}
const definition = (schema: Schema) =>
  (schema as unknown as { readonly _zod: { readonly def: Definition } })._zod.def;

/** Follows the schema, all of it without a value, else as far as the value goes. */
function walk(schema: Schema, value: unknown, path: string, note: Note): void {
  const name = objects.get(schema);
  if (name === undefined || path === name) walkParts(schema, value, path, note);
  else if (value !== undefined) walk(schema, value, name, note);
}

function walkParts(schema: Schema, value: unknown, path: string, note: Note): void {
  const { type, innerType, shape, element, valueType, options } = definition(schema);
  const isListing = value === undefined;
  if (type === "optional" || type === "nullable") {
    if (isListing || value !== null) note(path);
    if (value !== null) walk(innerType, value, path, note);
  } else if (type === "readonly") {
    walkParts(innerType, value, path, note);
  } else if (type === "object") {
    for (const [key, part] of Object.entries(shape)) {
      const one = isListing ? undefined : (value as Record<string, unknown>)[key];
      if (isListing || one !== undefined) walk(part, one, `${path}.${key}`, note);
    }
  } else if (type === "array" || type === "record") {
    const items = isListing ? [undefined] : Object.values(value as object);
    for (const item of items) walk(type === "array" ? element : valueType, item, path, note);
  } else if (type === "union") {
    for (const option of options) {
      if (isListing || option.safeParse(value).success) walk(option, value, path, note);
    }
  }
}
