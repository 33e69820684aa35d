/** Forms of networks: a new one, changes of one, and its connection to a node group. */
import { useState } from "preact/hooks";
import { linkTo } from "../../address.js";
import { ask } from "../../api/server.js";
import type { Me } from "../../api/shapes.js";
import { SubmitRow, withoutRight } from "../../parts/action.js";
import { CheckField, ChoiceField, TextField } from "../../parts/field.js";
import { JobOutcome, useJob } from "../../parts/use-job.js";
import { type Network, numberOf, pathOf } from "./addresses.js";

type Values = Readonly<Record<string, string>>;

/** Optional text fields of a network: parameter, label, and example. */
const optional = [
  ["gateway", "Gateway", "10.0.0.1"],
  ["network6", "IPv6 network", "2001:db8::/64"],
  ["gateway6", "IPv6 gateway", "2001:db8::1"],
  ["mac_prefix", "MAC prefix", "aa:00:01"],
] as const;

/** The fault of an IPv4 network; undefined without one. */
function networkFault(text: string): string | undefined {
  const [ip = "", bits = ""] = text.trim().split("/");
  const number = numberOf(ip);
  const length = /^\d+$/.test(bits) ? Number(bits) : 0;
  if (number === undefined || length < 16 || length > 30) {
    return "Write an IPv4 network of 16 to 30 bits, such as 10.0.0.0/24";
  }
  const rest = number % 2 ** (32 - length);
  return rest === 0 ? undefined : `${ip} is not the first address of such a network`;
}

/** The given texts, without empty ones. */
const filled = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values)
      .map(([name, text]) => [name, text.trim()] as const)
      .filter(([, text]) => text !== ""),
  );

function OptionalFields(props: {
  readonly values: Values;
  readonly set: (changes: Values) => void;
  readonly now?: Network;
}) {
  const { values, set, now } = props;
  return (
    <>
      {optional.map(([name, label, example]) => (
        <TextField
          key={name}
          label={label}
          value={values[name] ?? ""}
          placeholder={example}
          hint={now && `now ${now[name] ?? "none"}`}
          onChange={(text) => set({ [name]: text })}
        />
      ))}
    </>
  );
}

export function NewNetworkPage({ me }: { readonly me: Me }) {
  const [values, setValues] = useState<Values>({});
  const [isChecked, setChecked] = useState(true);
  const { outcome, busy, submit } = useJob();
  const set = (changes: Values) => setValues((old) => ({ ...old, ...changes }));
  const { network_name = "", network = "", tags = "" } = values;
  const fault = networkFault(network);
  const off =
    withoutRight(me) ??
    busy ??
    (network_name.trim() === "" ? "Give the network a name first" : fault);
  const send = (event: Event) => {
    event.preventDefault();
    if (off !== undefined) return;
    const body = {
      ...filled({ ...values, tags: "" }),
      tags: tags.split(/\s+/).filter(Boolean),
      conflicts_check: isChecked,
    };
    void submit(() => ask("POST", "/2/networks", body));
  };
  return (
    <>
      <div class="heading">
        <h1>Add a network</h1>
        <p>
          <a href={linkTo(["networks"])}>All networks</a>
        </p>
      </div>
      <form class="card form" onSubmit={send} aria-label="New network">
        <fieldset>
          <legend>Network</legend>
          <TextField
            label="Name"
            value={network_name}
            placeholder="backend"
            required
            onChange={(text) => set({ network_name: text })}
          />
          <TextField
            label="IPv4 network"
            value={network}
            placeholder="10.0.0.0/24"
            required
            fault={network === "" ? undefined : fault}
            onChange={(text) => set({ network: text })}
          />
          <OptionalFields values={values} set={set} />
          <TextField
            label="Tags"
            value={tags}
            hint="Separated by blanks"
            onChange={(text) => set({ tags: text })}
          />
          <CheckField
            label="Reserve addresses that nodes have in it"
            checked={isChecked}
            onChange={setChecked}
          />
        </fieldset>
        <SubmitRow off={off}>Add</SubmitRow>
        <JobOutcome of={outcome} done={["networks", network_name.trim()]} />
      </form>
    </>
  );
}

export function ChangeForm({ network, me }: { readonly network: Network; readonly me: Me }) {
  const [values, setValues] = useState<Values>({});
  const { outcome, busy, submit } = useJob();
  const set = (changes: Values) => setValues((old) => ({ ...old, ...changes }));
  const { new_name = "", ...rest } = filled(values);
  const isEmpty = new_name === "" && Object.keys(rest).length === 0;
  const off =
    withoutRight(me) ??
    busy ??
    (isEmpty ? "Write what is to change first" : undefined) ??
    (new_name !== "" && Object.keys(rest).length > 0
      ? "Rename it by itself: store the other changes first"
      : undefined);
  const send = (event: Event) => {
    event.preventDefault();
    if (off !== undefined) return;
    void submit(() =>
      new_name === ""
        ? ask("PUT", `${pathOf(network.name)}/modify`, rest)
        : ask("PUT", `${pathOf(network.name)}/rename`, { new_name }),
    ).then((isDone) => isDone && setValues({}));
  };
  return (
    <details class="card">
      <summary>Change it</summary>
      <form class="form" onSubmit={send} aria-label="Change the network">
        <fieldset>
          <TextField
            label="New name"
            value={values.new_name ?? ""}
            hint={`now ${network.name}`}
            onChange={(text) => set({ new_name: text })}
          />
          <OptionalFields values={values} set={set} now={network} />
        </fieldset>
        <SubmitRow off={off}>Store</SubmitRow>
        <JobOutcome of={outcome} done={["networks", new_name || network.name]} />
      </form>
    </details>
  );
}

const modes = ["bridged", "routed", "openvswitch"].map((mode) => [mode, mode] as const);

export function ConnectForm(props: {
  readonly network: Network;
  readonly groups: readonly string[];
  readonly me: Me;
}) {
  const { network, groups, me } = props;
  const [values, setValues] = useState({ group: "", mode: "bridged", link: "br0", vlan: "" });
  const { outcome, busy, submit } = useJob();
  const set = (changes: Partial<typeof values>) => setValues((old) => ({ ...old, ...changes }));
  const group = groups.includes(values.group) ? values.group : (groups[0] ?? "");
  const off =
    withoutRight(me) ??
    busy ??
    (values.link.trim() === "" ? "Give the link on the nodes first" : undefined);
  const send = (event: Event) => {
    event.preventDefault();
    if (off !== undefined) return;
    const body = {
      ...{ group_name: group, network_mode: values.mode, network_link: values.link.trim() },
      ...(values.vlan.trim() !== "" && { network_vlan: values.vlan.trim() }),
    };
    void submit(() => ask("PUT", `${pathOf(network.name)}/connect`, body));
  };
  return (
    <form class="form" onSubmit={send} aria-label="Connect to a node group">
      <fieldset>
        <ChoiceField
          label="Node group"
          value={group}
          choices={groups.map((name) => [name, name] as const)}
          onChange={(text) => set({ group: text })}
        />
        <ChoiceField
          label="Mode"
          value={values.mode}
          choices={modes}
          onChange={(mode) => set({ mode })}
        />
        <TextField label="Link" value={values.link} onChange={(link) => set({ link })} />
        <TextField
          label="VLAN"
          value={values.vlan}
          placeholder="none"
          onChange={(vlan) => set({ vlan })}
        />
      </fieldset>
      <SubmitRow kind="normal" off={off}>
        Connect
      </SubmitRow>
      <JobOutcome of={outcome} done={["networks", network.name]} />
    </form>
  );
}
