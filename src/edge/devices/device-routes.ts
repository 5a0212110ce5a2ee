import {
  reportDevice,
  reportedDevice,
  withdrawReport,
  type DeviceReport,
  type ReportedDevice,
} from '../../access/directories/index.js';
import { instantOf } from '../../base/instant.js';
import { readerOf } from '../../base/schema-reader.js';
import {
  anyText,
  atMostCharacters,
  atMostEntries,
  filledText,
  listOf,
  orNull,
  ruled,
  schemaOf,
} from '../../base/typed-schema.js';
import type { IdentityKey } from '../../data/rows/identity/index.js';
import { normaliseAttributes } from '../../kernel/policy/index.js';
import type {
  DirectoryReply,
  DirectoryRequest,
  DirectoryRoute,
} from '../directories/directory-request.js';

const MAX_ATTRIBUTES = 50;
const MAX_ATTRIBUTE_LENGTH = 200;
const MAX_REASON_LENGTH = 1_000;

const isNoInstant = (text: string): string | undefined =>
  Number.isNaN(instantOf(text).getTime()) ? 'must be a time of RFC 3339' : undefined;

const isTooLong = (text: string): string | undefined =>
  text.length > MAX_ATTRIBUTE_LENGTH
    ? `must have at most ${String(MAX_ATTRIBUTE_LENGTH)} characters`
    : undefined;

const readReport = readerOf(
  schemaOf({
    attributes: atMostEntries(MAX_ATTRIBUTES, listOf(ruled(filledText(), isTooLong))),
    until: ruled(anyText(), isNoInstant),
    reason: orNull(atMostCharacters(MAX_REASON_LENGTH, anyText()), 'any'),
  }),
);

/** Gives the identity that a path names. */
type KeyOf = (request: DirectoryRequest) => IdentityKey;

function reportIn({ scope, body }: DirectoryRequest): DeviceReport {
  const { attributes, until, reason } = readReport(body);
  const { roleAttributePrefix } = scope.directory;
  const names = new Set(attributes);
  const roleAttributes = [...names].map((name) => roleAttributePrefix + name);
  return {
    roleAttributes: normaliseAttributes('attributes', roleAttributes),
    until: instantOf(until),
    reason,
  };
}

/** Attributes stand without the prefix, as the system writes them. */
function answer(
  { scope }: DirectoryRequest,
  { id, externalId, report }: ReportedDevice,
): DirectoryReply {
  const { length } = scope.directory.roleAttributePrefix;
  const data = {
    identityId: id,
    externalId,
    attributes: (report?.roleAttributes ?? []).map((attribute) => attribute.slice(length)),
    until: report?.until.toISOString() ?? null,
    reason: report?.reason ?? null,
  };
  return { status: 200, body: { data, meta: {} } };
}

type Work = (request: DirectoryRequest, key: IdentityKey) => Promise<ReportedDevice>;

const WORK: Readonly<Record<'GET' | 'PUT' | 'DELETE', Work>> = {
  GET: ({ scope }, key) => reportedDevice(scope, key),
  PUT: (request, key) => reportDevice(request.scope, key, reportIn(request)),
  DELETE: ({ scope }, key) => withdrawReport(scope, key),
};

const METHODS = ['GET', 'PUT', 'DELETE'] as const;

const routesAt = (path: string, keyOf: KeyOf): readonly DirectoryRoute[] =>
  METHODS.map((method) => ({
    method,
    path,
    serve: async (request) => answer(request, await WORK[method](request, keyOf(request))),
  }));

export const DEVICE_ROUTES: readonly DirectoryRoute[] = [
  ...routesAt('/identities/{id}', ({ id }) => ({ id })),
  ...routesAt('/external-ids/{id}', ({ id }) => ({ externalId: id })),
];
