/** Fields for any number of disks and NICs. */
import { instanceDisksMax, instanceNicsMax } from "@ganeti-ts/protocol";
import { ChoiceField, TextField, Withdrawable } from "../../parts/field.js";
import type { WantedNic } from "./wanted.js";

export function DiskFields(props: {
  readonly disks: readonly string[];
  readonly faultOf: (at: number) => string | undefined;
  readonly onChange: (disks: readonly string[]) => void;
}) {
  const { disks, faultOf, onChange } = props;
  return (
    <>
      {disks.map((disk, at) => (
        <Withdrawable
          key={at}
          label={`Remove disk ${at}`}
          onRemove={disks.length > 1 ? () => onChange(disks.toSpliced(at, 1)) : undefined}
        >
          <TextField
            label={`Disk ${at}`}
            value={disk}
            hint="20g, 1.5t, …"
            fault={faultOf(at)}
            onChange={(value) => onChange(disks.with(at, value))}
          />
        </Withdrawable>
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
  return (
    <fieldset>
      <legend>Network</legend>
      {nics.map((nic, at) => (
        <Withdrawable
          key={at}
          label={`Remove NIC ${at}`}
          onRemove={() => onChange(nics.toSpliced(at, 1))}
        >
          <ChoiceField
            label={`NIC ${at}: network`}
            value={nic.network}
            choices={[["", "the cluster's usual link"], ...networks]}
            onChange={(network) => onChange(nics.with(at, { ...nic, network }))}
          />
          <TextField
            label={`NIC ${at}: IP`}
            value={nic.ip}
            placeholder={nic.network === "" ? "none" : "pool"}
            hint={nic.network === "" ? undefined : "pool takes the next free address"}
            onChange={(ip) => onChange(nics.with(at, { ...nic, ip }))}
          />
        </Withdrawable>
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
