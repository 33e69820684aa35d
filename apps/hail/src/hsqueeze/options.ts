/** Options that only hsqueeze has. */
import { readFloat } from "@ganeti-ts/htools";
import { type Option, reads } from "../option.js";
import type { HsqueezeSettings } from "./settings.js";

export const minimalResources: Option<HsqueezeSettings> = {
  long: "minimal-resources",
  argument: { name: "FACTOR" },
  completes: "float",
  description:
    "minimal resources to be present on each in multiples of the standard allocation for not " +
    "onlining standby nodes",
  apply: reads("minimalResources", (text) => readFloat(text, "minimal resources")),
};

export const targetResources: Option<HsqueezeSettings> = {
  long: "target-resources",
  argument: { name: "FACTOR" },
  completes: "float",
  description:
    "target resources to be left on each node after squeezing in multiples of the standard " +
    "allocation",
  apply: reads("targetResources", (text) => readFloat(text, "target resources")),
};
