/** Arguments for any node call in which every text is hostile, generated from the schema of the call. */
import type { NodeCallName } from "@ganeti-ts/node-calls";
import { catalogEntry } from "@ganeti-ts/node-calls/catalog";

/** The parts of a JSON schema that are used here. */
interface Schema {
  readonly def: {
    readonly type: string;
    readonly innerType?: Schema;
    readonly element?: Schema;
    readonly valueType?: Schema;
    readonly in?: Schema;
    readonly shape?: Readonly<Record<string, Schema>>;
    readonly options?: readonly Schema[];
    readonly items?: readonly Schema[];
    readonly entries?: Readonly<Record<string, unknown>>;
    readonly values?: readonly unknown[];
    readonly getter?: () => Schema;
  };
}

/** Value of a text by the name of its field. */
export type TextFor = (field: string) => string;

interface Making {
  readonly text: TextFor;
  /** Index of the alternative that unions use; the last one if there are fewer. */
  readonly alternative: number;
  /** Remaining depth to which lists and optional parts are filled, because disks contain disks. */
  readonly depth: number;
}

function made(schema: Schema, field: string, making: Making): unknown {
  const { def } = schema;
  const { text, alternative, depth } = making;
  const inner = (other: Schema | undefined, name = field): unknown =>
    other === undefined ? null : made(other, name, { ...making, depth: depth - 1 });
  switch (def.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(def.shape ?? {}).map(([key, value]) => [key, inner(value, key)]),
      );
    case "array":
      return depth < 0 ? [] : [inner(def.element)];
    case "tuple":
      return (def.items ?? []).map((item) => inner(item));
    case "record":
      return { [text(field)]: inner(def.valueType) };
    case "union": {
      const options = def.options ?? [];
      return inner(options[Math.min(alternative, options.length - 1)]);
    }
    case "enum":
      return Object.values(def.entries ?? {})[0];
    case "literal":
      return def.values?.[0];
    case "optional":
      return depth < 0 ? undefined : inner(def.innerType);
    case "nullable":
    case "readonly":
    case "default":
    case "nonoptional":
      return inner(def.innerType);
    case "pipe":
      return inner(def.in);
    case "lazy":
      return text(field);
    case "number":
    case "int":
      return 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return text(field);
  }
}

export const hostileArguments = (name: NodeCallName, text: TextFor, alternative: number): unknown =>
  made(catalogEntry(name).arguments as unknown as Schema, name, { text, alternative, depth: 8 });
