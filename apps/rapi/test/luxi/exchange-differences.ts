/** Difference of our answer to a recorded exchange: recording, method, place, their value and ours. */
export interface ExchangeDifference {
  readonly pattern: RegExp;
  readonly why: string;
}

/** Neither the machines nor what had been done to the cluster is the same. */
const otherCluster: readonly ExchangeDifference[] = [
  {
    pattern:
      /\.node\d\.example\.com\.(mfree|mnode|mtotal|dfree|dtotal|cnos|ctotal|csockets|cnodes|bootid|spfree|sptotal)\[/,
    why: "sizes of simulated machines",
  },
  {
    pattern:
      /Query \.rows\.(inst\d+|node\d)\.example\.com\.(pnode|snodes|status|admin_state|admin_state_source|disk_template|disks_active|oper_\w+|serial_no|console|hypervisor|p?inst_\w+|hv\/\S+|\w*ndp\w*(\/\w+)?|disk\S*|nic\S*|sd\w_size|network_port|custom_\w+|group|group\.uuid|pnode\.group\S*|hvparams|beparams|be\/\w+|tags|bridge|mac|ip|os\w*)[[.]/,
    why: "other recordings had moved and changed it before; a reservation has no hypervisor yet",
  },
  {
    pattern:
      /Query \.rows\.(default|g2|net1)\.(ctime|serial_no|pinst_\w+|node_\w+|free_count|reserved_count|map|inst_\w+|external_reservations|group_\w+|ipolicy|alloc_policy|tags)[[.]/,
    why: "the same for groups and networks",
  },
  {
    pattern: /(QueryNetworks|QueryGroups|QueryNodes|QueryInstances) \.result/,
    why: "the same for the older queries by name",
  },
  {
    pattern:
      /(stripe_size|user-id|xen_cmd|vcs_version|default_iallocators|shared_file_storage_dir|gluster_storage_dir|vnc_password_file|kernel_path|vhost_net|disk_discard)\b/,
    why: "parameters of other versions, and paths of the recorded virtual cluster",
  },
  {
    pattern: /QueryClusterInfo /,
    why: "other recordings had changed the cluster's parameters",
  },
  {
    pattern: /QueryFilters \.result|Query \.rows\S*(watermark|reason_trail|\[1\])|filter-\S+ Query/,
    why: "rules are in the order of their UUIDs; their watermark is a number of jobs",
  },
  {
    pattern: /(Query|QueryExports) \.(data|result): .*node1\.example\.com.*ours \[\]/,
    why: "the recorded nodes could not list their exports",
  },
  {
    pattern: /^(os-\S+|cluster-search-tags\S+|node-list-storage\S+|cluster-verify\S*) /,
    why: "other operating systems and paths; sets of Python have no order",
  },
  {
    pattern:
      /inst26\.example\.com|inst27\.example\.com|^(instance-(add-file|grow-disk|recreate|rename|remove|modify|add-for-modify|reinstall|replace|failover|change|activate)\S*|backup-export\S*) /,
    why: "the recorded instance had disks that had been made by hand",
  },
  {
    pattern:
      /^(watcher-run|burnin|hbal-x|hbal-x-made-up|node-migrate|node-evacuate|node-restricted-command|node-volumes|instance-startup-node|instance-batch-create|instance-shutdown-2|locks-held|job-list\S*|job-info\S*|job-watch\S*|instance-info)\.json /,
    why: "sessions over many objects or jobs, of which other ones exist",
  },
];

/** Decided otherwise; each is in docs/differences.md of its package. */
const onPurpose: readonly ExchangeDifference[] = [
  {
    pattern:
      /^raw-submit\.json Submit\w+ .*(A job needs at least one opcode|relative job ID|1\.0e-2|ours false)/,
    why: "a job without opcodes, a relative dependency beyond the call; how a number is written",
  },
  {
    pattern: /^raw-arguments\.json \w+ \.result: "Failed to parse request: Pattern match failure/,
    why: "the place in its source means nothing here",
  },
  {
    pattern: /^raw-query\.json Query \.result.*(missing \)|GenericError|expecting string but got)/,
    why: "words of another regular expression engine; one class for wrong types",
  },
  {
    pattern: /Queue drained|GenericError", ours "JobQueueDrainError/,
    why: "its own class of error",
  },
  { pattern: /QueryJobs .*forthcoming instances not supported/, why: "the refusal has its code" },
  {
    pattern: /^cluster-repair-disk-sizes\.json /,
    why: "the original fails with an internal error",
  },
  {
    pattern: /^debug-(test-jobqueue|iallocator)\.json /,
    why: "clients of the test operation are not notified by sockets; the template may be left open",
  },
  {
    pattern: /^job-(cancel|kill|archive|autoarchive|change-priority)\S* /,
    why: "a job is canceled at once where no process has to be asked; canceled jobs can be archived",
  },
  {
    pattern: /WaitForJobChange \.log: .*Created (instance|group|network) /,
    why: "jobs tell the UUID of what they have created",
  },
  { pattern: /^group-evacuate\.json /, why: "the reason is told" },
];

export const exchangeDifferences: readonly ExchangeDifference[] = [...otherCluster, ...onPurpose];
