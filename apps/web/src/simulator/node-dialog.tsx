/** Dialog of a node of the simulated cluster: its instances and operations. */
import type { ClusterData } from "@ganeti-ts/protocol";
import { useEffect, useRef } from "preact/hooks";
import { sizeText } from "../words.js";
import type { Operation } from "./operations.js";

export function NodeDialog(props: {
  readonly data: ClusterData;
  readonly name: string;
  /** Undefined for a node of the cluster on the left, which is only compared. */
  readonly onRun: ((operation: Operation) => void) | undefined;
  readonly onClose: () => void;
}) {
  const { data, name, onRun, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const index = data.nodes.findIndex((node) => node.name === name);
  const offline = data.nodes[index]?.offline ?? false;
  const rows = data.instances.filter(
    ({ primary, secondary }) => primary === index || secondary === index,
  );
  const act = (operation: Operation) => {
    dialog.current?.close();
    onRun?.(operation);
  };
  return (
    <dialog ref={dialog} class="wide" onClose={onClose} aria-label={`Node ${name}`}>
      <h2>{name}</h2>
      {rows.length === 0 && <p>No instances.</p>}
      {rows.length > 0 && (
        <div class="scrolled">
          <table>
            <thead>
              <tr>
                <th>Instance</th>
                <th>Role</th>
                <th>Memory</th>
                <th>Disk</th>
                <th>vcpus</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((instance) => (
                <tr key={instance.name}>
                  <td>{instance.name}</td>
                  <td>{instance.primary === index ? "primary" : "secondary"}</td>
                  <td>{sizeText(instance.memoryMib)}</td>
                  <td>{sizeText(instance.diskMib)}</td>
                  <td>{instance.vcpus}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div class="buttons">
        {onRun && (
          <>
            <button
              type="button"
              onClick={() => act({ kind: "set-offline", node: name, offline: !offline })}
            >
              {offline ? "Let it return" : "Let it fail"}
            </button>
            <button type="button" onClick={() => act({ kind: "evacuate", node: name })}>
              Evacuate it
            </button>
          </>
        )}
        <button type="button" class="strong" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
