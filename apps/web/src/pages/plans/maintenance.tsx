/** Page for the maintenance of nodes: the moves in their order, instances that cannot move, and the jobs. */
import type { EvacuationPlan } from "@ganeti-ts/rapi-client";
import { linkTo, replaceArgs, useAddress } from "../../address.js";
import { numbers, texts, textsOrNull } from "../../api/fields.js";
import { type LiveEvent, useLive } from "../../api/live.js";
import { ask, query } from "../../api/server.js";
import { hasEnded, type Me } from "../../api/shapes.js";
import { ChoiceField, TextField } from "../../parts/field.js";
import { Notice, PageHeading, Unread } from "../../parts/notice.js";
import { ObjectActions } from "../../parts/object-actions.js";
import { Role, roleText } from "../../parts/role.js";
import { Table } from "../../parts/table.js";
import "../../styles/plans.css";
import { maintenanceActions } from "../nodes/node-actions.js";
import { scopeOf, scopes } from "./evacuation.js";
import { EvacuationView } from "./evacuation-view.js";
import { NodeChoice } from "./node-choice.js";
import { PlanCard } from "./plan-card.js";
import { RunCard } from "./run-card.js";
import { SubmitPlan } from "./submit-plan.js";
import { type Planning, usePlan } from "./use-plan.js";
import { type Run, useRun } from "./use-run.js";

const fields = {
  ...texts("name", "group", "role"),
  // Null if the node does not answer.
  ...textsOrNull("bootid"),
  ...numbers("pinst_cnt", "sinst_cnt"),
};
export type NodeState = Readonly<typeof fields>;

const concerns = (event: LiveEvent): boolean => event.topic !== "job" || hasEnded(event.status);

/** Hook: the question in the URL, limited to existing nodes. */
function useQuestion(nodes: readonly NodeState[] | undefined) {
  const address = useAddress();
  const named = (address.args.get("nodes") ?? "").split(",").filter(Boolean);
  const known = new Set(nodes?.map(({ name }) => name));
  const limit = address.args.get("limit") ?? "2";
  return {
    address,
    limit,
    atOnce: /^[1-9]\d{0,2}$/.test(limit) ? Number(limit) : undefined,
    scope: scopeOf(address.args.get("scope")),
    chosen: named.filter((name) => known.has(name)),
    unknown: nodes === undefined ? [] : named.filter((name) => !known.has(name)),
  };
}

type Question = ReturnType<typeof useQuestion>;

export default function MaintenancePage({ me }: { readonly me: Me }) {
  const { value: nodes, problem } = useLive("maintenance", concerns, () => query("node", fields));
  const question = useQuestion(nodes);
  const { chosen, scope, address, unknown } = question;
  const run = useRun(() => planning.again());
  const isPlanned = chosen.length > 0 && run.ids.length === 0;
  const planning = usePlan(isPlanned ? JSON.stringify([chosen, scope]) : undefined, (signal) =>
    ask<EvacuationPlan>("POST", "/ganeti-ts/1/evacuation", { nodes: chosen, scope }, signal),
  );
  if (nodes === undefined) return <Unread problem={problem} />;
  return (
    <>
      <PageHeading
        title="Maintenance"
        says="The address of this page keeps the choice, and the jobs that run."
        problem={problem}
      />
      {unknown.length > 0 && (
        <Notice kind="warning">There is no node {unknown.join(", ")}: it is left out.</Notice>
      )}
      <NodeChoice
        nodes={nodes}
        chosen={new Set(chosen)}
        onChange={(names) => replaceArgs(address, { nodes: names.join(","), jobs: "" })}
      />
      {chosen.length > 0 && (
        <ChosenNodes nodes={nodes.filter(({ name }) => chosen.includes(name))} me={me} />
      )}
      {run.ids.length > 0 ? (
        <RunCard
          ids={run.ids}
          me={me}
          done="All moves are done. Power cycle the nodes or work on them, then bring them back and balance the group."
          onClose={run.close}
        />
      ) : chosen.length === 0 ? (
        <p class="card empty">Choose nodes to see what would move.</p>
      ) : (
        <EvacuationCard {...{ question, planning, run, me }} />
      )}
    </>
  );
}

function ChosenNodes({ nodes, me }: { readonly nodes: readonly NodeState[]; readonly me: Me }) {
  const open = nodes.filter(({ role }) => role !== "D" && role !== "O" && role !== "M");
  const master = nodes.find(({ role }) => role === "M");
  const groups = [...new Set(nodes.map(({ group }) => group))];
  return (
    <>
      <Table
        title="Chosen nodes"
        note={<p>{nodes.length}</p>}
        heads={["Node", "Role", "Answers", "Primary", "Secondary"]}
        rows={nodes.map(({ name, role, bootid, pinst_cnt, sinst_cnt }) => [
          <a href={linkTo(["nodes", name])}>{name}</a>,
          <Role of={role} />,
          bootid === null ? (
            <span class="status bad">no</span>
          ) : (
            <span class="status good">yes</span>
          ),
          String(pinst_cnt),
          String(sinst_cnt),
        ])}
      />
      <ObjectActions
        actions={maintenanceActions}
        noun="node"
        names={nodes.map(({ name }) => name)}
        me={me}
      />
      {open.length > 0 && (
        <Notice kind="warning">
          {open.length === 1 ? `${open[0]?.name} is` : `${open.length} of them are`} not drained:
          new instances may still be placed there. Drain first, or hold creations with a filter
          rule.
        </Notice>
      )}
      {master && (
        <Notice kind="warning">
          {master.name} is the {roleText("M")}: run gnt-cluster master-failover on a candidate
          before it is switched off.
        </Notice>
      )}
      <p class="small">
        Afterwards:{" "}
        {groups.map((group) => (
          <a key={group} href={linkTo(["balance"], { group })}>
            balance {group}{" "}
          </a>
        ))}
      </p>
    </>
  );
}

function EvacuationCard(props: {
  readonly question: Question;
  readonly planning: Planning<EvacuationPlan>;
  readonly run: Run;
  readonly me: Me;
}) {
  const { question, planning, run, me } = props;
  const { address, chosen, scope, limit, atOnce } = question;
  const { plan } = planning;
  const fault = atOnce === undefined ? "A number from 1 to 999" : undefined;
  return (
    <PlanCard planning={planning}>
      <div class="options">
        <ChoiceField
          label="What leaves the nodes"
          value={scope}
          choices={scopes}
          onChange={(value) => replaceArgs(address, { scope: value })}
        />
        <TextField
          label="Jobs at the same time"
          value={limit}
          fault={fault}
          hint="More are quicker, and load the network more"
          onChange={(value) => replaceArgs(address, { limit: value })}
        />
      </div>
      {plan && (
        <>
          <SubmitPlan
            count={plan.moves.length}
            fault={fault && "Give the number of jobs first"}
            run={run}
            me={me}
            onSubmit={() => run.submit(plan.jobs, `maintenance of ${chosen.join(", ")}`, atOnce)}
          />
          <EvacuationView
            plan={plan}
            onRound={(nodes) => replaceArgs(address, { nodes: nodes.join(",") })}
          />
        </>
      )}
    </PlanCard>
  );
}
