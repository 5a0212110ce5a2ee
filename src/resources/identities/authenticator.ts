import { attribute, bool, object, reference, text, time } from '../../kernel/declare/attribute.js';
import { resource } from '../../kernel/declare/resource.js';
import type { Computed, InputOnly, RowOf } from '../../kernel/declare/rows.js';
import { columnOfType } from '../../kernel/declare/table.js';
import { authenticatorHooks } from './authenticator-hooks.js';
import { NOT_AFTER, NOT_BEFORE } from '../trust/certificate-validity.js';
import { Entity } from '../entity.js';
import { isOfCaller } from '../own-rows.js';
import { CertificateDetails, DETAILS_OF_PEM } from '../trust/certificate-details.js';

@resource({
  description: 'One way in which an identity logs in: a certificate or a username with password.',
  plural: 'Authenticators',
  path: 'authenticators',
  permission: 'admin',
  createdOften: true,
  exported: false,
  rest: {
    conflicts: ['create', 'replace', 'update'],
    links: ({ identityId }: RowOf<'Authenticator'>) => ({
      identities: `identities/${identityId}`,
    }),
  },
  unique: [['username'], ['fingerprint'], ['identityId', 'method']],
  visible: isOfCaller,
  hooks: authenticatorHooks,
  storage: {
    // Statements of the login count here, outside of the writes of the resource.
    columns: {
      failedAttempts: columnOfType('integer', { default: 0 }),
      strangerAttempts: columnOfType('integer', { default: 0 }),
      strangersBarredUntil: columnOfType('time', { nullable: true }),
    },
    indexes: [
      { on: ['notAfter', 'id'] },
      { on: ['caId'], where: '"ca_id" is not null' },
      {
        name: 'authenticator_issuer_unknown_idx',
        on: ['id'],
        where: `"method" = 'cert' and "ca_id" is null and not "is_issued_by_network"`,
      },
    ],
  },
})
export class Authenticator extends Entity {
  @attribute(reference('Identity', { onDelete: 'cascade' }), {
    description: 'Id of the identity.',
    write: 'create',
    required: true,
    filter: 'identity',
    missingField: 'identityId',
  })
  identityId!: string;

  @attribute(text(), {
    description: '`updb` or `cert`.',
    write: 'create',
    required: true,
    filter: true,
  })
  method!: string;

  @attribute(text({ min: 4, max: 100 }), {
    description: 'Unique username of method `updb`.',
    nullable: true,
    required: false,
    filter: 'updbUsername',
    omitEmpty: true,
  })
  username!: string | null;

  @attribute(text({ min: 5, max: 100 }), {
    description: 'Password of method `updb`; never shown.',
    inputOnly: true,
    nullable: true,
  })
  password!: InputOnly<string | null>;

  @attribute(text(), {
    description: 'Hash of the password.',
    write: 'never',
    nullable: true,
    hidden: true,
    unlogged: true,
  })
  passwordHash!: string | null;

  @attribute(text(), {
    description: 'The certificate of method `cert`.',
    write: 'create',
    nullable: true,
    filter: true,
    omitEmpty: true,
  })
  certPem!: string | null;

  @attribute(object(() => CertificateDetails), DETAILS_OF_PEM)
  certificateDetails!: Computed<CertificateDetails | null>;

  @attribute(time(), NOT_BEFORE)
  notBefore!: Date | null;

  @attribute(time(), NOT_AFTER)
  notAfter!: Date | null;

  @attribute(text(), {
    description: 'SHA-1 of the certificate in lower-case hex.',
    write: 'never',
    nullable: true,
    filter: 'certFingerprint',
    omitEmpty: true,
    givenBy: 'certPem',
  })
  fingerprint!: string | null;

  @attribute(text(), {
    description: 'SHA-1 of its public key.',
    write: 'never',
    nullable: true,
    filter: true,
    graphOnly: true,
  })
  publicKeyPrint!: string | null;

  @attribute(bool(), {
    description: 'Whether this controller issued the certificate.',
    write: 'never',
    filter: true,
  })
  isIssuedByNetwork!: boolean;

  @attribute(reference('CertificateAuthority', { as: 'ca', onDelete: 'cascade', onRest: false }), {
    description: 'Id of the authority of others that issued the certificate, with which it ends.',
    write: 'never',
    nullable: true,
    graphOnly: true,
  })
  caId!: string | null;

  @attribute(text(), {
    description: 'SHA-1 of a new certificate that it has still to confirm.',
    write: 'never',
    nullable: true,
    hidden: true,
  })
  unverifiedFingerprint!: string | null;

  @attribute(text(), {
    description: 'A new certificate that it has still to confirm.',
    write: 'never',
    nullable: true,
    hidden: true,
  })
  unverifiedCertPem!: string | null;

  @attribute(bool(), {
    description: 'Whether an administrator asked for a new certificate.',
    write: 'never',
    filter: true,
  })
  isExtendRequested!: boolean;

  @attribute(bool(), {
    description: 'Whether the new certificate should have a new key.',
    write: 'never',
    filter: true,
  })
  isKeyRollRequested!: boolean;

  @attribute(time(), {
    description: 'When that was asked.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  extendRequestedAt!: Date | null;

  @attribute(bool(), {
    description: 'Whether the last extension changed the key.',
    write: 'never',
    filter: true,
  })
  lastExtendRolledKeys!: boolean;

  @attribute(bool(), {
    description: 'Whether the chain of the last login led to a root.',
    write: 'never',
    filter: true,
  })
  lastAuthResolvedToRoot!: boolean;
}
