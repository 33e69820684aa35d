/** Fields for any number of disks and NICs. */
import { instanceDisksMax, instanceNicsMax } from "@ganeti-ts/protocol";
import { ChoiceField, TextField } from "../../parts/field.js";
import type { WantedNic } from "./wanted.js";

const replaced = <Item,>(list: readonly Item[], at: number, item: Item): Item[] =>
  list.map((one, index) => (index === at ? item : one));
const without = <Item,>(list: readonly Item[], at: number): Item[] =>
  list.filter((_, index) => index !== at);

export function DiskFields(props: {
  readonly disks: readonly string[];
  readonly faultOf: (at: number) => string | undefined;
  readonly onChange: (disks: readonly string[]) => void;
}) {
  const { disks, faultOf, onChange } = props;
  return (
    <>
      {disks.map((disk, at) => (
        <div class="withdrawable" key={at}>
          <TextField
            label={`Disk ${at}`}
            value={disk}
            hint="20g, 1.5t, …"
            fault={faultOf(at)}
            onChange={(value) => onChange(replaced(disks, at, value))}
          />
          {disks.length > 1 && (
            <button
              type="button"
              class="quiet"
              aria-label={`Remove disk ${at}`}
              onClick={() => onChange(without(disks, at))}
            >
              ✕
            </button>
          )}
        </div>
      ))}
      {disks.length < instanceDisksMax && (
        <button type="button" class="quiet add" onClick={() => onChange([...disks, "10g"])}>
          + disk
        </button>
      )}
    </>
  );
}

export function NicFields(props: {
  readonly nics: readonly WantedNic[];
  readonly networks: readonly string[];
  readonly onChange: (nics: readonly WantedNic[]) => void;
}) {
  const { nics, networks, onChange } = props;
  const choices = [
    ["", "the cluster's usual link"] as const,
    ...networks.map((name) => [name, name] as const),
  ];
  return (
    <fieldset>
      <legend>Network</legend>
      {nics.map((nic, at) => (
        <div class="withdrawable" key={at}>
          <ChoiceField
            label={`NIC ${at}: network`}
            value={nic.network}
            choices={choices}
            onChange={(network) => onChange(replaced(nics, at, { ...nic, network }))}
          />
          <TextField
            label={`NIC ${at}: IP`}
            value={nic.ip}
            placeholder={nic.network === "" ? "none" : "pool"}
            hint={nic.network === "" ? undefined : "pool takes the next free address"}
            onChange={(ip) => onChange(replaced(nics, at, { ...nic, ip }))}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove NIC ${at}`}
            onClick={() => onChange(without(nics, at))}
          >
            ✕
          </button>
        </div>
      ))}
      {nics.length < instanceNicsMax && (
        <button
          type="button"
          class="quiet add"
          onClick={() => onChange([...nics, { network: "", ip: "" }])}
        >
          + NIC
        </button>
      )}
    </fieldset>
  );
}
