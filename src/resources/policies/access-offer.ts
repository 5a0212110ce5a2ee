import {
  attribute,
  bool,
  int,
  oneOf,
  roles,
  text,
  type ValueOf,
} from '../../kernel/declare/attribute.js';
import { accessOffers } from '../../data/rows/access-request/index.js';
import { FALSE } from '../../base/sql.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import { resource } from '../../kernel/declare/resource.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { NamedEntity } from '../entity.js';
import { accessOfferHooks } from './access-offer-hooks.js';
import { rolesDisplay, type NamedRole } from './policy-parts.js';

const MAX_DESCRIPTION_LENGTH = 1_000;
const MAX_MINUTES = 525_600;
const MAX_ACTIVE = 100;

export const OFFER_APPROVAL = oneOf(
  'AccessOfferApproval',
  {
    REQUIRED: 'An approver decides on each request.',
    NONE: 'Requests are granted at once.',
    BREAK_GLASS:
      'For emergencies: requests are granted at once, and each is a finding until an administrator has reviewed it.',
  },
  'How requests of an access offer are granted.',
);

export const OFFER_SECOND_FACTOR = oneOf(
  'AccessOfferSecondFactor',
  {
    NONE: 'None.',
    TOTP: 'A code of an authenticator application, in the session that asks.',
    EXT_JWT: 'A JWT of the signer that the auth policy of the identity requires beside the login.',
  },
  'The second factor by which the session of a request must be proved.',
);

const mayRequest = computeFrom<'AccessOffer'>()([], async (rows, { caller, store }) => {
  const ids = rows.map(({ id }) => id);
  const offered = await accessOffers.offeredTo(store, ids, caller?.identityId ?? '');
  return ids.map((id) => offered.has(id));
});

@resource({
  description:
    'A role attribute that identities may ask for, for a time. Without an offer nobody can ask for it.',
  plural: 'AccessOffers',
  path: 'access-offers',
  permission: 'admin',
  visible: ({ caller }, alias) =>
    caller ? accessOffers.isOfferedTo(alias, caller.identityId) : FALSE,
  hooks: accessOfferHooks,
})
export class AccessOffer extends NamedEntity {
  @attribute(text({ max: MAX_DESCRIPTION_LENGTH }), {
    description: 'What it is for, for those who may ask.',
    nullable: true,
    filter: true,
  })
  description!: string | null;

  @attribute(text({ min: 1 }), {
    description: 'The role attribute that it gives.',
    required: true,
    filter: true,
  })
  roleAttribute!: string;

  @attribute(roles('Identity'), {
    description:
      'The identities that may ask, by a role list as in policies; one matching entry is enough.',
    filter: true,
  })
  requesterRoles!: string[];

  @rolesDisplay('requesterRoles', 'identity')
  requesterRolesDisplay!: Computed<NamedRole[]>;

  @attribute(OFFER_APPROVAL, {
    description: 'How its requests are granted.',
    default: 'REQUIRED',
    filter: true,
  })
  approval!: ValueOf<typeof OFFER_APPROVAL>;

  @attribute(roles('Identity'), {
    description:
      'The identities that approve, by a role list; one matching entry is enough. Nobody approves an own request. Administrators always may.',
    filter: true,
  })
  approverRoles!: string[];

  @rolesDisplay('approverRoles', 'identity')
  approverRolesDisplay!: Computed<NamedRole[]>;

  @attribute(int({ min: 1, max: MAX_MINUTES }), {
    description: 'The longest duration of a grant in minutes.',
    required: true,
    filter: true,
  })
  maxMinutes!: number;

  @attribute(OFFER_SECOND_FACTOR, {
    description: 'The second factor that a request needs.',
    default: 'NONE',
    filter: true,
  })
  secondFactor!: ValueOf<typeof OFFER_SECOND_FACTOR>;

  @attribute(int({ min: 1, max: MAX_ACTIVE }), {
    description: 'The number of open requests and grants that an identity may have at once.',
    default: 1,
    filter: true,
  })
  maxActive!: number;

  @attribute(bool(), {
    description: 'Whether the caller may ask for it.',
    write: 'never',
    compute: mayRequest,
    graphFilter: (alias, { caller }) => accessOffers.isOfferedTo(alias, caller?.identityId ?? ''),
  })
  mayRequest!: Computed<boolean>;
}
