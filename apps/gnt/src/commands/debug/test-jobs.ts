/** gnt-debug delay and test-osparams: jobs without effect. */
import { prereqError } from "../../errors.js";
import { runs } from "../../jobs/follow.js";

export const delay = runs(({ args: [given = ""], options }) => {
  const duration = Number(given);
  if (given.trim() === "" || Number.isNaN(duration)) {
    throw prereqError(`could not convert string to float: '${given}'`);
  }
  return {
    OP_ID: "OP_TEST_DELAY",
    duration,
    on_master: !options.flag("no-master"),
    on_nodes: options.texts("nodes"),
    repeat: options.integer("repeat") ?? 0,
    interruptible: options.flag("interruptible"),
    no_locks: options.flag("no-locks"),
  };
});

export const testOsParameters = runs(({ options }) => ({
  OP_ID: "OP_TEST_OS_PARAMS",
  osparams_secret: options.keyValues("os-parameters-secret") ?? {},
}));
