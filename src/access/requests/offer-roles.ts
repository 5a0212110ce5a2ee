import type { RowOf } from '../../kernel/declare/rows.js';
import { entityOf, member, parseRoles } from '../../kernel/policy/index.js';

type Identity = RowOf<'Identity'>;

/** Whether an identity is in a role list of an offer; one that waits for its approval is in none. */
const isListed = (roles: readonly string[], identity: Identity): boolean =>
  !identity.isPending && member(parseRoles(roles), 'AnyOf', entityOf(identity));

export const mayRequest = ({ requesterRoles }: RowOf<'AccessOffer'>, identity: Identity): boolean =>
  isListed(requesterRoles, identity);

export const mayApprove = ({ approverRoles }: RowOf<'AccessOffer'>, identity: Identity): boolean =>
  isListed(approverRoles, identity);
