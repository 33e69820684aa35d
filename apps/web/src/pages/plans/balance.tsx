/** Page that balances a node group: each step with the score after it, and the jobs of the steps. */
import type { BalancePlan } from "@ganeti-ts/rapi-client";
import { linkTo, replaceArgs, useAddress } from "../../address.js";
import { numbers, texts } from "../../api/fields.js";
import { useLive } from "../../api/live.js";
import { ask, query } from "../../api/server.js";
import type { Me } from "../../api/shapes.js";
import { ChoiceField, fieldsOf, TextField } from "../../parts/field.js";
import { PageHeading } from "../../parts/notice.js";
import { Table } from "../../parts/table.js";
import "../../styles/plans.css";
import {
  type BalanceForm,
  endTexts,
  faultsOf,
  formIn,
  keeps,
  moveWords,
  questionOf,
} from "./balance-question.js";
import { ChangeTiles } from "./change-tiles.js";
import { Places } from "./places.js";
import { PlanCard } from "./plan-card.js";
import { RunCard } from "./run-card.js";
import { SubmitPlan } from "./submit-plan.js";
import { usePlan } from "./use-plan.js";
import { useRun } from "./use-run.js";

export default function BalancePage({ me }: { readonly me: Me }) {
  const address = useAddress();
  const { value: groups, problem: unread } = useLive("balance", ["config group"], () =>
    query("group", { ...texts("name"), ...numbers("node_cnt") }),
  );
  const inUse = (groups ?? []).filter(({ node_cnt }) => node_cnt > 0).map(({ name }) => name);
  const given = formIn(address.args);
  const form = { ...given, group: given.group || (inUse[0] ?? "") };
  const faults = faultsOf(form);
  const fault = Object.values(faults).find((text) => text !== undefined);
  const run = useRun(() => planning.again());
  const isPlanned = groups !== undefined && fault === undefined && run.ids.length === 0;
  const planning = usePlan(isPlanned ? JSON.stringify(form) : undefined, (signal) =>
    ask<BalancePlan>("POST", "/ganeti-ts/1/balance", questionOf(form), signal),
  );
  const { plan } = planning;
  const title = form.group === "" ? "the cluster" : form.group;
  return (
    <>
      <PageHeading
        title="Balance"
        says="The address of this page keeps the options, and the jobs that run."
        problem={unread}
      />
      <Options
        form={form}
        groups={inUse}
        faults={faults}
        set={(changes) => replaceArgs(address, { ...changes, jobs: "" })}
      />
      {run.ids.length > 0 ? (
        <RunCard ids={run.ids} me={me} done={`${title} is balanced.`} onClose={run.close} />
      ) : (
        <PlanCard planning={planning}>
          {fault && <p class="small">Mend the options above first.</p>}
          {plan && (
            <>
              <Scores plan={plan} />
              <SubmitPlan
                count={plan.steps.length}
                fault={undefined}
                run={run}
                me={me}
                onSubmit={() => run.submit(plan.jobs, `balance of ${title}`)}
              />
              {plan.steps.length > 0 && <Steps plan={plan} />}
              {plan.steps.length > 0 && <ChangeTiles before={plan.before} after={plan.after} />}
            </>
          )}
        </PlanCard>
      )}
    </>
  );
}

function Options(props: {
  readonly form: BalanceForm;
  readonly groups: readonly string[];
  readonly faults: ReturnType<typeof faultsOf>;
  readonly set: (changes: Partial<Record<keyof BalanceForm, string>>) => void;
}) {
  const { form, groups, faults, set } = props;
  const field = fieldsOf(form, set, (key) => faults[key as keyof typeof faults]);
  return (
    <section class="card" aria-label="Options">
      <div class="options">
        <ChoiceField label="Node group" {...field("group")} choices={groups} />
        <ChoiceField label="Moves" {...field("keep")} choices={keeps} />
        <TextField label="Most moves" {...field("moves")} />
      </div>
      <details>
        <summary>More options</summary>
        <div class="options">
          <TextField label="Least gain of a move" {...field("gain")} hint="0.01 unless given" />
          <TextField
            label="Looked at below a score of"
            {...field("gainlimit")}
            hint="0.1 unless given"
          />
          <TextField
            label="Exclusion tags"
            {...field("tags")}
            hint="Prefixes of tags that keep instances apart"
          />
          <TextField
            label="Instances that stay"
            {...field("stay")}
            hint="Names, separated by blanks"
          />
        </div>
      </details>
    </section>
  );
}

function Scores({ plan }: { readonly plan: BalancePlan }) {
  const sets = (plan.steps.at(-1)?.set ?? -1) + 1;
  return (
    <>
      <ul class="figures">
        <li>
          <strong>{plan.initial_score.toFixed(4)}</strong> score now
        </li>
        <li>
          <strong>{plan.final_score.toFixed(4)}</strong> afterwards
        </li>
        <li>
          <strong>{plan.optimal_score.toFixed(4)}</strong> lower bound
        </li>
        <li>
          <strong>{plan.steps.length}</strong> {plan.steps.length === 1 ? "move" : "moves"} in{" "}
          {sets} {sets === 1 ? "set" : "sets"} of jobs
        </li>
      </ul>
      <p class="small">
        The lower the score, the better balanced. {endTexts[plan.ended]}
        {sets > 1 && " A set begins when all jobs of the one before it have succeeded."}
      </p>
    </>
  );
}

function Steps({ plan }: { readonly plan: BalancePlan }) {
  const most = Math.max(plan.initial_score, 1e-9);
  return (
    <Table
      title="Steps"
      heads={["No.", "Set", "Instance", "From", "To", "How", "Score"]}
      rows={plan.steps.map(({ instance, from, to, move, score, set }, at) => [
        String(at + 1),
        String(set + 1),
        <a href={linkTo(["instances", instance])}>{instance}</a>,
        <Places of={from} />,
        <Places of={to} />,
        <span class="how" title={move}>
          {moveWords(move)}
        </span>,
        <span class="score">
          {score.toFixed(4)}
          <span class="bar better">
            <i style={{ width: `${Math.min(100, (score / most) * 100)}%` }} />
          </span>
        </span>,
      ])}
    />
  );
}
