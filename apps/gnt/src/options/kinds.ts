/** Options by the kind of their values. */
import type { Option } from "../command.js";

export const flag = (name: string, help: string): Option => ({ name, type: "flag", help });

export const text = (name: string, placeholder: string, help: string): Option => ({
  name,
  type: "text",
  placeholder,
  help,
});

export const yesNo = (name: string, help: string): Option => ({
  name,
  type: "yes-no",
  placeholder: "yes|no",
  help,
});

export const integer = (name: string, help: string): Option => ({
  name,
  type: "integer",
  placeholder: "N",
  help,
});
