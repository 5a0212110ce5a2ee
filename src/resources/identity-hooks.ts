import { checkPermissions } from '../auth/index.js';
import type { RequestContext } from '../kernel/context.js';
import { failure, invalidField, notFound } from '../kernel/errors.js';
import type { Hooks, Write } from '../kernel/resource.js';
import { isObject, textsOf, type Row } from '../kernel/row.js';
import type { Transaction } from '../kernel/store-port.js';
import { addIdentityEnrollment } from './new-enrollment.js';

/** Disabled, and not for a time that is over. */
export function isDisabled(row: Row, now: Date): boolean {
  const { disabledAt, disabledUntil } = row;
  if (!(disabledAt instanceof Date)) return false;
  return !(disabledUntil instanceof Date) || disabledUntil > now;
}

async function validate(write: Write): Promise<void> {
  const { ctx, tx, values, current } = write;
  refuseEscalation(write);
  // Consoles send blank for "none"; two blanks must not collide in the unique index.
  if (values.externalId === '') values.externalId = null;
  if (values.authPolicyId === '') values.authPolicyId = 'default';
  if (values.permissions !== undefined) {
    values.permissions = checkPermissions(textsOf(values.permissions));
  }
  checkType(write);
  if (current.typeId === 'Router' && values.name !== undefined && values.name !== current.name) {
    throw invalidField('name', 'the name of a router identity is that of its router', values.name);
  }
  await checkServices(ctx, tx, [values.serviceHostingCosts, values.serviceHostingPrecedences]);
}

/** Only routers have type Router, for their whole life; all else that clients name is Default. */
function checkType({ verb, values, current }: Write): void {
  const kind = values.typeId;
  if (kind === undefined) return;
  const isRouter = current.typeId === 'Router';
  if (verb !== 'create' && isRouter !== (kind === 'Router')) {
    throw invalidField('typeId', 'the type of a router identity can not be changed', kind);
  }
  values.typeId = isRouter ? 'Router' : 'Default';
}

/** A non-admin who may write identities can not make or touch administrators, nor give permissions. */
function refuseEscalation({ verb, ctx, values, current }: Write): void {
  if (ctx.caller?.isAdmin !== false) return;
  const grants = values.isAdmin === true || textsOf(values.permissions).length > 0;
  if (grants || current.isAdmin === true || verb === 'replace') throw failure('UNAUTHORIZED');
}

async function checkServices(ctx: RequestContext, tx: Transaction, maps: unknown[]): Promise<void> {
  const ids = [...new Set(maps.filter(isObject).flatMap((m) => Object.keys(m)))];
  if (ids.length === 0) return;
  const known = await tx.hold(ctx.catalog.get('Service'), ids);
  const missing = ids.find((id) => !known.includes(id));
  if (missing !== undefined) throw notFound('service', missing);
}

async function before(write: Write): Promise<void> {
  const { verb, ctx, tx, current, id } = write;
  if (verb !== 'delete') return;
  refuseEscalation(write);
  if (current.isDefaultAdmin === true) throw failure('ENTITY_CAN_NOT_BE_DELETED');
  if (current.typeId !== 'Router') return;
  const [router] = await tx.find(ctx.catalog.get('EdgeRouter'), { id });
  if (router) throw failure('ENTITY_CAN_NOT_BE_DELETED', 'its router still exists');
}

async function after({ verb, ctx, tx, id, values }: Write): Promise<void> {
  const request = values.enrollmentRequest;
  if (verb !== 'create' || !isObject(request)) return;
  if (request.ott === true) await addIdentityEnrollment(ctx, tx, { method: 'ott', identityId: id });
  else if (typeof request.ottca === 'string' && request.ottca !== '') {
    await addIdentityEnrollment(ctx, tx, { method: 'ottca', identityId: id, caId: request.ottca });
  } else if (typeof request.updb === 'string' && request.updb !== '') {
    await addIdentityEnrollment(ctx, tx, {
      method: 'updb',
      identityId: id,
      username: request.updb,
    });
  }
}

export const identityHooks: Hooks = { validate, before, after };
