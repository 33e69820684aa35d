/** Power of a node, controlled by its out-of-band program. */
import { useState } from "preact/hooks";
import { submitJobs } from "../../api/jobs.js";
import type { Me } from "../../api/shapes.js";
import { Action, withoutRight } from "../../parts/action.js";
import { Confirm } from "../../parts/confirm.js";
import type { Outcome } from "../../parts/submitted.js";
import { Submitted } from "../../parts/submitted-notice.js";

const commands = [
  ["power-on", "Switch on"],
  ["power-off", "Switch off"],
  ["power-cycle", "Off and on"],
] as const;

type Command = (typeof commands)[number];

export function Power(props: {
  readonly name: string;
  /** Null if no out-of-band program is configured. */
  readonly powered: boolean | null;
  readonly me: Me;
}) {
  const { name, powered, me } = props;
  const [asked, setAsked] = useState<Command>();
  const [outcome, setOutcome] = useState<Outcome>();
  const off =
    withoutRight(me, "full") ??
    (powered === null
      ? "No out-of-band program is set: gnt-group modify --node-parameters oob_program=… sets one"
      : undefined);
  const run = (command: string) => {
    setOutcome(undefined);
    return submitJobs([[{ OP_ID: "OP_OOB_COMMAND", node_names: [name], command }]]).then(
      ({ ids, refusals }) => setOutcome({ jobs: ids, failures: refusals }),
      (error: Error) => setOutcome({ jobs: [], failures: [error.message] }),
    );
  };
  return (
    <section class="card" aria-label="Power">
      <div class="heading">
        <h2>Power</h2>
        <p>{powered === null ? "unknown" : powered ? "thought to be on" : "thought to be off"}</p>
      </div>
      <div class="actions">
        {commands.map((command) => (
          <Action key={command[0]} off={off} onClick={() => setAsked(command)}>
            {command[1]}
          </Action>
        ))}
        {off && <small>{off}</small>}
        {outcome && <Submitted outcome={outcome} />}
      </div>
      {asked && (
        <Confirm
          question={
            asked[0] === "power-on"
              ? `${asked[1]}: ${name}?`
              : `${asked[1]}: ${name}? Instances that run there are not shut down.`
          }
          action={asked[1]}
          isDangerous={asked[0] !== "power-on"}
          onAnswer={(word) => {
            setAsked(undefined);
            if (word !== undefined) void run(asked[0]);
          }}
        />
      )}
    </section>
  );
}
