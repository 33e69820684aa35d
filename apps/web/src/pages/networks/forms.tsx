/** Forms of networks: a new one, changes of one, and its connection to a node group. */

import { useState } from "preact/hooks";
import { linkTo } from "../../address.js";
import { ask } from "../../api/server.js";
import type { Me } from "../../api/shapes.js";
import { SubmitForm, withoutRight } from "../../parts/action.js";
import { CheckField, ChoiceField, fieldsOf, TextField } from "../../parts/field.js";
import { PageHeading } from "../../parts/notice.js";
import { JobOutcome, useJob } from "../../parts/use-job.js";
import { type Network, numberOf, pathOf } from "./addresses.js";

/** The texts of the forms; all are optional in a change. */
const none = {
  ...{ network_name: "", new_name: "", network: "", tags: "" },
  ...{ gateway: "", network6: "", gateway6: "", mac_prefix: "" },
};
type Values = Readonly<typeof none>;

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
const filled = (values: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values)
      .map(([name, text]) => [name, text.trim()] as const)
      .filter(([, text]) => text !== ""),
  );

function OptionalFields(props: {
  readonly field: ReturnType<typeof fieldsOf<Values>>;
  readonly now?: Network;
}) {
  const { field, now } = props;
  return (
    <>
      {optional.map(([name, label, example]) => (
        <TextField
          key={name}
          label={label}
          {...field(name)}
          placeholder={example}
          hint={now && `now ${now[name] ?? "none"}`}
        />
      ))}
    </>
  );
}

export function NewNetworkPage({ me }: { readonly me: Me }) {
  const [values, setValues] = useState<Values>(none);
  const [isChecked, setChecked] = useState(true);
  const { outcome, busy, submit } = useJob();
  const field = fieldsOf(values, (changes) => setValues((old) => ({ ...old, ...changes })));
  const { network_name, network, tags } = values;
  const fault = networkFault(network);
  const off =
    withoutRight(me) ??
    busy ??
    (network_name.trim() === "" ? "Give the network a name first" : fault);
  const send = () => {
    const body = {
      ...filled({ ...values, tags: "" }),
      tags: tags.split(/\s+/).filter(Boolean),
      conflicts_check: isChecked,
    };
    void submit(() => ask("POST", "/2/networks", body));
  };
  return (
    <>
      <PageHeading title="Add a network">
        <p>
          <a href={linkTo(["networks"])}>All networks</a>
        </p>
      </PageHeading>
      <SubmitForm
        title="New network"
        off={off}
        submit={send}
        action="Add"
        outcome={<JobOutcome of={outcome} done={["networks", network_name.trim()]} />}
      >
        <fieldset>
          <legend>Network</legend>
          <TextField label="Name" {...field("network_name")} placeholder="backend" required />
          <TextField
            label="IPv4 network"
            {...field("network")}
            placeholder="10.0.0.0/24"
            required
            fault={network === "" ? undefined : fault}
          />
          <OptionalFields field={field} />
          <TextField label="Tags" {...field("tags")} hint="Separated by blanks" />
          <CheckField
            label="Reserve addresses that nodes have in it"
            value={isChecked}
            onChange={setChecked}
          />
        </fieldset>
      </SubmitForm>
    </>
  );
}

export function ChangeForm({ network, me }: { readonly network: Network; readonly me: Me }) {
  const [values, setValues] = useState<Values>(none);
  const { outcome, busy, submit } = useJob();
  const field = fieldsOf(values, (changes) => setValues((old) => ({ ...old, ...changes })));
  const { new_name = "", ...rest } = filled(values);
  const isEmpty = new_name === "" && Object.keys(rest).length === 0;
  const off =
    withoutRight(me) ??
    busy ??
    (isEmpty ? "Write what is to change first" : undefined) ??
    (new_name !== "" && Object.keys(rest).length > 0
      ? "Rename it by itself: store the other changes first"
      : undefined);
  const send = () => {
    void submit(() =>
      new_name === ""
        ? ask("PUT", `${pathOf(network.name)}/modify`, rest)
        : ask("PUT", `${pathOf(network.name)}/rename`, { new_name }),
    ).then((isDone) => isDone && setValues(none));
  };
  return (
    <details class="card">
      <summary>Change it</summary>
      <SubmitForm
        title="Change the network"
        class="form"
        off={off}
        submit={send}
        action="Store"
        outcome={<JobOutcome of={outcome} done={["networks", new_name || network.name]} />}
      >
        <fieldset>
          <TextField label="New name" {...field("new_name")} hint={`now ${network.name}`} />
          <OptionalFields field={field} now={network} />
        </fieldset>
      </SubmitForm>
    </details>
  );
}

const modes = ["bridged", "routed", "openvswitch"];

export function ConnectForm(props: {
  readonly network: Network;
  readonly groups: readonly string[];
  readonly me: Me;
}) {
  const { network, groups, me } = props;
  const [values, setValues] = useState({ group: "", mode: "bridged", link: "br0", vlan: "" });
  const { outcome, busy, submit } = useJob();
  const field = fieldsOf(values, (changes) => setValues((old) => ({ ...old, ...changes })));
  const group = groups.includes(values.group) ? values.group : (groups[0] ?? "");
  const off =
    withoutRight(me) ??
    busy ??
    (values.link.trim() === "" ? "Give the link on the nodes first" : undefined);
  const send = () => {
    const body = {
      ...{ group_name: group, network_mode: values.mode, network_link: values.link.trim() },
      ...(values.vlan.trim() !== "" && { network_vlan: values.vlan.trim() }),
    };
    void submit(() => ask("PUT", `${pathOf(network.name)}/connect`, body));
  };
  return (
    <SubmitForm
      title="Connect to a node group"
      class="form"
      off={off}
      submit={send}
      action="Connect"
      kind="normal"
      outcome={<JobOutcome of={outcome} done={["networks", network.name]} />}
    >
      <fieldset>
        <ChoiceField label="Node group" {...field("group")} value={group} choices={groups} />
        <ChoiceField label="Mode" {...field("mode")} choices={modes} />
        <TextField label="Link" {...field("link")} />
        <TextField label="VLAN" {...field("vlan")} placeholder="none" />
      </fieldset>
    </SubmitForm>
  );
}
