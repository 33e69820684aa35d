/** Creation of an instance or a reservation, with hail's answer updated while the user types. */
import { useUrlForm } from "../../address.js";
import { texts } from "../../api/fields.js";
import { useEpoch, useLive } from "../../api/live.js";
import { ask, query } from "../../api/server.js";
import type { Me } from "../../api/shapes.js";
import { SubmitRow, withoutRight } from "../../parts/action.js";
import { CheckField, ChoiceField, TextField } from "../../parts/field.js";
import { Unread } from "../../parts/notice.js";
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
  const set = (changes: Partial<Wanted>) => setWanted((old) => ({ ...old, ...changes }));
  const off =
    withoutRight(me) ??
    busy ??
    (wanted.name.trim() === "" ? "Give the instance a name first" : undefined) ??
    faults[0]?.text;
  const send = (event: Event) => {
    event.preventDefault();
    if (off !== undefined) return;
    void submit(() => ask("POST", "/2/instances", requestOf(wanted, facts.iallocator)));
  };
  return (
    <>
      <div class="heading">
        <h1>Create an instance</h1>
        <p>The address of this page keeps the form: it can be shared.</p>
      </div>
      <div class="create">
        <form class="card form" onSubmit={send} aria-label="New instance">
          <Identity wanted={wanted} set={set} facts={facts} />
          <Size wanted={wanted} set={set} facts={facts} faults={faults} />
          <NicFields
            nics={wanted.nics}
            networks={facts.networks}
            onChange={(nics) => set({ nics })}
          />
          <Place wanted={wanted} set={set} facts={facts} faults={faults} />
          <fieldset>
            <legend>How</legend>
            <CheckField
              label="Only reserve its resources; it is created later"
              checked={wanted.reserve}
              onChange={(reserve) => set({ reserve })}
            />
            <CheckField
              label="Start it at once"
              checked={wanted.start && !wanted.reserve}
              disabled={wanted.reserve}
              onChange={(start) => set({ start })}
            />
            <CheckField
              label="Refuse it unless its name is in DNS and its address is free"
              checked={wanted.check}
              onChange={(check) => set({ check })}
            />
          </fieldset>
          <SubmitRow off={off}>{wanted.reserve ? "Reserve" : "Create"}</SubmitRow>
          <JobOutcome of={outcome} done={["instances", wanted.name.trim()]} />
        </form>
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
}

/** A choice among names. */
const NameField = ({ names, ...field }: NameFieldProps) => (
  <ChoiceField {...field} choices={same(names)} />
);

interface NameFieldProps {
  readonly label: string;
  readonly value: string;
  readonly names: readonly string[];
  readonly onChange: (name: string) => void;
}

const same = (names: readonly string[]) => names.map((name) => [name, name] as const);

function Identity({ wanted, set, facts }: Part & { readonly facts: Facts }) {
  return (
    <fieldset>
      <legend>Instance</legend>
      <TextField
        label="Name"
        value={wanted.name}
        placeholder="web1.example.com"
        required
        onChange={(name) => set({ name })}
      />
      <NameField
        label="Operating system"
        value={wanted.os}
        names={facts.systems}
        onChange={(os) => set({ os })}
      />
      <TextField
        label="Tags"
        hint="Separated by blanks"
        value={wanted.tags}
        onChange={(tags) => set({ tags })}
      />
    </fieldset>
  );
}

type Faults = ReturnType<typeof faultsOf>;
const faultAt = (faults: Faults, field: string) => faults.find((one) => one.field === field)?.text;

function Size({ wanted, set, facts, faults }: Part & { facts: Facts; faults: Faults }) {
  return (
    <fieldset>
      <legend>Size</legend>
      <TextField
        label="Memory"
        value={wanted.memory}
        hint="512m, 2g, …"
        fault={faultAt(faults, "memory")}
        onChange={(memory) => set({ memory })}
      />
      <TextField
        label="Virtual CPUs"
        value={wanted.vcpus}
        fault={faultAt(faults, "vcpus")}
        onChange={(vcpus) => set({ vcpus })}
      />
      <NameField
        label="Disk template"
        value={wanted.template}
        names={facts.templates}
        onChange={(template) => set({ template })}
      />
      {wanted.template !== "diskless" && (
        <DiskFields
          disks={wanted.disks}
          faultOf={(at) => faultAt(faults, `disk${at}`)}
          onChange={(disks) => set({ disks })}
        />
      )}
    </fieldset>
  );
}

function Place({ wanted, set, facts, faults }: Part & { facts: Facts; faults: Faults }) {
  const nodes = same(facts.nodes);
  return (
    <fieldset>
      <legend>Place</legend>
      <ChoiceField
        label="Primary node"
        value={wanted.primary}
        choices={[["", "hail chooses"], ...nodes]}
        onChange={(primary) => set(primary === "" ? { primary, secondary: "" } : { primary })}
      />
      {wanted.primary === "" ? (
        <ChoiceField
          label="Group"
          value={wanted.group}
          choices={[["", "any"], ...same(facts.groups)]}
          onChange={(group) => set({ group })}
        />
      ) : (
        wanted.template === "drbd" && (
          <ChoiceField
            label="Secondary node"
            value={wanted.secondary}
            fault={faultAt(faults, "secondary")}
            choices={[["", "choose one"], ...nodes]}
            onChange={(secondary) => set({ secondary })}
          />
        )
      )}
    </fieldset>
  );
}
