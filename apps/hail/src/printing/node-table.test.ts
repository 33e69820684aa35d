import { loadCluster } from "@ganeti-ts/htools";
import { aCluster, aGroup, aNode, anInstance, aPolicy } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { nodeTable, tableFields } from "./node-table.js";

const cluster = loadCluster(
  aCluster({
    groups: [aGroup({ policy: aPolicy({ spindleRatio: 0.01 }) })],
    nodes: [
      aNode({ name: "alpha.example.com", memoryFreeMib: 59000, cpuTotal: 8, diskFreeMib: 1000000 }),
      aNode({ name: "beta.example.com", memoryFreeMib: 2000, diskFreeMib: 1000000 }),
      aNode({ name: "c.example.com", offline: true }),
    ],
    instances: [
      anInstance({ name: "i0.example.com", primary: 0, secondary: 1, tags: ["a:1", "b:1"] }),
      anInstance({ name: "i1.example.com", primary: 0, secondary: 1, tags: ["a:1"] }),
      anInstance({ name: "i2.example.com", primary: 2, secondary: 1, memoryMib: 4096 }),
    ],
    tags: ["htools:iextags:a", "htools:iextags:b"],
  }),
);

test("the node table shows used and free resources by default", () => {
  expect(nodeTable(cluster, tableFields(""))).toBe(
    ` F Name  t_mem n_mem i_mem x_mem f_mem u_mem r_mem t_dsk f_dsk pcpu vcpu pcnt scnt p_fmem p_fdsk r_cpu  lCpu  lMem  lDsk  lNet
   alpha 65536  1024  2048  3464 59000 59000     0  1024   976    8    3    2    0 0.9003 0.9537  0.38 2.000 2.000 2.000 2.000
 * beta  65536  1024     0 62512  2000  2000  4096  1024   976   16    1    0    3 0.0305 0.9537  0.06 0.000 0.000 3.000 0.000
 - c     65536  1024  4096 -4096 64512 60416     0  1024  1024   16    2    1    0 0.9219 1.0000  0.12 1.000 1.000 1.000 1.000
`,
  );
});

test("the node table has further fields for lists, tags, reserves and spindles", () => {
  const fields = "idx,fqdn,amem,plist,slist,ptags,peermap,spindle_count,hi_spindles,inst_spindles";
  expect(nodeTable(cluster, tableFields(fields))).toBe(
    ` Index Name              a_mem primaries secondaries PrimaryTags PeerMap             NodeSpindles MaxSpindles InstSpindles
     0 alpha.example.com 59000     [1,0]          [] a:1=2,b:1=1 []                             4      4.0e-2          2.0
     1 beta.example.com      0        []     [2,1,0]             [(2,4096),(0,2048)]            4      4.0e-2          3.0
     2 c.example.com     60416       [2]          []             []                             4      4.0e-2          1.0
`,
  );
});

test("every row of the node table marks an unknown field", () => {
  expect(nodeTable(cluster, ["name", "nope"])).toBe(
    ` Name  <unknown field>
 alpha <unknown field>
 beta  <unknown field>
 c     <unknown field>
`,
  );
});

test("the node table can count nodes from 1, but not instances", () => {
  expect(nodeTable(cluster, ["idx", "plist", "peermap"], 1)).toBe(
    ` Index primaries PeerMap            
     1     [1,0] []                 
     2        [] [(3,4096),(1,2048)]
     3       [2] []                 
`,
  );
});

test("the node table of a cluster without nodes is only the header", () => {
  const empty = loadCluster(aCluster({ nodes: [] }));
  expect(nodeTable(empty, ["idx", "name"])).toBe(" Index Name\n");
});
