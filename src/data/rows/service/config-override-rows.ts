import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected, TableRow } from '../../prisma/models.js';

/* Configs that an identity uses for a service instead of the service's own. */

const OVERRIDE = { identityId: true, serviceId: true, configId: true } as const;

export const all = (rows: Rows): Promise<Selected<'ServiceConfigOverride', typeof OVERRIDE>[]> =>
  rows.readModel((models) => models.serviceConfigOverride.findMany({ select: OVERRIDE }));

/** The form in the change log. */
const LOGGED = { serviceId: true, configId: true } as const;

export const ofIdentity = (
  tx: Rows,
  identityId: string,
): Promise<Selected<'ServiceConfigOverride', typeof LOGGED>[]> =>
  tx.readModel((models) =>
    models.serviceConfigOverride.findMany({
      where: { identityId },
      select: LOGGED,
      orderBy: [{ serviceId: 'asc' }, { configTypeId: 'asc' }],
    }),
  );

type NamedOverride = Selected<'ServiceConfigOverride', typeof OVERRIDE> & {
  readonly serviceName: string;
  readonly configName: string;
};

/** Reads by a statement: any number of ids is one parameter. */
export const named = (rows: Rows, identityIds: readonly string[]): Promise<NamedOverride[]> =>
  rows.query(
    sql<NamedOverride>`select o.identity_id as "identityId", s.id as "serviceId", s.name as "serviceName",
        c.id as "configId", c.name as "configName"
      from service_config_override o join service s on s.id = o.service_id join config c on c.id = o.config_id
      where o.identity_id = any(${[...identityIds]}::text[]) order by o.service_id, o.config_type_id`,
  );

/** The key: an identity has one config of each type for a service. */
type OverrideKey = Pick<
  TableRow<'ServiceConfigOverride'>,
  'identityId' | 'serviceId' | 'configTypeId'
>;

/** Stores an override and replaces an earlier one of the same type. */
export const put = (
  tx: Rows,
  { identityId, serviceId, configTypeId }: OverrideKey,
  configId: string,
): Promise<unknown> => {
  const key = { identityId, serviceId, configTypeId };
  return tx.writeModel((models) =>
    models.serviceConfigOverride.upsert({
      where: { identityId_serviceId_configTypeId: key },
      create: { ...key, configId },
      update: { configId },
      select: { configId: true },
    }),
  );
};

export const remove = (
  tx: Rows,
  { identityId, serviceId, configTypeId }: OverrideKey,
): Promise<unknown> =>
  tx.writeModel((models) =>
    models.serviceConfigOverride.deleteMany({ where: { identityId, serviceId, configTypeId } }),
  );

export const removeOfIdentity = (tx: Rows, identityId: string): Promise<unknown> =>
  tx.writeModel((models) => models.serviceConfigOverride.deleteMany({ where: { identityId } }));

/** Gives an identity that overrides with the config. */
export async function identityUsing(tx: Rows, configId: string): Promise<string | undefined> {
  const [override] = await tx.readModel((models) =>
    models.serviceConfigOverride.findMany({
      where: { configId },
      select: { identityId: true },
      take: 1,
    }),
  );
  return override?.identityId;
}
