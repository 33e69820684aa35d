/** Creation of an instance or a reservation, with hail's answer updated while the user types. */
import { useEffect, useRef, useState } from "preact/hooks";
import { linkTo, replaceWhileAt, useAddress } from "../../address.js";
import { useEpoch, useLive } from "../../api/live.js";
import { ask, query } from "../../api/server.js";
import type { Me } from "../../api/shapes.js";
import { Action, withoutRight } from "../../parts/action.js";
import { CheckField, ChoiceField, TextField } from "../../parts/field.js";
import { JobNotice } from "../../parts/job-notice.js";
import { Notice } from "../../parts/notice.js";
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
  const named = (kind: string) => query<{ name: string }>(kind, ["name"]);
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
  if (facts === undefined)
    return problem ? <Notice kind="error">{problem}</Notice> : <p>Loading …</p>;
  return <Form me={me} facts={facts} />;
}

/** Pause (ms) after the last change before the URL follows the form: browsers limit how often it may change. */
const addressPauseMs = 300;

/** Hook: the form, kept equal to its description in the URL in both directions. */
function useWanted({ systems, templates }: Facts) {
  const { args } = useAddress();
  const read = (): Wanted => {
    const given = wantedIn(args);
    return {
      ...given,
      os: given.os || systems[0] || "",
      template: given.template || templates[0] || "diskless",
    };
  };
  const [wanted, setWanted] = useState(read);
  /** Arguments last written by the form, or read into it. */
  const known = useRef(args.toString());
  useEffect(() => {
    if (args.toString() === known.current) return;
    known.current = args.toString();
    setWanted(read());
  }, [args.toString()]);
  useEffect(() => {
    const follow = () => {
      const link = linkTo(["create"], argsOf(wanted));
      known.current = new URLSearchParams(link.split("?", 2)[1]).toString();
      replaceWhileAt(["create"], link);
    };
    const timer = setTimeout(follow, addressPauseMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  return [wanted, setWanted] as const;
}

function Form({ me, facts }: { readonly me: Me; readonly facts: Facts }) {
  const [wanted, setWanted] = useWanted(facts);
  const [outcome, setOutcome] = useState<{ job?: number; problem?: string }>({});
  const [isBusy, setBusy] = useState(false);
  const epoch = useEpoch("config");
  const faults = faultsOf(wanted);
  const live = useAnswer(faults.length > 0 ? undefined : questionOf(wanted), epoch);
  const set = (changes: Partial<Wanted>) => setWanted((old) => ({ ...old, ...changes }));
  const off =
    withoutRight(me) ??
    (isBusy ? "The request is on its way" : undefined) ??
    (wanted.name.trim() === "" ? "Give the instance a name first" : undefined) ??
    faults[0]?.text;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (off !== undefined) return;
    setOutcome({});
    setBusy(true);
    try {
      const job = Number(await ask("POST", "/2/instances", requestOf(wanted, facts.iallocator)));
      setOutcome({ job });
    } catch (error) {
      setOutcome({ problem: (error as Error).message });
    }
    setBusy(false);
  };
  return (
    <>
      <div class="heading">
        <h1>Create an instance</h1>
        <p>The address of this page keeps the form: it can be shared.</p>
      </div>
      <div class="create">
        <form class="card form" onSubmit={submit} aria-label="New instance">
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
          <div class="buttons">
            <Action kind="strong" type="submit" off={off}>
              {wanted.reserve ? "Reserve" : "Create"}
            </Action>
            {off !== undefined && <small>{off}</small>}
          </div>
          {outcome.problem && <Notice kind="error">{outcome.problem}</Notice>}
          {outcome.job !== undefined && (
            <JobNotice id={outcome.job} done={["instances", wanted.name.trim()]} />
          )}
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
