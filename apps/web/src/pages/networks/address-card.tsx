/** Card with the map of a network's addresses, the user of the chosen one, and reservations. */
import { useEffect, useState } from "preact/hooks";
import { addressPauseMs, linkTo, replaceWhileAt, useAddress } from "../../address.js";
import { ask } from "../../api/server.js";
import type { Me } from "../../api/shapes.js";
import { Action, withoutRight } from "../../parts/action.js";
import { TextField } from "../../parts/field.js";
import { JobOutcome, useJob } from "../../parts/use-job.js";
import { AddressGrid } from "./address-grid.js";
import {
  type AddressMap,
  addressesIn,
  type Network,
  pathOf,
  textOfUse,
  type Use,
} from "./addresses.js";

const uses: readonly (readonly [use: Use, title: string])[] = [
  ["free", "free"],
  ["instance", "used by instances"],
  ["external", "reserved externally"],
  ["own", "the network's own"],
];

/** Hook: index of the chosen address, kept in the URL. */
function useChosen(network: Network, map: AddressMap) {
  const { args } = useAddress();
  const named = args.get("ip") ?? "";
  const [chosen, setChosen] = useState(() => map.indexOf(named));
  useEffect(() => {
    const index = map.indexOf(named);
    if (index !== undefined) setChosen(index);
  }, [named]);
  useEffect(() => {
    if (chosen === undefined || map.at(chosen).ip === named) return;
    const path = ["networks", network.name];
    const link = linkTo(path, { ip: map.at(chosen).ip });
    const timer = setTimeout(() => replaceWhileAt(path, link), addressPauseMs);
    return () => clearTimeout(timer);
  }, [chosen]);
  return [chosen, setChosen] as const;
}

export function AddressCard(props: {
  readonly network: Network;
  readonly map: AddressMap;
  readonly me: Me;
}) {
  const { network, map, me } = props;
  const [chosen, setChosen] = useChosen(network, map);
  const [search, setSearch] = useState("");
  const found = search.trim() === "" ? undefined : map.indexOf(search);
  return (
    <section class="card" aria-label="Addresses">
      <div class="heading">
        <h2>Addresses</h2>
        <p>
          {uses.map(([use, title]) => (
            <span key={use}>
              <i class={`cell key ${use}`} /> {map.counts[use]} {title}
            </span>
          ))}
        </p>
      </div>
      <form
        class="controls"
        onSubmit={(event) => {
          event.preventDefault();
          if (found !== undefined) setChosen(found);
        }}
      >
        <input
          type="search"
          aria-label="Find an address"
          placeholder="Find an address ( / )"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <button type="submit">Find</button>
        {search.trim() !== "" && found === undefined && (
          <small class="fault">It is not an address of {network.network}.</small>
        )}
      </form>
      <AddressGrid map={map} chosen={chosen} onChoose={setChosen} />
      <Chosen network={network} map={map} index={chosen} me={me} />
    </section>
  );
}

function Chosen(props: {
  readonly network: Network;
  readonly map: AddressMap;
  readonly index: number | undefined;
  readonly me: Me;
}) {
  const { network, map, index, me } = props;
  const { outcome, busy, submit } = useJob();
  const [text, setText] = useState("");
  const address = index === undefined ? undefined : map.at(index);
  const off = withoutRight(me) ?? busy;
  const change = (key: "add_reserved_ips" | "remove_reserved_ips", ips: readonly string[]) =>
    submit(() => ask("PUT", `${pathOf(network.name)}/modify`, { [key]: ips }));
  const wanted = wantedIn(text, map);
  const wantedOff = off ?? wanted.problem;
  return (
    <div class="chosen">
      <p aria-live="polite">
        {address === undefined ? (
          "Choose an address to see who has it."
        ) : (
          <>
            <strong>{address.ip}</strong> is{" "}
            {address.use === "instance" && address.who !== undefined ? (
              <>
                used by <a href={linkTo(["instances", address.who])}>{address.who}</a>
              </>
            ) : (
              textOfUse(address)
            )}
            .{" "}
            {address.use === "free" && (
              <Action off={off} onClick={() => void change("add_reserved_ips", [address.ip])}>
                Reserve it
              </Action>
            )}
            {address.use === "external" && (
              <Action off={off} onClick={() => void change("remove_reserved_ips", [address.ip])}>
                Release it
              </Action>
            )}
          </>
        )}
      </p>
      <form class="reserve" aria-label="Reservations" onSubmit={(event) => event.preventDefault()}>
        <TextField
          label="Addresses to reserve or release"
          value={text}
          placeholder={`${map.at(1).ip}, ${map.at(2).ip}-${map.at(3).ip}`}
          fault={text.trim() === "" ? undefined : wanted.problem}
          onChange={setText}
        />
        <Action off={wantedOff} onClick={() => void change("add_reserved_ips", wanted.ips)}>
          Reserve
        </Action>
        <Action off={wantedOff} onClick={() => void change("remove_reserved_ips", wanted.ips)}>
          Release
        </Action>
      </form>
      <JobOutcome of={outcome} done={["networks", network.name]} />
    </div>
  );
}

function wantedIn(text: string, map: AddressMap): { ips: readonly string[]; problem?: string } {
  try {
    const ips = addressesIn(text, map);
    return ips.length === 0 ? { ips, problem: "Write addresses first" } : { ips };
  } catch (error) {
    return { ips: [], problem: (error as Error).message };
  }
}
