/**
 * A line of JavaScript that a program begins with; Node 24 would not know the settings.
 *
 * V8 begins with little room for new values: room that grows by four instead of two saves time to
 * all programs. And it optimises functions that have run for a while. hail is over after a tenth of
 * a second, when most optimising is not repaid: with a budget six times as large it needs a sixth
 * less time for 400 nodes. hbal and hspace, which compute for longer, need a quarter less without,
 * and optimise sooner where less is drawn into each function.
 */
export const engineSettings = (program) =>
  `if (process.versions.node.startsWith("20.")) load("node:v8").setFlagsFromString("${flags(program)}");`;

const flags = (program) =>
  program === "hail"
    ? "--semi-space-growth-factor=4 --interrupt-budget=400000"
    : "--semi-space-growth-factor=4 --max-inlined-bytecode-size-cumulative=300";
