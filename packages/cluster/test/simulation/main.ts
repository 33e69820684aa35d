// Command line of the simulation. Many runs: `pnpm simulate --from=1 --count=1000`; a single run: `--from=SEED --count=1`.
import { runSeeds } from "@ganeti-ts/testkit/simulation";
import { simulate } from "./simulate.js";
import { fewNodes } from "./start.js";

await runSeeds("@ganeti-ts/cluster", { nodes: fewNodes }, async (seed, { nodes }) => {
  const { violation, counts } = await simulate(seed, { nodeCount: nodes });
  return { broken: violation && `${violation.invariant}: ${violation.what}`, counts };
});
