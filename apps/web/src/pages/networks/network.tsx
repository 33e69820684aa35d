/** Page of one network: its parameters, the map of its addresses, connected groups, and changes. */
import { useMemo, useState } from "preact/hooks";
import { linkTo } from "../../address.js";
import { useCollection } from "../../api/collection.js";
import { texts } from "../../api/fields.js";
import { useLive } from "../../api/live.js";
import { ask, query } from "../../api/server.js";
import type { Me } from "../../api/shapes.js";
import { Action, withoutRight } from "../../parts/action.js";
import { Confirm } from "../../parts/confirm.js";
import { Facts } from "../../parts/facts.js";
import { Notice, PageHeading, Unread } from "../../parts/notice.js";
import { JobOutcome, useJob } from "../../parts/use-job.js";
import { AddressCard } from "./address-card.js";
import { addressMap, type Network, pathOf } from "./addresses.js";
import { ChangeForm, ConnectForm } from "./forms.js";
import { nicSource, readNetwork } from "./network-source.js";

const readOne = async (name: string) => {
  const [network, groups] = await Promise.all([readNetwork(name), query("group", texts("name"))]);
  return { network, groups: groups.map((group) => group.name) };
};

export function NetworkPage({ name, me }: { readonly name: string; readonly me: Me }) {
  const { value, problem } = useLive(`network ${name}`, ["config network", "config group"], () =>
    readOne(name),
  );
  if (value === undefined) return <Unread problem={problem} />;
  const { network, groups } = value;
  if (network === undefined) {
    return (
      <Notice kind="error">
        There is no network {name}: it may have been renamed or removed.{" "}
        <a href={linkTo(["networks"])}>All networks</a>
      </Notice>
    );
  }
  return (
    <>
      <PageHeading title={network.name} problem={problem}>
        <p>
          <a href={linkTo(["networks"])}>All networks</a>
          <a href={linkTo(["audit"], { object: network.name })}>Everything that touched it</a>
        </p>
      </PageHeading>
      <NetworkFacts of={network} />
      <Addresses network={network} me={me} />
      <Groups network={network} groups={groups} me={me} />
      <ChangeForm network={network} me={me} />
      <Remove network={network} me={me} />
    </>
  );
}

function NetworkFacts({ of }: { readonly of: Network }) {
  return (
    <>
      <Facts
        facts={[
          ["IPv4", of.network],
          ["Gateway", of.gateway ?? "none"],
          ["IPv6", of.network6 ?? "none"],
          ["IPv6 gateway", of.gateway6 ?? "none"],
          ["MAC prefix", of.mac_prefix ?? "the cluster's"],
          ["Instances", String(of.inst_cnt)],
          ["Tags", of.tags?.join(", ") || "none"],
        ]}
      />
      {of.network6 !== null && (
        <p class="small">
          Instances derive their IPv6 address from the prefix and their MAC: Ganeti hands out and
          reserves IPv4 addresses only, which the map shows.
        </p>
      )}
    </>
  );
}

function Addresses({ network, me }: { readonly network: Network; readonly me: Me }) {
  const source = useMemo(() => nicSource(network.uuid), [network.uuid]);
  const { rows, problem } = useCollection(`nics ${network.uuid}`, source);
  const map = useMemo(() => addressMap(network, rows?.values() ?? []), [network, rows]);
  return (
    <>
      {problem && <Notice kind="warning">{problem}</Notice>}
      <AddressCard network={network} map={map} me={me} />
    </>
  );
}

function Groups(props: {
  readonly network: Network;
  readonly groups: readonly string[];
  readonly me: Me;
}) {
  const { network, groups, me } = props;
  const [asked, setAsked] = useState<string>();
  const { outcome, busy, submit } = useJob();
  const off = withoutRight(me) ?? busy;
  const connected = network.group_list.map(([group]) => group);
  const free = groups.filter((group) => !connected.includes(group));
  return (
    <section class="card" aria-label="Node groups">
      <h2>Node groups</h2>
      {network.group_list.length === 0 && (
        <p>It is connected to no node group: no instance can use it yet.</p>
      )}
      <ul class="lines">
        {network.group_list.map(([group, mode, link, vlan]) => (
          <li key={group}>
            <strong>{group}</strong>
            <span class="grow">
              {mode}, link {link}
              {vlan && vlan !== "-" && `, VLAN ${vlan}`}
            </span>
            <Action off={off} label={`Disconnect ${group}`} onClick={() => setAsked(group)}>
              Disconnect
            </Action>
          </li>
        ))}
      </ul>
      {free.length > 0 && <ConnectForm network={network} groups={free} me={me} />}
      <JobOutcome of={outcome} done={["networks", network.name]} />
      {asked !== undefined && (
        <Confirm
          question={`Disconnect ${network.name} from ${asked}? Instances there can no longer use it.`}
          action="Disconnect"
          isDangerous
          onAnswer={(word) => {
            setAsked(undefined);
            if (word === undefined) return;
            void submit(() =>
              ask("PUT", `${pathOf(network.name)}/disconnect`, { group_name: asked }),
            );
          }}
        />
      )}
    </section>
  );
}

function Remove({ network, me }: { readonly network: Network; readonly me: Me }) {
  const [isAsked, setAsked] = useState(false);
  const { outcome, busy, submit } = useJob();
  const groups = network.group_list.map(([group]) => group).join(", ");
  const off =
    withoutRight(me) ?? busy ?? (groups && `It is connected to ${groups}: disconnect it first`);
  return (
    <div class="actions">
      <Action kind="danger" off={off || undefined} onClick={() => setAsked(true)}>
        Remove the network
      </Action>
      {off && <small>{off}</small>}
      <JobOutcome of={outcome} done={["networks"]} />
      {isAsked && (
        <Confirm
          question={`Remove the network ${network.name} with its reservations?`}
          action="Remove"
          isDangerous
          onAnswer={(word) => {
            setAsked(false);
            if (word !== undefined) void submit(() => ask("DELETE", pathOf(network.name)));
          }}
        />
      )}
    </div>
  );
}
