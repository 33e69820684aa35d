/** Values as texts in the output of `gnt-instance info`. */
import { type Json, pythonText } from "@ganeti-ts/protocol";
import { roman } from "../../roman.js";

/** The text of a value; numbers may be Roman. */
export type Shown = (value: Json | undefined) => string;

/** With `isRoman`, whole numbers that have a Roman form are written in it. */
export const shownBy =
  (isRoman: boolean): Shown =>
  (value = null) =>
    (isRoman && typeof value === "number" ? roman(value) : undefined) ?? pythonText(value);
