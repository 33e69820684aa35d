/** Command lines of Ganeti's programs that print the same on a cluster of Ganeti's and on ours. */

export interface CommandLine {
  readonly command: string;
  /** Lines that differ; a comment gives the reason. */
  readonly but?: RegExp;
}

/** A reservation has no hypervisor yet. */
const reserved = /inst6\.example\.com[ :]/;
/** Our jobs tell the UUID of what they have created. */
const created = /^ours: 1 DATE Created \w+ \S+, UUID UUID$/;
/** Nodes are named, not counted by their UUIDs. */
const members = /: 2 Group 'default' not empty, has the following nodes: /;
/** Sizes of machines. */
const machines = /: 1 (Node +(DTotal|Type)|node\d)/;

export const commandLines: readonly CommandLine[] = [
  ...[
    ...[
      "cluster getmaster",
      "cluster show-ispecs-cmd",
      "cluster queue info",
      "cluster watcher info",
    ],
    ...[
      "cluster list-tags",
      "cluster search-tags .",
      "cluster modify",
      "cluster add-tags 'bad tag'",
    ],
    ...["cluster remove-tags nosuchtag", "cluster queue drain", "cluster queue drain"],
    ...["cluster queue info", "cluster queue undrain", "cluster queue nosuch", "cluster nosuch"],
    ...["node list -o name,role,group,pinst_cnt", "node list -F 'role == \"M\"' -o name,master"],
    ...["node list -o nosuch", "node list nosuch.example.com", "node list node2 node1 -o name,sip"],
    ...["node list-fields", "node info node2.example.com", "node list-tags node1.example.com"],
    ...["node modify node2.example.com"],
    ...["instance list -o name,pnode,status,oper_ram,be/vcpus,nic.ip/0,nic.count,disk.sizes"],
    ...["instance list -o nosuch", "instance list inst1.example.com nosuch.example.com"],
    ...[
      "instance list inst1.example.com",
      "instance list-fields",
      "instance list-fields name nosuch",
    ],
    ...["instance list -F 'name =~ m/^INST[12]/i'", "instance list -F '\"env:test\" in tags'"],
    ...["instance list -F 'nosuchfield == 1'", "instance list -F 'name =='"],
    ...['instance list -F \'not (pnode == "node1.example.com") or tags == "env:test"\''],
    ...["instance add inst30.example.com", "instance add -t diskless inst30.example.com"],
    ...["instance add -t diskless -o nosuch -n node1.example.com --no-ip-check inst30.example.com"],
    ...[
      {
        command:
          "gnt-instance add -t diskless -o noop+default -n node1.example.com --no-ip-check inst30.example.com",
        but: created,
      },
    ],
    ...[
      "instance add -t diskless -o noop+default -n node1.example.com --no-ip-check inst30.example.com",
    ],
    ...["instance modify inst30.example.com", "instance modify -B maxmem=256 inst30.example.com"],
    ...["instance modify -B nosuch=1 inst30.example.com", "instance shutdown inst30.example.com"],
    ...["instance modify --net add:network=net1,ip=pool inst30.example.com"],
    ...["instance start inst30.example.com", "instance reboot inst30.example.com"],
    ...["instance migrate -f inst30.example.com", "instance failover -f inst3.example.com"],
    ...["instance add-tags inst30.example.com a b", "instance list-tags inst30.example.com"],
    ...[
      "instance remove-tags inst30.example.com a",
      "instance console --show-cmd inst5.example.com",
    ],
    ...["instance grow-disk inst3.example.com 7 4m", "instance activate-disks inst3.example.com"],
    ...["instance remove inst30.example.com", "instance remove -f inst30.example.com"],
    ...["instance remove -f inst30.example.com", "instance shutdown nosuch.example.com"],
    ...["job list -F 'id == 999999'", "job list abc", "job list-fields", "job info 999999"],
    ...["job watch 999999", "job watch abc", "job cancel --pending --force", "job cancel 1"],
    ...["job archive 4", "job list -o id,status,archived 4", "job autoarchive 1d", "job wait 9"],
    ...["filter list-fields", "filter list nosuch", "filter add --priority abc"],
    ...[
      "group list -o name,node_cnt,pinst_cnt,alloc_policy,tags",
      "group list-fields",
      "group add g2",
    ],
    ...[
      { command: "gnt-group add gx", but: created },
      "group modify --alloc-policy unallocable gx",
      "group modify gx",
    ],
    ...[
      "group rename gx gy",
      "group remove gy",
      "group remove nosuch",
      { command: "gnt-group remove default", but: members },
    ],
    ...["group list-tags g2", "group assign-nodes g2 nosuch.example.com"],
    ...["network list -o name,network,gateway,free_count,reserved_count,inst_list"],
    ...["network list-fields", "network info nosuch", "network add net9", "network remove net1"],
    ...[
      { command: "gnt-network add --network 10.90.0.0/28 net9", but: created },
      "network connect net9 default",
    ],
    ...["network disconnect net9 default", "network modify --gateway 10.90.0.1 net9"],
    ...["network remove net9", "network add --network bad net8"],
    ...["os info nosuch", "storage nosuch", "backup list-fields"],
    ...["debug delay 0.1", "debug delay -1", "debug locks", "debug test-jobqueue --help"],
  ].map((one) => (typeof one === "string" ? { command: `gnt-${one}` } : one)),
  { command: "gnt-instance list", but: reserved },
  { command: "gnt-instance list --no-headers --separator=: -o name,hypervisor", but: reserved },
  { command: "gnt-node list", but: machines },
  { command: "gnt-cluster version", but: /VCS version/ },
  // The recorded cluster describes this parameter in other words.
  { command: "gnt-os info noop", but: /my_param/ },
  // Our message says that the job is finished.
  { command: "gnt-job change-priority --priority=high 9", but: /Job N (not found|is finished)/ },
];
