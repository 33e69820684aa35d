/** Units about networks. */
import { addNetwork } from "./add.js";
import { connectNetwork } from "./connect.js";
import { disconnectNetwork } from "./disconnect.js";
import { removeNetwork } from "./remove.js";
import { renameNetwork } from "./rename.js";
import { setNetworkParams } from "./set-params.js";

export const networkUnits = [
  addNetwork,
  removeNetwork,
  renameNetwork,
  setNetworkParams,
  connectNetwork,
  disconnectNetwork,
];
