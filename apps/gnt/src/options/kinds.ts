/** Options by the type of their values. Source of the types: `Option.type`. */
import type { Option } from "../command.js";

/** Rarer properties of an option. */
type More = Omit<Option, "name" | "type" | "placeholder" | "help">;

const ofType =
  (type: Option["type"]) =>
  (name: string, placeholder: string, help: string, more?: More): Option => ({
    name,
    type,
    placeholder,
    help,
    ...more,
  });

export const text = ofType("text");
export const size = ofType("size");
export const number = ofType("number");
export const list = ofType("list");
export const keyValues = ofType("key-values");
export const idKeyValues = ofType("id-key-values");
export const manyIdKeyValues = ofType("many-id-key-values");
export const json = ofType("json");

export const flag = (name: string, help: string, more?: More): Option => ({
  name,
  type: "flag",
  help,
  ...more,
});

export const yesNo = (name: string, help: string, more?: More): Option => ({
  name,
  type: "yes-no",
  placeholder: "yes|no",
  help,
  ...more,
});

export const integer = (
  name: string,
  help: string,
  more?: More & { readonly placeholder?: string },
): Option => ({ name, type: "integer", placeholder: "N", help, ...more });
