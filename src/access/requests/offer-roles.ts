import type { RowOf } from '../../kernel/declare/rows.js';
import { effectiveAttributes, member, parseRoles } from '../../kernel/policy/index.js';

type Identity = RowOf<'Identity'>;

/** Whether an identity is in a role list of an offer; one matching entry is enough. */
const isListed = (roles: readonly string[], identity: Identity): boolean =>
  member(parseRoles(roles), 'AnyOf', {
    id: identity.id,
    attributes: effectiveAttributes(identity),
  });

export const mayRequest = ({ requesterRoles }: RowOf<'AccessOffer'>, identity: Identity): boolean =>
  isListed(requesterRoles, identity);

export const mayApprove = ({ approverRoles }: RowOf<'AccessOffer'>, identity: Identity): boolean =>
  isListed(approverRoles, identity);
