/** Editor of a rule, with the jobs that match it updated while the user types. */
import { useMemo, useState } from "preact/hooks";
import { linkTo, useUrlForm } from "../../address.js";
import { useEpoch } from "../../api/live.js";
import type { Me } from "../../api/shapes.js";
import { SubmitForm, withoutRight } from "../../parts/action.js";
import { ChoiceField, fieldsOf, TextField, Withdrawable } from "../../parts/field.js";
import { Notice, PageHeading } from "../../parts/notice.js";
import { argsOf, type Condition, type Form, formIn, formOf, type Read, ruleIn } from "./form.js";
import { PreviewCard, usePreview } from "./preview.js";
import { storeRule } from "./requests.js";
import {
  bodyOf,
  givenReasons,
  type PredicateName,
  type Preview,
  type Rule,
  whyOf,
} from "./rule.js";
import { ruleText } from "./sentence.js";

const actions = [
  ["PAUSE", "PAUSE: hold them"],
  ["REJECT", "REJECT: cancel them"],
  ["RATE_LIMIT", "RATE_LIMIT: a few at once"],
  ["ACCEPT", "ACCEPT: let them start"],
  ["CONTINUE", "CONTINUE: decide nothing"],
] as const;

const kinds = [
  ["opcode", "an operation"],
  ["reason", "a reason"],
  ["jobid", "the number"],
] as const;

const hints: Readonly<Record<PredicateName, string>> = {
  opcode: 'OP_ID == "OP_INSTANCE_CREATE", instance_name =~ m/^web/, beparams.memory > 1024',
  reason: 'reason =~ m/maintenance/, source == "gnt:user"',
  jobid: 'id > "watermark": jobs submitted later than the rule',
};

/** Common rules as examples: conditions and actions. */
const examples = [
  ["Hold everything from now on", "PAUSE", [["jobid", 'id > "watermark"']]],
  ["No new instances", "REJECT", [["opcode", 'OP_ID == "OP_INSTANCE_CREATE"']]],
  [
    "Two disk replacements at a time",
    "RATE_LIMIT",
    [["opcode", 'OP_ID == "OP_INSTANCE_REPLACE_DISKS"']],
  ],
  ["Let the maintenance through", "ACCEPT", [["reason", "reason =~ m/maintenance/"]]],
] as const;

export function EditorPage(props: {
  /** Undefined for a new rule. */
  readonly rule: Rule | undefined;
  readonly last: Rule | undefined;
  readonly me: Me;
}) {
  const { rule, last, me } = props;
  // The rule at the time when the page was opened, so that later changes of it do not overwrite the user's input.
  const [usual] = useState(() => formOf(rule, last));
  const [form, setForm] = useUrlForm(
    ["rules", rule?.uuid ?? "new"],
    (args) => formIn(args, usual),
    (now) => argsOf(now, usual),
  );
  const read = useMemo(() => ruleIn(form), [form]);
  const isChanged = Object.keys(argsOf(form, usual)).some((name) => name !== "why");
  const jobs = useEpoch("job");
  const rules = useEpoch("rules");
  const asked = {
    ...(rule && { uuid: rule.uuid }),
    ...((rule === undefined || isChanged) && { rule: read.rule }),
  };
  const live = usePreview(read.faults.length > 0 ? undefined : asked, jobs + rules);
  const watermark = live.preview?.watermark ?? rule?.watermark ?? 0;
  return (
    <>
      <PageHeading title={rule === undefined ? "Add a filter rule" : "Filter rule"}>
        <p>
          <a href={linkTo(["rules"])}>All rules</a>
        </p>
      </PageHeading>
      <div class="create">
        <EditorForm
          {...{ rule, form, read, me }}
          faults={live.preview?.faults ?? []}
          set={(changes) => setForm((old) => ({ ...old, ...changes }))}
        >
          <p class="sentence">{ruleText({ ...read.rule, watermark })}</p>
        </EditorForm>
        <PreviewCard live={live} action={read.rule.action} fault={faultOf(read, live.preview)} />
      </div>
    </>
  );
}

const faultOf = ({ faults }: Read, preview: Preview | undefined): string | undefined =>
  faults[0]?.text ?? preview?.faults[0]?.text;

interface FormProps {
  readonly rule: Rule | undefined;
  readonly form: Form;
  readonly read: Read;
  /** Faults that the server has found. */
  readonly faults: Preview["faults"];
  readonly me: Me;
  readonly set: (changes: Partial<Form>) => void;
}

function EditorForm(props: FormProps & { readonly children: preact.ComponentChildren }) {
  const { rule, form, read, me, set } = props;
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const faults = allFaults(props);
  const field = fieldsOf(form, set, (key) => faults.find((fault) => fault.field === key)?.text);
  const off =
    withoutRight(me) ?? (isBusy ? "The request is on its way" : undefined) ?? faults[0]?.text;
  const submit = async () => {
    setBusy(true);
    try {
      const before = rule === undefined ? [] : givenReasons(rule);
      await storeRule(rule?.uuid, bodyOf(read.rule, before, form.why));
      location.hash = linkTo(["rules"]);
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <SubmitForm
      title="Filter rule"
      off={off}
      submit={submit}
      action={rule === undefined ? "Add" : "Store"}
      outcome={problem && <Notice kind="error">{problem}</Notice>}
    >
      {props.children}
      <fieldset>
        <legend>What it does</legend>
        <ChoiceField label="Action" {...field("action")} choices={actions} />
        {form.action === "RATE_LIMIT" && <TextField label="Jobs at a time" {...field("limit")} />}
        <TextField
          label="Priority"
          {...field("priority")}
          hint="Rules with lower numbers decide first"
        />
        <TextField
          label={rule === undefined ? "Why" : "Why it changes"}
          {...field("why")}
          hint={(rule && whyOf(rule)) || "Shown with the jobs that it holds"}
        />
      </fieldset>
      <Conditions {...props} faults={faults} />
    </SubmitForm>
  );
}

type Fault = { readonly field: string | number; readonly text: string };

/** Faults of the form, or those of the server if the form has none. */
function allFaults({ read, faults }: FormProps): readonly Fault[] {
  if (read.faults.length > 0) return read.faults;
  return faults.map(({ predicate, text }) => ({ field: predicate ?? "action", text }));
}

function Conditions(
  props: Pick<FormProps, "form" | "set"> & { readonly faults: readonly Fault[] },
) {
  const { form, set, faults } = props;
  const { conditions } = form;
  const change = (at: number, changes: Partial<Condition>) =>
    set({ conditions: conditions.map((one, i) => (i === at ? { ...one, ...changes } : one)) });
  return (
    <fieldset class="conditions">
      <legend>Which jobs</legend>
      {conditions.length === 0 && <p class="wide">Every job, as long as there is no condition.</p>}
      {conditions.map(({ name, text }, at) => (
        <Withdrawable
          key={at}
          label={`Remove condition ${at + 1}`}
          onRemove={() => set({ conditions: conditions.toSpliced(at, 1) })}
        >
          <ChoiceField
            label={`Condition ${at + 1}: about`}
            value={name}
            choices={kinds}
            onChange={(value) => change(at, { name: value as PredicateName })}
          />
          <TextField
            label={`Condition ${at + 1}`}
            value={text}
            hint={hints[name]}
            fault={faults.find(({ field }) => field === at)?.text}
            onChange={(value) => change(at, { text: value })}
          />
        </Withdrawable>
      ))}
      <button
        type="button"
        class="quiet add"
        onClick={() => set({ conditions: [...conditions, { name: "opcode", text: "" }] })}
      >
        + condition
      </button>
      <details class="wide">
        <summary>Examples</summary>
        <ul class="suggestions">
          {examples.map(([title, action, list]) => (
            <li key={title}>
              <button
                type="button"
                class="quiet"
                onClick={() =>
                  set({
                    action,
                    ...(action === "RATE_LIMIT" && { limit: "2" }),
                    conditions: list.map(([name, text]) => ({ name, text })),
                  })
                }
              >
                {title}
              </button>
            </li>
          ))}
        </ul>
      </details>
    </fieldset>
  );
}
