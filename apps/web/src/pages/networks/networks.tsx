/** Page of all networks, with their used addresses and connected groups. */
import { linkTo } from "../../address.js";
import { useLive } from "../../api/live.js";
import type { Me, PageProps } from "../../api/shapes.js";
import { Action, withoutRight } from "../../parts/action.js";
import { Gauge } from "../../parts/gauge.js";
import { PageHeading, Unread } from "../../parts/notice.js";
import { Table } from "../../parts/table.js";
import { NewNetworkPage } from "./forms.js";
import { NetworkPage } from "./network.js";
import { readNetworks } from "./network-source.js";
import "../../styles/networks.css";

export default function NetworksPage({ name, me }: PageProps) {
  if (name === "new") return <NewNetworkPage me={me} />;
  if (name !== "") return <NetworkPage key={name} name={name} me={me} />;
  return <NetworkList me={me} />;
}

function NetworkList({ me }: { readonly me: Me }) {
  const { value, problem } = useLive("networks", ["config network", "config group"], readNetworks);
  if (value === undefined) return <Unread problem={problem} />;
  return (
    <>
      <PageHeading title="Networks" problem={problem}>
        <p role="status">{value.length === 0 ? "" : `${value.length} in all`}</p>
        <span class="grow" />
        <Action
          kind="strong"
          off={withoutRight(me)}
          onClick={() => {
            location.hash = linkTo(["networks", "new"]);
          }}
        >
          Add a network
        </Action>
      </PageHeading>
      {value.length === 0 ? (
        <p class="card empty">There are no networks: NICs are connected to links of the nodes.</p>
      ) : (
        <Table
          title="All networks"
          heads={["Network", "IPv4", "IPv6", "Addresses in use", "Instances", "Node groups"]}
          rows={value.map((one) => [
            <a href={linkTo(["networks", one.name])}>{one.name}</a>,
            one.network,
            one.network6 ?? "–",
            <Gauge
              title={one.name}
              used={one.reserved_count}
              limit={one.reserved_count + one.free_count}
            />,
            String(one.inst_cnt),
            one.group_list.map(([group]) => group).join(", ") || "none",
          ])}
        />
      )}
    </>
  );
}
