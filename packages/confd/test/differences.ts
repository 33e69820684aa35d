/** Recorded exchanges in which Ganeti answers otherwise; each reason is in docs/differences.md. */
export interface Difference {
  /** Parts of the inner messages; null: no answer. */
  readonly theirs: string | null;
  readonly ours: string | null;
}

const master: Difference = { theirs: '"answer":1,', ours: '"answer":0,' };

const password: Difference = {
  theirs: '"osparams_private":{"password":"do not tell"}',
  ours: '"osparams_private":{"password":"<redacted>"}',
};

const token: Difference = {
  theirs: '"noop":{"token":"do not tell"}',
  ours: '"noop":{"token":"<redacted>"}',
};

const pong = '"status":0,"answer":3000000,';

export const differences: Readonly<Record<string, Difference>> = {
  "role of node1": master,
  "role of a0000000-0000-4000-8000-000000000001": master,
  "instances of node2.example.com": password,
  "instances of node5": password,
  "instances of a0000000-0000-4000-8000-000000000002": password,
  "config /instances/c0000000-0000-4000-8000-000000000003": password,
  "config /cluster": token,
  "config /cluster/osparams_private_cluster": token,
  "config /cluster/enabled_hypervisors/01": { theirs: '"xen-pvm"', ours: '"status":1,"answer":2,' },
  "config /cluster/~2": { theirs: '"rsahostkeypub"', ours: '"status":1,"answer":2,' },
  "type 12": { theirs: null, ours: '"answer":["node3.example.com"],"serial":42' },
  "type 1.5": { theirs: '"status":1,"answer":2,', ours: null },
  "protocol 2": { theirs: pong, ours: '"status":2,"answer":"Unsupported protocol version 2",' },
  // The answer is the same; the daemon writes its salt as Latin-1.
  "rsalt non-ascii": { theirs: pong, ours: pong },
  "salt '(NOW)'": { theirs: pong, ours: null },
  "salt '0xHEX'": { theirs: pong, ours: null },
};
