/** Units about the cluster as a whole. */
import { queryConfig } from "./config-query.js";
import { destroyCluster } from "./destroy.js";
import { masterFailover } from "./master-failover.js";
import { activateMasterIp, deactivateMasterIp } from "./master-ip.js";
import { postInit } from "./post-init.js";
import { queryCluster } from "./query.js";
import { redistributeConfig } from "./redistribute.js";
import { renameCluster } from "./rename.js";
import { renewCrypto } from "./renew-crypto.js";
import { repairDiskSizes } from "./repair-disk-sizes.js";
import { setClusterParams } from "./set-params.js";
import { verifyCluster } from "./verify/verify.js";
import { verifyConfig } from "./verify/verify-config.js";
import { verifyDisks } from "./verify/verify-disks.js";
import { verifyGroup } from "./verify/verify-group.js";

export const clusterUnits = [
  postInit,
  destroyCluster,
  queryCluster,
  queryConfig,
  renameCluster,
  setClusterParams,
  redistributeConfig,
  activateMasterIp,
  deactivateMasterIp,
  masterFailover,
  renewCrypto,
  verifyCluster,
  verifyConfig,
  verifyGroup,
  verifyDisks,
  repairDiskSizes,
];
