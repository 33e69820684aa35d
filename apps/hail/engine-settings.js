/**
 * A line of JavaScript that a program begins with; Node 24 would not know the settings.
 *
 * V8 optimises functions that have run for a while. hail is over after a tenth of a second, when most
 * optimising is not repaid: with a budget six times as large it needs no longer, and two thirds of the
 * processor's time. The others compute for longer. They optimise sooner where less is drawn into each
 * function, and save time with room for new values that grows by four instead of two.
 */
export const engineSettings = (program) =>
  `if (process.versions.node.startsWith("20.")) load("node:v8").setFlagsFromString("${flags(program)}");`;

const flags = (program) =>
  program === "hail"
    ? "--interrupt-budget=400000"
    : "--semi-space-growth-factor=4 --max-inlined-bytecode-size-cumulative=300";
