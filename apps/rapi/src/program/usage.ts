/** Help text of ganeti-rapi, shown by --help and part of its manual page. */
import { allocatorSearchPath } from "@ganeti-ts/node-calls";

export const usage = `Usage: ganeti-rapi [OPTION]…

Serves the remote API of a cluster and runs its jobs. Stays in the foreground.

  -b ADDRESS                 address to listen on (127.0.0.1)
  -i INTERFACE               network interface whose address to listen on
  -p PORT                    port to listen on (5080)
  --max-clients=N            maximum number of requests worked on at a time (20), half of them for one user
                             or address; the local socket has as many of its own
  --no-ssl                   serve HTTP instead of HTTPS
  -K, --ssl-key=FILE         key of the server (default: rapi.pem in the data directory)
  -C, --ssl-cert=FILE        certificate for that key
  --ssl-chain=FILE           chain of certificates that signed it
  --require-authentication   require a user for every request, as for clusters made here (--init,
                             gnt-cluster init); those of Ganeti otherwise let anonymous clients read, as Ganeti does
  --anonymous-reads          let anonymous clients read what Ganeti shows them, also of clusters made here
  --public-metrics           serve /metrics without authentication
  --trusted-proxy=ADDRESS[/BITS][,…]
                             proxies and networks of proxies whose X-Forwarded-For names their clients: limits
                             and delays after failed logins then apply to these, not to the proxy
  --data-dir=DIRECTORY       data directory ($GANETI_TS_DATA, else /var/lib/ganeti-ts for root)
  --store=postgres://…       store jobs and configuration in PostgreSQL, which several servers can share
  --accept-loss              start although the database has lost commits acknowledged to this server; before,
                             compare gnt-instance list with what runs on the nodes
  --luxi=PATH                socket of the local protocol, for Ganeti's own programs (default: in the data
                             directory, where they find it as in the example below)
  --luxi-group=GROUP         group whose members may use that socket, with all rights (default: only the owner)
  --lease=SECONDS            time after which a silent server counts as dead (30)
  --iallocator-search-path=DIRECTORY[,DIRECTORY…]
                             search path for allocator programs (${allocatorSearchPath}); hail is built in
  --confd                    answer Ganeti's configuration queries over UDP
  --confd-port=PORT          port of configuration queries (1814)
  --confd-address=ADDRESS    address of configuration queries (that of -b)
  --confd-key=FILE           file with their key (hmac.key in the data directory)
  --watcher=SECONDS|off      interval of the watcher, which restarts instances that went down (300); off
                             where ganeti-watcher does it
  --figures-age=SECONDS      placements use figures of nodes up to this old (30), which are refreshed in the
                             background; 0 queries all nodes for each placement, as Ganeti does
  --init=NAME                create a cluster of this name with simulated nodes first, unless there is one
  --nodes=N, --groups=N      number of simulated nodes (4) and groups (2) of the new cluster
  --init-with=FILE           further settings of the new cluster, in JSON; - is standard input
  --init-only                create the cluster, which must not exist yet, and exit
  --over-nodes               create the cluster even if its nodes hold disks of another one
  --twin=FILE|URL            create a cluster of simulated nodes with the configuration and figures of another
                             one, and exit: from its config.data, a text file of hbal -S, or its remote API
                             (user, password and certificate: $GANETI_RAPI_USER, _PASSWORD, _CA)
  --twin-figures=FILE|URL    figures for a config.data, which has none: a text file, or a remote API
  --shadow=URL               only look at the running cluster with this remote API, on its master beside Ganeti's
                             daemons: serve its config.data and queue, and report answers that differ
  --shadow-once              compare once, and exit with 1 if answers differ; nothing is served
  --shadow-json              report as lines of JSON
  --shadow-interval=SECONDS  time between comparisons if nothing changes (30)
  --insecure                 do not verify the certificate of these URLs
  --backup=FILE              write a backup of the cluster, even while another process serves it, and exit
  --restore=FILE             restore the cluster from a backup, and exit; the present database is set aside
  --nodes=ganeti             manage the nodes of a Ganeti cluster: run on its master in place of Ganeti's own
                             daemons, and call the node daemons; the first start copies config.data.
                             With --init-only: make this machine the master of a new cluster
  --prepare-node=NAME        give a machine the node daemon and the certificates of the cluster over ssh, and
                             exit; gnt-node add does it
  --primary-ip=ADDRESS, --accept-host-key, --readd
                             of that machine: its address, an unknown ssh key is accepted, it was a node before
  --release-node=NAME        clear the machine of a former node over ssh, and exit; gnt-node remove
                             does it
  --leave-cluster            end the node daemon of this machine and remove the files of its cluster, and exit;
                             gnt-cluster destroy does it
  --adopt                    take over the Ganeti cluster whose master is this machine, and serve it from
                             then on: its address, certificate, users, queue; Ganeti's master daemons must
                             have been stopped, and are kept from starting
  --adopt --check            report what stands against that, and exit
  --take-over                make this master candidate the master of an adopted cluster whose server has
                             died, from the copies that it holds or from --store, and serve it
  --upgrade                  with --adopt: accept configurations of Ganeti 2.x
  --replicate=wait           acknowledge jobs of such a cluster when the master candidates have them
  --no-voting                start without asking its nodes whom they take for the master: dangerous
  --hand-back [--check]      give the cluster back to Ganeti's own daemons, and exit; the server must have ended
  --drop                     with --hand-back: without the parts that Ganeti cannot hold
  --stay-drained             with --hand-back: leave the queue drained
  --ganeti-data=DIRECTORY    data directory of that node (/var/lib/ganeti)
  --ganeti-root=DIRECTORY    root directory of a node of a virtual cluster ($GANETI_ROOTDIR)
  --ganeti-host=NAME         name of that node ($GANETI_HOSTNAME, else the host name)
  --print-unit               print a unit for systemd that starts a server with the other options at each boot,
                             and exit
  -f, --foreground           no effect, because the server always stays in the foreground
  -d, --debug                log every request
  -h, --help; --version

Examples:

  ganeti-rapi --init=demo.example.com
      creates a cluster of four simulated nodes, and serves it on https://127.0.0.1:5080
  echo 'jack secret write' >> /var/lib/ganeti-ts/rapi/users
      adds a user with write access, effective at once; without write, jack may only read
  curl -k -u jack:secret https://127.0.0.1:5080/2/info
  curl --unix-socket /var/lib/ganeti-ts/rapi.sock http://localhost/2/nodes
      the same without a password, for the owner of the data directory
  ganeti-rapi -b 0.0.0.0 -K key.pem -C cert.pem
      serves on all addresses, with a certificate of your own
  export GANETI_HOSTNAME=node1.example.com GANETI_ROOTDIR=/var/lib/ganeti-ts/vroot/node1.example.com
      makes gnt-instance, hbal -L and the other programs of Debian's packages use this server;
      the name is that of the cluster's master node
  ganeti-rapi --print-unit -b 0.0.0.0 > /etc/systemd/system/ganeti-ts-rapi.service
      lets systemd start the server: systemctl enable --now ganeti-ts-rapi
  kill -HUP $(cat /var/lib/ganeti-ts/rapi.pid)
      reloads users, key and certificate; without rapi.pem a new one is made
  ganeti-rapi --confd --confd-address=0.0.0.0
      also answers queries for roles, addresses and locations of instances, signed with hmac.key
  ganeti-rapi --store=postgres://ganeti@db.example.com/ganeti
      runs one of several servers of a cluster, any of which may stop
`;
