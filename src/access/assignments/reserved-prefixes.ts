import { lockUntilCommit, shareLockUntilCommit } from '../../base/advisory-lock.js';
import { invalidField } from '../../base/errors.js';
import { textsOf } from '../../base/row.js';
import { accessOffers } from '../../data/rows/access-request/index.js';
import { certificateAuthorities } from '../../data/rows/certificate-authority/index.js';
import { directories } from '../../data/rows/directory/index.js';
import { externalJwtSigners } from '../../data/rows/external-jwt-signer/index.js';
import { identities } from '../../data/rows/identity/index.js';
import { roleAssignments, type ReservedPrefix } from '../../data/rows/role-assignment/index.js';
import { attributeOf } from '../../kernel/declare/rows.js';
import type {
  CommitGuard,
  PendingChange,
  Rows,
  Transaction,
} from '../../kernel/request/store-port.js';

/*
 * A source of role attributes owns a prefix: `idp:` of `idp:engineering`. A prefix ends with the first colon of an
 * attribute, so that two prefixes are equal or do not overlap, and attributes without a colon need no look-up.
 */

const PREFIX = /^[A-Za-z0-9][A-Za-z0-9._-]*:$/;

/** The number of an advisory lock: no prefix becomes reserved while attributes that begin with it are written. */
const LOCK = 7_031_208_416;

/** Gives the part of a role attribute that a source may own. */
const prefixOf = (attribute: string): string | undefined => {
  const end = attribute.indexOf(':');
  return end === -1 ? undefined : attribute.slice(0, end + 1);
};

/** The member of a source that names its prefix. */
const PREFIX_FIELD = 'roleAttributePrefix';

/**
 * Reserves a prefix for a source. One that has it already keeps it: an import also rehearses the creation of an entity
 * that exists.
 * @throws ApiError COULD_NOT_VALIDATE if the prefix has another form, another owner, or is in use
 */
export async function reservePrefix(
  tx: Transaction,
  source: string,
  prefix: string,
): Promise<void> {
  if (!PREFIX.test(prefix)) {
    const reason = 'must be letters, digits, dots, hyphens or underscores with a colon at the end';
    throw invalidField(PREFIX_FIELD, reason, prefix);
  }
  await lockUntilCommit(tx, LOCK);
  const [owner] = await ownersOf(tx, [prefix]);
  if (owner?.source === source) return;
  if (owner) throw invalidField(PREFIX_FIELD, `is reserved for ${owner.ownerName}`, prefix);
  const count = await usesOf(tx, prefix);
  if (count > 0) {
    const users = `${String(count)} identities, role assignments, authorities or access offers`;
    const reason = `${users} already have role attributes that begin with it`;
    throw invalidField(PREFIX_FIELD, reason, prefix);
  }
}

async function usesOf(rows: Rows, prefix: string): Promise<number> {
  const counts = await Promise.all([
    identities.countByAttributePrefix(rows, prefix),
    roleAssignments.countByAttributePrefix(rows, prefix),
    certificateAuthorities.countByAttributePrefix(rows, prefix),
    accessOffers.countByAttributePrefix(rows, prefix),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The owners of prefixes, whatever kind of source they are. */
async function ownersOf(rows: Rows, prefixes: readonly string[]): Promise<ReservedPrefix[]> {
  const owners = await Promise.all([
    directories.reservedPrefixes(rows, prefixes),
    externalJwtSigners.reservedPrefixes(rows, prefixes),
    certificateAuthorities.reservedPrefixes(rows, prefixes),
  ]);
  return owners.flat();
}

/** Refuses role attributes with the prefix of another source, whichever way they are written. */
export function reservedPrefixGuard(): CommitGuard {
  return async (tx, changes) => {
    const written = changes.flatMap(writtenAttributes);
    const prefixes = new Set(written.map(({ prefix }) => prefix));
    if (prefixes.size === 0) return;
    await shareLockUntilCommit(tx, LOCK);
    const owners = new Map(
      (await ownersOf(tx, [...prefixes])).map((owner) => [owner.prefix, owner]),
    );
    for (const attribute of written) refuseForeign(attribute, owners.get(attribute.prefix));
  };
}

interface WrittenAttribute {
  readonly field: string;
  readonly attribute: string;
  readonly prefix: string;
  readonly source: string;
}

function refuseForeign(
  { field, attribute, prefix, source }: WrittenAttribute,
  owner: ReservedPrefix | undefined,
): void {
  if (!owner || owner.source === source) return;
  throw invalidField(field, `${prefix} is reserved for ${owner.ownerName}`, attribute);
}

/** The members that give identities role attributes. */
const FIELDS: Readonly<Record<string, string>> = {
  Identity: 'roleAttributes',
  CertificateAuthority: 'identityRoles',
  AccessOffer: 'roleAttribute',
};

/** Gives the new attributes of a change that have a prefix, with the source that writes them. */
function writtenAttributes(change: PendingChange): WrittenAttribute[] {
  if (change.resource === 'RoleAssignment') return assignedAttribute(change);
  const field = FIELDS[change.resource];
  if (field === undefined || !change.after) return [];
  const before = new Set(valuesIn(change.before, field));
  return valuesIn(change.after, field)
    .filter((attribute) => !before.has(attribute))
    .flatMap((attribute) => withPrefix({ field, attribute, source: roleAssignments.HAND }));
}

function assignedAttribute({ before, after }: PendingChange): WrittenAttribute[] {
  const [attribute] = valuesIn(after, 'roleAttribute');
  const [source = roleAssignments.HAND] = valuesIn(after, 'source');
  if (attribute === undefined || valuesIn(before, 'roleAttribute').includes(attribute)) return [];
  return withPrefix({ field: 'roleAttribute', attribute, source });
}

function withPrefix(written: Omit<WrittenAttribute, 'prefix'>): WrittenAttribute[] {
  const prefix = prefixOf(written.attribute);
  return prefix === undefined ? [] : [{ ...written, prefix }];
}

function valuesIn(state: PendingChange['after'], field: string): string[] {
  const value: unknown = state ? attributeOf(state, field) : undefined;
  return typeof value === 'string' ? [value] : textsOf(value);
}
