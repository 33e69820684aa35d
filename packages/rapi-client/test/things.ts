// One thing of each kind, with what a RAPI tells about it and nothing else.

const spec = (memory: number, disk: number, count: number) => ({
  "memory-size": memory,
  "disk-size": disk,
  "cpu-count": count,
  "disk-count": count,
  "nic-count": count,
  "spindle-use": count,
});

const ipolicy = {
  minmax: [{ min: spec(128, 1024, 1), max: spec(32768, 1048576, 8) }],
  std: spec(128, 1024, 1),
  "disk-templates": ["drbd", "plain"],
  "vcpu-ratio": 4,
  "spindle-ratio": 32,
};

export const aGroup = {
  name: "default",
  uuid: "8f0e3a6c-7c1d-4f1c-9d38-0d6f6f0b9a11",
  alloc_policy: "preferred",
  ipolicy,
  node_cnt: 1,
  node_list: ["node1.example.com"],
  tags: [],
};

export const aNode = {
  name: "node1.example.com",
  offline: false,
  drained: false,
  master_candidate: true,
  master_capable: true,
  vm_capable: true,
  role: "M",
  "group.uuid": aGroup.uuid,
  ndparams: { exclusive_storage: false, spindle_count: 1 },
  mtotal: 32768,
  mnode: 1024,
  mfree: 30000,
  dtotal: 1048576,
  dfree: null,
  ctotal: 8,
  cnos: 1,
  sptotal: null,
  spfree: null,
  pinst_cnt: 1,
  sinst_cnt: 0,
  pinst_list: ["web1.example.com"],
  sinst_list: [],
  pip: "192.0.2.1",
  sip: "198.51.100.1",
  uuid: "a8a0d2f5-30a5-4a8e-a3f6-6a2c1c8b3c62",
  tags: ["rack:a1"],
};

export const anInstance = {
  name: "web1.example.com",
  uuid: "c5b1b9ae-6d0a-4a36-a3b8-2f8d0c1f7e11",
  status: "running",
  admin_state: "up",
  oper_state: true,
  oper_ram: 1024,
  pnode: "node1.example.com",
  snodes: [],
  disk_template: "plain",
  disk_usage: 10240,
  "disk.sizes": [10240],
  "disk.spindles": [null],
  beparams: { maxmem: 1024, minmem: 1024, vcpus: 1, auto_balance: true, spindle_use: 1 },
  os: "debian",
  tags: [],
};

export const anInfo = {
  name: "cluster.example.com",
  master: "node1.example.com",
  software_version: "3.0.2",
  default_hypervisor: "kvm",
  enabled_hypervisors: ["kvm"],
  enabled_disk_templates: ["drbd", "plain"],
  ipolicy,
  uuid: "d2a5c1b0-2d4f-4b0e-8a1f-93f1f0c5e7aa",
  tags: [],
};

export const aJob = {
  id: 12,
  status: "success",
  summary: ["INSTANCE_MIGRATE(web1.example.com)"],
  opstatus: ["success"],
  received_ts: [1700000000, 1],
  start_ts: [1700000000, 2],
  end_ts: [1700000009, 3],
  ops: [{ OP_ID: "OP_INSTANCE_MIGRATE", instance_name: "web1.example.com" }],
};
