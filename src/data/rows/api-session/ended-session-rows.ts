import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected, TableRow } from '../../prisma/models.js';
import { HAS_RIGHTS } from '../identity/index.js';
import { INTERNAL, signerAuthenticator } from './session-authenticator.js';

/* The ids of the sessions that end since a signer or an authority is not trusted any more. */

/** All sessions, or those of identities with rights alone. */
interface EndedSessions {
  readonly areAllOver: boolean;
}

const ID = { id: true } as const;

/** Sessions with rights of their own, which a signer gave. */
const HAS_GRANTS = {
  NOT: { grantedAdmin: false, grantedPermissions: { isEmpty: true } },
} as const;

const idsOf = (sessions: readonly { readonly id: string }[]): string[] =>
  sessions.map(({ id }) => id);

/** The sessions that came by a signer. */
export async function ofSigner(
  tx: Rows,
  signerId: string,
  { areAllOver }: EndedSessions,
): Promise<string[]> {
  const where = {
    authenticatorId: signerAuthenticator(signerId),
    ...(areAllOver ? {} : { OR: [{ identity: HAS_RIGHTS }, HAS_GRANTS] }),
  };
  return idsOf(await tx.readModel((models) => models.apiSession.findMany({ where, select: ID })));
}

/** The sessions with rights that a signer gave. */
export async function grantedBy(tx: Rows, signerId: string): Promise<string[]> {
  const where = { authenticatorId: signerAuthenticator(signerId), ...HAS_GRANTS };
  return idsOf(await tx.readModel((models) => models.apiSession.findMany({ where, select: ID })));
}

const GRANTS = { id: true, grantedAdmin: true, grantedPermissions: true } as const;

/** The sessions of an identity with rights that a signer gave, and these rights. */
export const granted = (
  tx: Rows,
  login: Pick<TableRow<'ApiSession'>, 'identityId' | 'authenticatorId'>,
): Promise<Selected<'ApiSession', typeof GRANTS>[]> =>
  tx.readModel((models) =>
    models.apiSession.findMany({ where: { ...login, ...HAS_GRANTS }, select: GRANTS }),
  );

/**
 * The sessions that came by an authority. Those of identities with rights alone are those by an
 * external id: otherwise an administrator has given the identity the certificate.
 */
export async function ofAuthority(
  tx: Rows,
  caId: string,
  { areAllOver }: EndedSessions,
): Promise<string[]> {
  const where = {
    caId,
    ...(areAllOver ? {} : { authenticatorId: INTERNAL, identity: HAS_RIGHTS }),
  };
  return idsOf(await tx.readModel((models) => models.apiSession.findMany({ where, select: ID })));
}

/**
 * The sessions of an identity that came by an authority or a signer that is not trusted for
 * management, so that they may not have the rights of an administrator. A statement, since no relation
 * leads to the signer.
 */
export async function unvouched(tx: Rows, identityId: string): Promise<string[]> {
  return idsOf(
    await tx.query(
      sql<{
        id: string;
      }>`select s.id from api_session s where s.identity_id = ${identityId}::text and (
        s.ca_id in (select id from certificate_authority where not trusted_for_management)
        or s.authenticator_id in (select ${signerAuthenticator('')}::text || id from external_jwt_signer where not trusted_for_management))`,
    ),
  );
}
