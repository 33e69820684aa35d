/** Query fields common to all objects of the configuration. */
import { type Field, field } from "./field.js";

interface ConfigurationObject {
  readonly uuid: string;
  readonly serial_no?: number | null | undefined;
  readonly ctime?: number | null | undefined;
  readonly mtime?: number | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
}

/**
 * `title` is the object's name in descriptions: `Instance`. Times are seconds since the epoch, 0 if unknown.
 */
export function commonFields<Item extends ConfigurationObject>(title: string): Field<Item>[] {
  return [
    field(["ctime", "CTime", "timestamp", "Creation timestamp"], ({ ctime }) => ctime ?? 0),
    field(["mtime", "MTime", "timestamp", "Modification timestamp"], ({ mtime }) => mtime ?? 0),
    field(["uuid", "UUID", "text", `${title} UUID`], ({ uuid }) => uuid),
    field(
      [
        "serial_no",
        "SerialNo",
        "number",
        `${title} object serial number, incremented on each modification`,
      ],
      ({ serial_no }) => serial_no ?? 0,
    ),
    field(["tags", "Tags", "other", "Tags"], ({ tags }) => tags ?? []),
  ];
}
