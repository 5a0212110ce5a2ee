import type { Kind } from '../../description/description.js';
import {
  shownFields,
  type MayRead,
  type Shape,
  type ShownField,
} from '../../description/fields.js';

/** Columns that a list begins with, where the first ones of the schema are not what people look for. */
const CHOSEN: Readonly<Record<string, readonly string[]>> = {
  AccessOffer: [
    'name',
    'roleAttribute',
    'approval',
    'requesterRolesDisplay',
    'approverRolesDisplay',
    'maxMinutes',
  ],
  AccessRequest: [
    'identity',
    'offer',
    'state',
    'reason',
    'requestedMinutes',
    'grantedUntil',
    'decidedBy',
    'createdAt',
  ],
  AccessRule: [
    'name',
    'kind',
    'type',
    'holds',
    'semantic',
    'identityRolesDisplay',
    'serviceRolesDisplay',
  ],
  ApiSession: ['identity', 'ipAddress', 'lastActivityAt', 'isMfaComplete', 'createdAt'],
  Authenticator: ['identity', 'method', 'username', 'notAfter', 'createdAt'],
  CertificateAuthority: ['name', 'isVerified', 'isAuthEnabled', 'identityRoles', 'notAfter'],
  Circuit: ['id', 'identity', 'service', 'host', 'sentBytes', 'receivedBytes', 'createdAt'],
  Controller: ['name', 'isOnline', 'version', 'processCount', 'lastHeartbeatAt', 'notAfter'],
  EdgeRouter: ['name', 'isOnline', 'isVerified', 'disabled', 'roleAttributes', 'hostname', 'cost'],
  EdgeRouterPolicy: ['name', 'semantic', 'identityRolesDisplay', 'edgeRouterRolesDisplay'],
  Enrollment: ['identity', 'edgeRouter', 'method', 'expiresAt', 'createdAt'],
  ExternalJwtSigner: ['name', 'enabled', 'issuer', 'audience', 'notAfter'],
  Identity: [
    'name',
    'type',
    'roleAttributes',
    'isAdmin',
    'disabled',
    'hasApiSession',
    'hasEdgeRouterConnection',
    'createdAt',
  ],
  Link: ['id', 'sourceRouter', 'destRouter', 'state', 'cost', 'protocol', 'createdAt'],
  PostureCheck: ['name', 'type', 'roleAttributes', 'createdAt'],
  Router: ['name', 'isOnline', 'isEdge', 'isVerified', 'disabled', 'cost'],
  Service: ['name', 'roleAttributes', 'encryptionRequired', 'terminatorStrategy', 'createdAt'],
  ServiceEdgeRouterPolicy: ['name', 'semantic', 'serviceRolesDisplay', 'edgeRouterRolesDisplay'],
  ServicePolicy: [
    'name',
    'type',
    'semantic',
    'identityRolesDisplay',
    'serviceRolesDisplay',
    'postureCheckRolesDisplay',
  ],
  Session: ['identity', 'service', 'type', 'apiSession', 'createdAt'],
  Terminator: ['service', 'router', 'address', 'cost', 'precedence', 'createdAt'],
};

const NOT_FIRST = /^(id|isSystem|revision|updatedAt|tags)$|(Pem|Jwt|Token|Print|fingerprint)$/;
const NOT_FIRST_SHAPES: readonly Shape[] = [
  'certificate',
  'certificates',
  'json',
  'members',
  'rows',
];
const FIRST_COUNT = 7;

/** The columns of a kind before anybody chooses others. */
function firstColumns({ type }: Kind): readonly string[] {
  const chosen = CHOSEN[type];
  if (chosen) return chosen;
  const fields = shownFields(type).filter(
    ({ name, shape }) => !NOT_FIRST_SHAPES.includes(shape) && !NOT_FIRST.test(name),
  );
  const isName = ({ name }: ShownField): boolean => name === 'name';
  const names = [...fields.filter(isName), ...fields.filter((field) => !isName(field))].map(
    ({ name }) => name,
  );
  return names.length === 0 ? ['id'] : names.slice(0, FIRST_COUNT);
}

/** The chosen fields that exist, in the order of the choice; ids in place of what the caller may not read. */
export function columnsOf(
  kind: Kind,
  chosen: string | undefined,
  mayRead: MayRead,
): readonly ShownField[] {
  const fields = new Map(shownFields(kind.type, mayRead).map((field) => [field.name, field]));
  const columns = (names: readonly string[]): readonly ShownField[] =>
    names.flatMap((name) => fields.get(name) ?? fields.get(`${name}Id`) ?? []);
  const ofChoice = columns(chosen?.split(',') ?? []);
  return ofChoice.length > 0 ? ofChoice : columns(firstColumns(kind));
}
