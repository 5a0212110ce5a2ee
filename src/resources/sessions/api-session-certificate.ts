import { attribute, object, reference, text, time } from '../../kernel/declare/attribute.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { resource } from '../../kernel/declare/resource.js';
import { FALSE } from '../../base/sql.js';
import { Entity } from '../entity.js';
import { isOfApiSession } from '../own-rows.js';
import { CertificateDetails, DETAILS_OF_CERTIFICATE } from '../trust/certificate-details.js';

@resource({
  description: 'A short-lived certificate of one API session, for connections to routers.',
  plural: 'ApiSessionCertificates',
  path: 'current-api-session/certificates',
  permission: 'ops',
  grants: ['read', 'update', 'delete'],
  label: 'apiSessionCertificate',
  verbs: [],
  interfaces: [],
  visible: (ctx, alias) => (ctx.caller ? isOfApiSession(alias, ctx.caller.apiSessionId) : FALSE),
})
export class ApiSessionCertificate extends Entity {
  @attribute(reference('ApiSession', { onDelete: 'cascade', onRest: false }), {
    description: 'Id of the API session.',
    write: 'never',
    filter: 'apiSession',
    graphOnly: true,
  })
  apiSessionId!: string;

  @attribute(text(), { description: 'The certificate with its chain, as PEM.', write: 'never' })
  certificate!: string;

  @attribute(object(() => CertificateDetails), DETAILS_OF_CERTIFICATE)
  certificateDetails!: Computed<CertificateDetails | null>;

  @attribute(text(), {
    description: 'SHA-1 of the certificate in lower-case hex.',
    write: 'never',
    filter: true,
  })
  fingerprint!: string;

  @attribute(text(), { description: 'Its subject.', write: 'never', filter: true })
  subject!: string;

  @attribute(time(), { description: 'When it begins.', write: 'never', graphFilter: true })
  validFrom!: Date;

  @attribute(time(), { description: 'When it ends.', write: 'never', graphFilter: true })
  validTo!: Date;
}
