/** View of a plan that empties nodes: moves in order, instances that stay, rounds of reboots, nodes before and after. */
import type { EvacuationPlan } from "@ganeti-ts/rapi-client";
import { linkTo } from "../../address.js";
import { Table } from "../../parts/table.js";
import { ChangeTiles } from "./change-tiles.js";
import { adviceOn } from "./evacuation.js";
import { Places } from "./places.js";

export function EvacuationView(props: {
  readonly plan: EvacuationPlan;
  /** Called with the nodes of a round that the user chooses. */
  readonly onRound: (nodes: readonly string[]) => void;
}) {
  const { plan, onRound } = props;
  return (
    <>
      {plan.stuck.length > 0 && <Stuck plan={plan} />}
      {plan.moves.length === 0 ? (
        <p>
          {plan.stuck.length === 0 ? "The nodes are empty: nothing has to move." : "Nothing moves."}
        </p>
      ) : (
        <Table
          title="Moves, in this order"
          note={<p>{plan.moves.length}</p>}
          heads={["No.", "Instance", "From", "To"]}
          rows={plan.moves.map(({ instance, from, to }, at) => [
            String(at + 1),
            <a href={linkTo(["instances", instance])}>{instance}</a>,
            <Places of={from} />,
            <Places of={to} />,
          ])}
        />
      )}
      {(plan.rounds.length > 1 || plan.no_rounds !== null) && (
        <Rounds plan={plan} onRound={onRound} />
      )}
      {plan.moves.length > 0 && <ChangeTiles before={plan.before} after={plan.after} />}
    </>
  );
}

const Stuck = ({ plan }: { readonly plan: EvacuationPlan }) => (
  <Table
    title="What cannot move"
    note={
      <p>
        <span class="status bad">
          {plan.stuck.length} {plan.stuck.length === 1 ? "instance stays" : "instances stay"}
        </span>
      </p>
    }
    heads={["Instance", "Why, and what to do"]}
    rows={plan.stuck.map(({ instance, reason }) => [
      <a href={linkTo(["instances", instance])}>{instance}</a>,
      <>
        {reason}
        {adviceOn(reason) && <div class="small">{adviceOn(reason)}</div>}
      </>,
    ])}
  />
);

function Rounds({ plan, onRound }: Parameters<typeof EvacuationView>[0]) {
  return (
    <section class="card" aria-label="Rounds of reboots">
      <div class="heading">
        <h2>Rounds of reboots</h2>
        <p>nodes that may be away at the same time</p>
      </div>
      {plan.no_rounds !== null && <p>{plan.no_rounds}</p>}
      <ol class="rounds">
        {plan.rounds.map((round, at) => (
          <li key={round.join()}>
            <span class="grow">{round.map((name) => name.split(".")[0]).join(", ")}</span>
            <button type="button" onClick={() => onRound(round)}>
              Plan round {at + 1}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
