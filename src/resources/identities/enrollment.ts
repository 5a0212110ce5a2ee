import { refuseHigherRightsOf } from '../../trust/auth/index.js';
import { attribute, oneOf, reference, text, time } from '../../kernel/declare/attribute.js';
import { failure, invalidField } from '../../base/errors.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import { present, type Computed, type WrittenOf } from '../../kernel/declare/rows.js';
import { ENROLLMENT_WARNING, WARNING, type Warning } from '../trust/authority-warning.js';
import { Entity } from '../entity.js';
import { ENROLLMENT_TOKEN } from '../secrets.js';

const SHOWN_TO =
  'Visible to callers who could create it, for identities with no more rights than theirs; empty for others.';

const METHODS = ['ott', 'ottca', 'updb'];

/** Requires the members of the method. */
function checkMembers({ method, caId, username }: WrittenOf<'Enrollment'>): void {
  if (!METHODS.some((validMethod) => validMethod === method)) {
    throw invalidField('method', `method in body should be one of [${METHODS.join(' ')}]`, method);
  }
  if (method === 'ottca' && (caId ?? null) === null) {
    throw invalidField('caId', 'caId is required for method ottca', '');
  }
  if (method === 'updb' && (username ?? '') === '') {
    throw invalidField('username', 'username is required for method updb', '');
  }
}

/** Makes an enrollment for an existing identity, one of each method. */
async function validate({ ctx, tx, id, values }: Write<'Enrollment'>): Promise<void> {
  checkMembers(values);
  const { method, identityId, expiresAt } = present(values, 'method', 'identityId', 'expiresAt');
  const { Identity, Enrollment: enrollments } = ctx.catalog.resources;
  const [subject] = identityId === null ? [] : await tx.hold(Identity, [identityId]);
  if (subject === undefined) {
    throw invalidField('identityId', 'no identity found with the given id', identityId);
  }
  await refuseHigherRightsOf(ctx, tx, identityId);
  const [existingEnrollment] = await tx.find(enrollments, { identityId, method });
  if (existingEnrollment && existingEnrollment.id !== id)
    throw failure('ENROLLMENT_EXISTS', 'method');
  const newToken = ctx.modules.enrollment.tokens.newEnrollment({
    method: method as 'ott' | 'ottca' | 'updb',
    subject,
    expiresAt,
  });
  Object.assign(values, newToken);
}

/** Refuses to delete enrollments of identities with more rights than the caller. */
async function before({ verb, ctx, tx, current }: Write<'Enrollment'>): Promise<void> {
  if (verb === 'delete') await refuseHigherRightsOf(ctx, tx, current.identityId);
}

@resource({
  description: 'An invitation to join the network, until it is used or ends.',
  plural: 'Enrollments',
  path: 'enrollments',
  permission: 'enrollment',
  createdOften: true,
  rest: { conflicts: ['create'] },
  verbs: ['create', 'delete'],
  unique: [['token']],
  storage: { indexes: [{ on: ['expiresAt'] }] },
  hooks: { validate, before },
})
export class Enrollment extends Entity {
  @attribute(
    oneOf('EnrollmentMethod', {
      ott: 'By a one-time token, for a certificate of the network.',
      ottca: 'By a one-time token, with a certificate of a registered authority.',
      updb: 'By a one-time token, for a username and a password.',
      erott: 'An edge router, by a one-time token.',
      trott: 'A transit router, by a one-time token.',
    }),
    {
      description: 'The method of enrollment; `erott` and `trott` are created only with routers.',
      required: true,
      graphFilter: true,
    },
  )
  method!: 'updb' | 'ott' | 'ottca' | 'erott' | 'trott';

  @attribute(text(), {
    description: `The one-time token. ${SHOWN_TO}`,
    write: 'never',
    filter: true,
    unlogged: true,
    secret: ENROLLMENT_TOKEN,
  })
  token!: string;

  @attribute(text(), {
    description: `The signed token for clients. ${SHOWN_TO}`,
    write: 'never',
    unlogged: true,
    secret: ENROLLMENT_TOKEN,
  })
  jwt!: string;

  @attribute(time(), { description: 'When it ends.', required: true, graphFilter: true })
  expiresAt!: Date;

  @attribute(reference('Identity', { onDelete: 'cascade' }), {
    description: 'Id of the identity that enrolls.',
    required: true,
    nullable: true,
    filter: 'identity',
    omitEmpty: true,
    missingField: 'identityId',
  })
  identityId!: string | null;

  @attribute(reference('EdgeRouter', { onDelete: 'cascade' }), {
    description: 'Id of the edge router that enrolls.',
    write: 'never',
    nullable: true,
    filter: 'edgeRouter',
    omitEmpty: true,
  })
  edgeRouterId!: string | null;

  @attribute(reference('TransitRouter', { onDelete: 'cascade' }), {
    description: 'Id of the transit router that enrolls.',
    write: 'never',
    nullable: true,
    filter: 'transitRouter',
    omitEmpty: true,
  })
  transitRouterId!: string | null;

  @attribute(reference('CertificateAuthority', { onDelete: 'cascade', onRest: false }), {
    description: 'Id of the authority whose certificate is needed, of method `ottca`.',
    nullable: true,
    filter: true,
    omitEmpty: true,
    missingField: 'caId',
  })
  caId!: string | null;

  @attribute(WARNING, ENROLLMENT_WARNING)
  warning!: Computed<Warning | null>;

  @attribute(text(), {
    description: 'Username to enroll, of method `updb`.',
    nullable: true,
    omitEmpty: true,
  })
  username!: string | null;
}
