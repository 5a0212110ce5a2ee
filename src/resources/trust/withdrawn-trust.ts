import type { Write } from '../../kernel/declare/resource.js';
import { deleteIn } from '../../kernel/write/write.js';
import { endedSessions } from '../../data/rows/api-session/index.js';
import { endsAdminClaims } from './admin-claim-hooks.js';

/** Ends the API sessions that a signer does not carry any more after a write. */
export async function endSessionsOfSigner(write: Write<'ExternalJwtSigner'>): Promise<void> {
  const { verb, tx, id, values } = write;
  const areAllOver = verb === 'delete' || values.enabled === false;
  if (areAllOver || losesTrust(write)) {
    await endSessions(write, await endedSessions.ofSigner(tx, id, { areAllOver }));
  } else if (endsAdminClaims(write)) {
    await endSessions(write, await endedSessions.grantedBy(tx, id));
  }
}

/** Ends the API sessions that an authority does not carry any more; a deletion ends all of them. */
export async function endSessionsOfAuthority(write: Write<'CertificateAuthority'>): Promise<void> {
  const { verb, tx, id, values } = write;
  if (verb === 'delete') return;
  const areAllOver = values.isAuthEnabled === false;
  if (!areAllOver && !losesTrust(write)) return;
  await endSessions(write, await endedSessions.ofAuthority(tx, id, { areAllOver }));
}

type TrustWrite = Write<'CertificateAuthority' | 'ExternalJwtSigner'>;

const losesTrust = ({ verb, values, current }: TrustWrite): boolean =>
  verb !== 'create' &&
  current.trustedForManagement === true &&
  values.trustedForManagement === false;

async function endSessions(
  { ctx, tx }: Pick<Write, 'ctx' | 'tx'>,
  ids: readonly string[],
): Promise<void> {
  const sessions = ctx.catalog.resources.ApiSession;
  await deleteIn(ctx, tx, sessions, await tx.find(sessions, { id: ids }));
}
