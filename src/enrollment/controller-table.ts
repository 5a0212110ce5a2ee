import type { JsonObject } from '../base/row.js';
import { sql, type Queryable } from '../base/sql.js';

/** Where a controller is reached, and its certificate. */
type ControllerAddressRow = {
  readonly ctrl_address: string | null;
  readonly cert_pem: string;
  readonly api_addresses: JsonObject;
};

/** Of all controllers of the network, whether they run or not. */
export const controllerAddresses = (tx: Queryable): Promise<ControllerAddressRow[]> =>
  tx.query(
    sql<ControllerAddressRow>`select ctrl_address, cert_pem, api_addresses from controller order by id`,
  );
