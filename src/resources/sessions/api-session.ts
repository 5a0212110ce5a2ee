import { signerAuthenticator } from '../../data/rows/api-session/index.js';
import {
  attribute,
  bool,
  json,
  objects,
  reference,
  text,
  textSet,
  time,
} from '../../kernel/declare/attribute.js';
import { resource, type Hooks } from '../../kernel/declare/resource.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { column, raw, sql, type Sql } from '../../base/sql.js';
import { Entity } from '../entity.js';
import { AUTH_QUERIES_ON_REST, AuthQuery } from '../trust/auth-query.js';
import {
  AS_KNOWN,
  askedProofsSql,
  authQueriesOfSession,
  cachedActivity,
  expiry,
} from './api-session-view.js';
import { childrenOf } from '../child-relations.js';
import { clientControllers } from '../controllers/client-controllers.js';

import { OWN_SESSION } from '../secrets.js';
import { isOfCaller } from '../own-rows.js';
import { revokeEndedSessions } from '../../trust/auth/index.js';

const ofAuthenticator =
  (name: string) =>
  (alias: string): Sql =>
    sql`coalesce((select a.${raw(name)} from authenticator a where a.id = ${column(alias, 'authenticator_id')}), false)`;

/** Sessions by a JWT name its signer; sessions of the controller itself name nothing. */
function instead(value: string): readonly [string, string] | null | undefined {
  const signer = signerAuthenticator('');
  if (value === 'internal') return null;
  return value.startsWith(signer) ? ['ExternalJwtSigner', value.slice(signer.length)] : undefined;
}

const hooks: Hooks<'ApiSession'> = {
  removed: ({ ctx, tx }, sessions) => revokeEndedSessions(ctx, tx, sessions),
};

@resource({
  description: 'A login of an identity.',
  plural: 'ApiSessions',
  path: 'api-sessions',
  permission: 'ops',
  createdOften: true,
  decides: { callers: 'apiSessionId' },
  rest: { forbidsDeletion: true },
  grants: ['read', 'update', 'delete'],
  sortableIds: true,
  unique: [['token']],
  verbs: ['delete'],
  visible: isOfCaller,
  isCaller: ({ caller }, { id }) => id === caller?.apiSessionId,
  links: ['sessions'],
  relations: [
    childrenOf('sessions', 'Session', 'apiSessionId', 'Its sessions.', false),
    childrenOf(
      'certificates',
      'ApiSessionCertificate',
      'apiSessionId',
      'Its short-lived certificates.',
      false,
    ),
    clientControllers,
  ],
  hooks,
  storage: { indexes: [{ on: ['caId'], where: '"ca_id" is not null' }] },
})
export class ApiSession extends Entity {
  @attribute(text(), {
    description:
      'The token in requests. Visible at login, to the session itself and to administrators; empty for others.',
    write: 'never',
    filter: true,
    unlogged: true,
    secret: OWN_SESSION,
  })
  token!: string;

  @attribute(reference('Identity', { onDelete: 'cascade' }), {
    description: 'Id of the identity.',
    write: 'never',
    filter: 'identity',
  })
  identityId!: string;

  @attribute(reference('Authenticator', { onDelete: 'cascade', onRest: false, instead }), {
    description: 'Id of the authenticator that it logged in with.',
    write: 'never',
    filter: 'authenticator',
    // The column also has texts of `instead`, which name no authenticator.
    column: { references: false, index: 'btree' },
  })
  authenticatorId!: string;

  @attribute(reference('CertificateAuthority', { as: 'ca', onDelete: 'cascade', onRest: false }), {
    description: 'Id of the authority of others that vouched for the login, with which it ends.',
    write: 'never',
    nullable: true,
    graphOnly: true,
  })
  caId!: string | null;

  @attribute(text(), {
    description:
      'SHA-1 of the client certificate that it logged in with, in lower-case hex. Routers accept its client with this certificate until it ends.',
    write: 'never',
    nullable: true,
    graphOnly: true,
  })
  certificateFingerprint!: string | null;

  @attribute(text(), {
    description:
      'The OAuth client that opened it over OpenID Connect; its access tokens stand for it. Null for other logins.',
    write: 'never',
    nullable: true,
    graphOnly: true,
  })
  oidcClient!: string | null;

  @attribute(bool(), {
    description:
      'Whether it has all rights in management by a claim of the JWT of its login, until it ends.',
    write: 'never',
    graphOnly: true,
  })
  grantedAdmin!: boolean;

  @attribute(textSet(), {
    description:
      'The permissions that it has by claims of the JWT of its login, beside those of its identity.',
    write: 'never',
    graphOnly: true,
  })
  grantedPermissions!: string[];

  @attribute(text(), { description: 'Address it logged in from.', write: 'never', filter: true })
  ipAddress!: string;

  @attribute(textSet(), {
    description: 'Config types to show with services: ids, or `all`.',
    write: 'never',
  })
  configTypes!: string[];

  @attribute(objects(() => AuthQuery), {
    description: 'The proofs that the session still needs for full authentication.',
    write: 'never',
    compute: authQueriesOfSession,
    restShape: AUTH_QUERIES_ON_REST,
  })
  authQueries!: Computed<AuthQuery[]>;

  @attribute(bool(), {
    description: 'Whether a second factor is set up.',
    write: 'never',
    filter: 'mfaRequired',
  })
  isMfaRequired!: boolean;

  @attribute(bool(), {
    description: 'Whether the second factor was given.',
    write: 'never',
    filter: 'mfaComplete',
  })
  isMfaComplete!: boolean;

  @attribute(bool(), {
    description: 'Whether the client certificate can be extended here.',
    write: 'never',
  })
  isCertExtendable!: boolean;

  @attribute(bool(), {
    description: 'Whether an administrator asked for a new client certificate.',
    write: 'never',
    sql: ofAuthenticator('is_extend_requested'),
  })
  isCertExtendRequested!: Computed<boolean>;

  @attribute(bool(), {
    description: 'Whether the new certificate should have a new key.',
    write: 'never',
    sql: ofAuthenticator('is_key_roll_requested'),
  })
  isCertKeyRollRequested!: Computed<boolean>;

  @attribute(bool(), {
    description: 'Whether the client left intermediates out of its chain.',
    write: 'never',
    filter: true,
  })
  improperClientCertChain!: boolean;

  @attribute(json(), {
    description: 'What the client is, as it told.',
    write: 'never',
    hidden: true,
    unlogged: true,
  })
  sdkInfo!: object;

  @attribute(json(), {
    description: 'What the auth policy asked for on top of the login and did not come with it.',
    write: 'never',
    hidden: true,
    unlogged: true,
  })
  unproved!: object;

  @attribute(json(), {
    description: 'What its identity and its auth policy ask for.',
    write: 'never',
    hidden: true,
    sql: askedProofsSql,
  })
  askedProofs!: Computed<object>;

  @attribute(time(), {
    description: 'Last request, as stored.',
    write: 'never',
    filter: true,
    unlogged: true,
    column: { index: 'btree' },
  })
  lastActivityAt!: Date;

  @attribute(time(), {
    description: 'Last request, as this controller knows.',
    write: 'never',
    compute: cachedActivity,
  })
  cachedLastActivityAt!: Computed<Date>;

  @attribute(time(), {
    description: `When it ends unless another request comes${AS_KNOWN}`,
    write: 'never',
    compute: expiry,
    graphFilter: (alias, ctx) => ctx.modules.apiSessions.expirySql(alias),
    graphOnly: true,
  })
  expiresAt!: Computed<Date>;
}
