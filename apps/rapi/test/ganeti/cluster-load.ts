/** ClusterLoad: creations, removals, moves, tags and queries over the socket of a server that may end at any moment. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { JsonObject } from "@ganeti-ts/protocol";
import type { Dice } from "@ganeti-ts/testkit/simulation";
import { sendBySocket } from "../by-socket.js";

/** A job whose number the server has returned. */
export interface Acknowledged {
  readonly id: number;
  readonly opcode: JsonObject;
}

export interface LoadPlan {
  /** A mirrored instance that is moved to and fro. */
  readonly mirrored: string;
  /** Nodes for new instances. */
  readonly nodes: readonly string[];
  readonly dice: Dice;
}

/** Instances of the load that exist at the same time, about. */
const instancesMax = 6;
/** Time (ms) between two requests of one kind. */
const betweenMs = 150;

export class ClusterLoad {
  readonly #data: string;
  readonly #plan: LoadPlan;
  readonly #acknowledged: Acknowledged[] = [];
  readonly #made: string[] = [];
  #number = 0;
  #answered = 0;
  #isOver = true;
  #running: Promise<unknown> = Promise.resolve();

  constructor(data: string, plan: LoadPlan) {
    this.#data = data;
    this.#plan = plan;
  }

  get acknowledged(): readonly Acknowledged[] {
    return this.#acknowledged;
  }

  /** Number of queries that were answered. */
  get answered(): number {
    return this.#answered;
  }

  begin(): void {
    this.#isOver = false;
    const kinds = [
      () => this.#create(),
      () => this.#move(),
      () => this.#tag(),
      () => this.#query(),
    ];
    this.#running = Promise.all(kinds.map((kind) => this.#repeat(kind)));
  }

  /** Resolves when no request is under way any more. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** Submits a job; its number, or undefined if the server did not return one. */
  async submit(opcode: JsonObject): Promise<number | undefined> {
    const answer = await this.ask<readonly { readonly id?: number }[]>(
      "POST",
      "/ganeti-ts/1/jobs",
      {
        jobs: [[opcode]],
      },
    );
    const id = answer?.[0]?.id;
    if (id !== undefined) this.#acknowledged.push({ id, opcode });
    return id;
  }

  /** The answer; undefined if there is none, or it is a refusal. */
  async ask<Value>(method: string, path: string, body?: JsonObject): Promise<Value | undefined> {
    const socketPath = join(this.#data, "rapi.sock");
    try {
      const { status, text } = await sendBySocket({ socketPath, method, path }, body);
      return status === 200 ? JSON.parse(text) : undefined;
    } catch {
      return undefined;
    }
  }

  async #repeat(kind: () => Promise<unknown>): Promise<void> {
    while (!this.#isOver) {
      await kind();
      await pause(betweenMs);
    }
  }

  async #create(): Promise<void> {
    const { dice, nodes } = this.#plan;
    if (this.#made.length >= instancesMax) {
      const instance_name = this.#made.shift() as string;
      await this.submit({ OP_ID: "OP_INSTANCE_REMOVE", instance_name, ignore_failures: false });
      return;
    }
    const instance_name = `load${++this.#number}.example.com`;
    const [pnode = "", snode = ""] = dice.shuffled(nodes);
    const template = dice.pick(["file", "plain", "drbd"]);
    const id = await this.submit({
      ...{ OP_ID: "OP_INSTANCE_CREATE", mode: "create", instance_name, os_type: "noop+default" },
      ...{ disk_template: template, disks: [{ size: 16 }], nics: [], beparams: { memory: 16 } },
      ...{ pnode, ...(template === "drbd" && { snode }), wait_for_sync: false },
      ...{ name_check: false, ip_check: false },
    });
    if (id !== undefined) this.#made.push(instance_name);
  }

  /** As an administrator would: a move that was interrupted is cleaned up before the next one. */
  async #move(): Promise<void> {
    const { mirrored: instance_name, dice } = this.#plan;
    const moves = ["OP_INSTANCE_MIGRATE", "OP_INSTANCE_FAILOVER"];
    const id = await this.submit({ OP_ID: dice.pick(moves), instance_name });
    if (id === undefined || (await this.#isSuccess(id)) !== false) return;
    await this.submit({ OP_ID: "OP_INSTANCE_MIGRATE", instance_name, cleanup: true });
    await this.submit({ OP_ID: "OP_INSTANCE_ACTIVATE_DISKS", instance_name, wait_for_sync: true });
    const last = await this.submit({ OP_ID: "OP_INSTANCE_STARTUP", instance_name });
    if (last !== undefined) await this.#isSuccess(last);
  }

  async #tag(): Promise<void> {
    const tags = [`load:${++this.#number}`];
    await this.submit({ OP_ID: "OP_TAGS_SET", kind: "cluster", name: "", tags });
    await this.submit({ OP_ID: "OP_TAGS_DEL", kind: "cluster", name: "", tags });
  }

  async #query(): Promise<void> {
    const paths = ["/2/instances?bulk=1", "/2/nodes?bulk=1", "/2/jobs?bulk=1", "/2/info"];
    if ((await this.ask("GET", this.#plan.dice.pick(paths))) !== undefined) this.#answered++;
  }

  /** How a job ended; undefined if the server ended before. */
  async #isSuccess(id: number): Promise<boolean | undefined> {
    while (!this.#isOver) {
      const job = await this.ask<{ readonly status: string }>("GET", `/2/jobs/${id}`);
      if (job === undefined) return undefined;
      if (["success", "error", "canceled"].includes(job.status)) return job.status === "success";
      await pause(betweenMs);
    }
    return undefined;
  }
}
