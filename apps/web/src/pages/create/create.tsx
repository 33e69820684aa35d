/** Creation of an instance or a reservation, with hail's answer updated while the user types. */
import { useUrlForm } from "../../address.js";
import { texts } from "../../api/fields.js";
import { useEpoch, useLive } from "../../api/live.js";
import { ask, query } from "../../api/server.js";
import type { Me } from "../../api/shapes.js";
import { SubmitForm, withoutRight } from "../../parts/action.js";
import { CheckField, ChoiceField, fieldsOf, TextField } from "../../parts/field.js";
import { PageHeading, Unread } from "../../parts/notice.js";
import { JobOutcome, useJob } from "../../parts/use-job.js";
import { AnswerCard } from "./answer.js";
import { applied } from "./apply.js";
import { DiskFields, NicFields } from "./list-fields.js";
import { useAnswer } from "./use-answer.js";
import { argsOf, faultsOf, questionOf, requestOf, type Wanted, wantedIn } from "./wanted.js";

interface Facts {
  readonly systems: readonly string[];
  readonly templates: readonly string[];
  readonly groups: readonly string[];
  readonly networks: readonly string[];
  readonly nodes: readonly string[];
  readonly iallocator: string;
}

async function readFacts(): Promise<Facts> {
  const named = (kind: string) => query(kind, texts("name"));
  const [info, systems, groups, networks, nodes] = await Promise.all([
    ask<{ enabled_disk_templates: string[]; default_iallocator: string }>("GET", "/2/info"),
    ask<string[]>("GET", "/2/os"),
    named("group"),
    named("network"),
    named("node"),
  ]);
  return {
    systems,
    templates: info.enabled_disk_templates,
    iallocator: info.default_iallocator || "hail",
    groups: groups.map(({ name }) => name),
    networks: networks.map(({ name }) => name),
    nodes: nodes.map(({ name }) => name),
  };
}

export function CreatePage({ me }: { readonly me: Me }) {
  const { value: facts, problem } = useLive("create", [], readFacts);
  if (facts === undefined) return <Unread problem={problem} />;
  return <Form me={me} facts={facts} />;
}

/** The form as the URL has it; where that says nothing, the first choices of the cluster. */
function readForm(args: URLSearchParams, { systems, templates }: Facts): Wanted {
  const given = wantedIn(args);
  return {
    ...given,
    os: given.os || systems[0] || "",
    template: given.template || templates[0] || "diskless",
  };
}

function Form({ me, facts }: { readonly me: Me; readonly facts: Facts }) {
  const [wanted, setWanted] = useUrlForm(["create"], (args) => readForm(args, facts), argsOf);
  const { outcome, busy, submit } = useJob();
  const epoch = useEpoch("config");
  const faults = faultsOf(wanted);
  const live = useAnswer(faults.length > 0 ? undefined : questionOf(wanted), epoch);
  const faultOf = (field: string) => faults.find((one) => one.field === field)?.text;
  const set = (changes: Partial<Wanted>) => setWanted((old) => ({ ...old, ...changes }));
  const field = fieldsOf(wanted, set, faultOf);
  const part = { wanted, set, field, facts };
  const off =
    withoutRight(me) ??
    busy ??
    (wanted.name.trim() === "" ? "Give the instance a name first" : undefined) ??
    faults[0]?.text;
  const create = () => ask("POST", "/2/instances", requestOf(wanted, facts.iallocator));
  return (
    <>
      <PageHeading
        title="Create an instance"
        says="The address of this page keeps the form: it can be shared."
      />
      <div class="create">
        <SubmitForm
          title="New instance"
          off={off}
          submit={() => submit(create)}
          action={wanted.reserve ? "Reserve" : "Create"}
          outcome={<JobOutcome of={outcome} done={["instances", wanted.name.trim()]} />}
        >
          <Identity {...part} />
          <Size {...part} faultOf={faultOf} />
          <NicFields
            nics={wanted.nics}
            networks={facts.networks}
            onChange={(nics) => set({ nics })}
          />
          <Place {...part} />
          <fieldset>
            <legend>How</legend>
            <CheckField
              label="Only reserve its resources; it is created later"
              {...field("reserve")}
            />
            <CheckField
              label="Start it at once"
              {...field("start")}
              value={wanted.start && !wanted.reserve}
              disabled={wanted.reserve}
            />
            <CheckField
              label="Refuse it unless its name is in DNS and its address is free"
              {...field("check")}
            />
          </fieldset>
        </SubmitForm>
        <AnswerCard
          live={live}
          fault={faults[0]?.text}
          chosen={[wanted.primary, wanted.secondary].filter(Boolean)}
          onApply={(changes) => setWanted((old) => applied(old, changes))}
        />
      </div>
    </>
  );
}

interface Part {
  readonly wanted: Wanted;
  readonly set: (changes: Partial<Wanted>) => void;
  readonly field: ReturnType<typeof fieldsOf<Wanted>>;
  readonly facts: Facts;
}

function Identity({ field, facts }: Part) {
  return (
    <fieldset>
      <legend>Instance</legend>
      <TextField label="Name" {...field("name")} placeholder="web1.example.com" required />
      <ChoiceField label="Operating system" {...field("os")} choices={facts.systems} />
      <TextField label="Tags" hint="Separated by blanks" {...field("tags")} />
    </fieldset>
  );
}

type FaultOf = (field: string) => string | undefined;

function Size(props: Part & { readonly faultOf: FaultOf }) {
  const { wanted, set, field, facts, faultOf } = props;
  return (
    <fieldset>
      <legend>Size</legend>
      <TextField label="Memory" {...field("memory")} hint="512m, 2g, …" />
      <TextField label="Virtual CPUs" {...field("vcpus")} />
      <ChoiceField label="Disk template" {...field("template")} choices={facts.templates} />
      {wanted.template !== "diskless" && (
        <DiskFields
          disks={wanted.disks}
          faultOf={(at) => faultOf(`disk${at}`)}
          onChange={(disks) => set({ disks })}
        />
      )}
    </fieldset>
  );
}

function Place({ wanted, set, field, facts }: Part) {
  return (
    <fieldset>
      <legend>Place</legend>
      <ChoiceField
        label="Primary node"
        value={wanted.primary}
        choices={[["", "hail chooses"], ...facts.nodes]}
        onChange={(primary) => set(primary === "" ? { primary, secondary: "" } : { primary })}
      />
      {wanted.primary === "" ? (
        <ChoiceField label="Group" {...field("group")} choices={[["", "any"], ...facts.groups]} />
      ) : (
        wanted.template === "drbd" && (
          <ChoiceField
            label="Secondary node"
            {...field("secondary")}
            choices={[["", "choose one"], ...facts.nodes]}
          />
        )
      )}
    </fieldset>
  );
}
