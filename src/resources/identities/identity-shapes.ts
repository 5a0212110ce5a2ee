import {
  attribute,
  int,
  object,
  objects,
  bool,
  text,
  textSet,
  time,
  type RestShape,
} from '../../kernel/declare/attribute.js';
import { entityReference } from '../../kernel/declare/rest.js';
import { raw, sql, type Sql } from '../../base/sql.js';

/** Nested objects of identities. */

const INFO = { max: 255 };
const HOST = { max: 253 };
const optional = (description: string) =>
  ({ description, nullable: true, omitEmpty: true }) as const;
/** A member that a device reported at its last login. */
const reported = (description: string) => ({ ...optional(description), filter: true }) as const;

/** The system of the client at the last login, as reported. */
export class EnvInfo {
  @attribute(text(INFO), reported('Processor architecture.'))
  arch!: string | null;
  @attribute(text(HOST), reported('Domain.'))
  domain!: string | null;
  @attribute(text(HOST), reported('Host name.'))
  hostname!: string | null;
  @attribute(text(INFO), reported('Operating system.'))
  os!: string | null;
  @attribute(text(INFO), reported('Release of the operating system.'))
  osRelease!: string | null;
  @attribute(text(INFO), reported('Version of the operating system.'))
  osVersion!: string | null;
}

/** The software of the client at the last login, as reported. */
export class SdkInfo {
  @attribute(text(INFO), reported('Application.'))
  appId!: string | null;
  @attribute(text(INFO), reported('Version of the application.'))
  appVersion!: string | null;
  @attribute(text(INFO), reported('Source branch of the SDK.'))
  branch!: string | null;
  @attribute(text(INFO), reported('Source revision of the SDK.'))
  revision!: string | null;
  @attribute(text(INFO), reported('Kind of SDK.'))
  type!: string | null;
  @attribute(text(INFO), reported('Version of the SDK.'))
  version!: string | null;
}

/** A network interface. */
export class NetworkInterface {
  @attribute(text(), { description: 'Name.' })
  name!: string;
  @attribute(text(), { description: 'MAC address.' })
  hardwareAddress!: string;
  @attribute(int(), { description: 'Index.' })
  index!: number;
  @attribute(int(), { description: 'Largest packet in bytes.' })
  mtu!: number;
  @attribute(textSet(), { description: 'Addresses with prefix lengths.' })
  addresses!: string[];
  @attribute(bool(), { description: 'Reaches all on its link at once.' })
  isBroadcast!: boolean;
  @attribute(bool(), { description: 'Leads back to the host itself.' })
  isLoopback!: boolean;
  @attribute(bool(), { description: 'Reaches groups.' })
  isMulticast!: boolean;
  @attribute(bool(), { description: 'Is operational.' })
  isRunning!: boolean;
  @attribute(bool(), { description: 'Is switched on.' })
  isUp!: boolean;
}

/** The certificate authenticator of an identity. */
class IdentityCertAuthenticator {
  @attribute(text(), { description: 'Id of the authenticator.' })
  id!: string;
  @attribute(text(), { description: 'SHA-1 of the certificate.', nullable: true })
  fingerprint!: string | null;
}

/** The password authenticator of an identity. */
class IdentityUpdbAuthenticator {
  @attribute(text(), { description: 'Id of the authenticator.' })
  id!: string;
  @attribute(text(), { description: 'Username.', nullable: true })
  username!: string | null;
}

/** The ways in which an identity can log in at present. */
export class IdentityAuthenticators {
  @attribute(object(() => IdentityCertAuthenticator), optional('By certificate.'))
  cert!: IdentityCertAuthenticator | null;
  @attribute(object(() => IdentityUpdbAuthenticator), optional('By username and password.'))
  updb!: IdentityUpdbAuthenticator | null;
}

/** An outstanding enrollment. */
class IdentityEnrollment {
  @attribute(text(), { description: 'Id of the enrollment.' })
  id!: string;
  @attribute(text(), {
    description: 'The one-time token; empty for those who could not create it.',
  })
  token!: string;
  @attribute(text(), {
    description: 'The signed token for clients; empty for those who could not create it.',
  })
  jwt!: string;
  @attribute(time(), { description: 'When it ends.' })
  expiresAt!: Date;
}

/** An authority with its name, as a member of an enrollment. */
class AuthorityName {
  @attribute(text(), { description: 'Id of the certificate authority.' })
  id!: string;
  @attribute(text(), { description: 'Its name.' })
  name!: string;
}

const AUTHORITY_ON_REST: RestShape = {
  of: (ca: AuthorityName | null) => ca && entityReference('cas', ca.id, ca.name),
};

/** An outstanding enrollment with a certificate of an authority. */
class IdentityCaEnrollment extends IdentityEnrollment {
  @attribute(text(), optional('Id of the certificate authority.'))
  caId!: string | null;
  @attribute(object(() => AuthorityName), {
    ...optional('The certificate authority.'),
    restShape: AUTHORITY_ON_REST,
  })
  ca!: AuthorityName | null;
}

/** The outstanding enrollments of an identity, by method. */
export class IdentityEnrollments {
  @attribute(object(() => IdentityEnrollment), optional('By one-time token.'))
  ott!: IdentityEnrollment | null;
  @attribute(
    object(() => IdentityCaEnrollment),
    optional('By one-time token and a certificate of an authority.'),
  )
  ottca!: IdentityCaEnrollment | null;
  @attribute(
    object(() => IdentityEnrollment),
    optional('By one-time token for a username and password.'),
  )
  updb!: IdentityEnrollment | null;
}

/** The enrollment to create with a new identity; the first given member counts. */
export class IdentityEnrollmentRequest {
  @attribute(bool(), { description: 'By one-time token.', nullable: true })
  ott!: boolean | null;
  @attribute(text(), { description: 'Id of the authority that certifies it.', nullable: true })
  ottca!: string | null;
  @attribute(text(), { description: 'Username to enroll.', nullable: true })
  updb!: string | null;
}

export const interfaces = objects(() => NetworkInterface);

/** `{cert: {...}, updb: {...}}` of the identity in the row `alias`. */
export const authenticatorsSql = (alias: string): Sql => sql`(
  select coalesce(json_object_agg(a.method, json_build_object('id', a.id, 'fingerprint', a.fingerprint, 'username', a.username)), '{}'::json)
  from authenticator a where a.identity_id = ${raw(`"${alias}"."id"`)})`;

/** `{ott: {...}, ...}` of the identity in the row `alias`. */
export const enrollmentsSql = (alias: string): Sql => sql`(
  select coalesce(json_object_agg(n.method, json_build_object('id', n.id, 'token', n.token, 'jwt', n.jwt,
    'expiresAt', to_char(n.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'caId', n.ca_id,
    'ca', (select json_build_object('id', c.id, 'name', c.name) from certificate_authority c where c.id = n.ca_id))), '{}'::json)
  from enrollment n where n.identity_id = ${raw(`"${alias}"."id"`)})`;
