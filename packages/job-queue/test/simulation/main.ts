// Many runs: `pnpm simulate --from=1 --count=1000`. One run, for a look at it: `pnpm simulate --from=SEED --count=1`.
import { runSeeds } from "@ganeti-ts/testkit/simulation";
import { simulate } from "./simulate.js";

await runSeeds("@ganeti-ts/job-queue", {}, async (seed) => {
  const { violation, jobCount, counts, virtualMs } = await simulate(seed);
  const virtualHours = virtualMs / 3.6e6;
  return { broken: violation?.message, counts: { jobs: jobCount, ...counts, virtualHours } };
});
