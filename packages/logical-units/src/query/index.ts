/** Units for queries. */
import { query } from "./query.js";
import { queryFields } from "./query-fields.js";

export const queryUnits = [query, queryFields];
