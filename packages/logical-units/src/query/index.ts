/** Units for queries. */
import type { Unit } from "../unit/unit.js";
import { query } from "./query.js";
import { queryFields } from "./query-fields.js";

export const queryUnits: readonly Unit[] = [query, queryFields];
