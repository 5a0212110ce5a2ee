import type { JsonObject } from '../base/row.js';
import { sql, type Queryable } from '../base/sql.js';

/** The addresses of a controller, and its certificate. */
type ControllerAddressRow = {
  readonly ctrl_address: string | null;
  readonly cert_pem: string;
  readonly api_addresses: JsonObject;
};

/** Reads the addresses of all controllers of the network, running or not. */
export const controllerAddresses = (tx: Queryable): Promise<ControllerAddressRow[]> =>
  tx.query(
    sql<ControllerAddressRow>`select ctrl_address, cert_pem, api_addresses from controller order by id`,
  );
