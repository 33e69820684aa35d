/** Start page of a simulation: choice of a text file, the server's cluster, or empty nodes. */
import { useState } from "preact/hooks";
import { currentCluster, hasServer } from "./current-cluster.js";
import { Field, Form } from "./field.js";
import type { Source } from "./operations.js";

export function Start(props: {
  readonly isBusy: boolean;
  readonly onSource: (label: string, source: Source | Promise<Source>) => void;
}) {
  const { isBusy, onSource } = props;
  const [isOver, setOver] = useState(false);
  const take = (file: File | undefined) => {
    if (file === undefined) return;
    onSource(
      file.name,
      file.text().then((text) => ({ kind: "text", text }) as const),
    );
  };
  return (
    <main class="start">
      <h1>Placement simulator</h1>
      <p>
        Try changes on a copy of a cluster: nodes that fail or join, many instances, balancing,
        reboots. It computes like Ganeti's htools, in this page; nothing leaves it.
      </p>
      <label
        class={isOver ? "drop over" : "drop"}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer?.files[0]);
        }}
      >
        <strong>Drop a text file of a cluster here</strong>
        <span>
          as <code>hscan CLUSTER</code> and <code>hbal -L -S FILE</code> write it, or choose one:
        </span>
        <input
          type="file"
          aria-label="Text file of a cluster"
          disabled={isBusy}
          onChange={(event) => take(event.currentTarget.files?.[0])}
        />
      </label>
      {hasServer() && (
        <section class="card">
          <h2>The cluster of this server</h2>
          <p>Its present state; changes here have no effect on it.</p>
          <p>
            <button
              type="button"
              disabled={isBusy}
              onClick={() => onSource("Current cluster", currentCluster())}
            >
              Take the current cluster
            </button>
          </p>
        </section>
      )}
      <section class="card">
        <h2>A cluster you plan</h2>
        <Form
          action="Begin with empty nodes"
          disabled={isBusy}
          onSubmit={({ nodes, memory, disk, cpus }) =>
            onSource("Empty nodes", {
              kind: "empty",
              specifications: [`preferred,${nodes},${disk}g,${memory}g,${cpus}`],
            })
          }
        >
          <Field label="Nodes" name="nodes" value={8} min={1} />
          <Field label="Memory (GiB)" name="memory" value={128} min={1} />
          <Field label="Disk (GiB)" name="disk" value={4000} min={1} />
          <Field label="CPUs" name="cpus" value={32} min={1} />
        </Form>
      </section>
    </main>
  );
}
