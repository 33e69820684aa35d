// Random tests make the same choices in each run, so that none of them fails by chance: `FAST_CHECK_SEED=7` makes others,
// and `FAST_CHECK_SEED=random` new ones each time.
import { env } from "node:process";
import { endFile } from "@ganeti-ts/testkit";
import { configureGlobal } from "fast-check";
import { afterAll } from "vitest";

const { FAST_CHECK_SEED: seed = "1" } = env;
configureGlobal({ seed: seed === "random" ? Date.now() : Number(seed) });

afterAll(endFile);
