import { invalidField } from '../base/errors.js';
import { osTypes, type OperatingSystem, type OsType } from './posture-check-types.js';
import {
  booleanAt,
  choiceAt,
  integerAt,
  isSent,
  listAt,
  objectAt,
  textAt,
} from '../base/values.js';
import { parseVersionRange } from './version-range.js';

export interface PostureProcess {
  readonly osType: OsType;
  readonly path: string;
  /** Any of them will do; none listed means that the binary is not looked at. */
  readonly hashes: readonly string[];
  /** Empty: the signer is not looked at. */
  readonly signerFingerprint: string;
}

export interface PostureProcessOfMany extends Omit<PostureProcess, 'signerFingerprint'> {
  readonly signerFingerprints: readonly string[];
}

export const postureSemantics = ['AllOf', 'AnyOf'] as const;

/** What posture checks hold beyond name, attributes and tags; which members depends on the type. */
export interface PostureCheckFields {
  readonly operatingSystems: readonly OperatingSystem[];
  readonly domains: readonly string[];
  /** Twelve lower-case hexadecimal digits each. */
  readonly macAddresses: readonly string[];
  readonly process: PostureProcess;
  readonly processes: readonly PostureProcessOfMany[];
  readonly semantic: (typeof postureSemantics)[number];
  /** Seconds for which a passed MFA counts; -1 for ever. */
  readonly timeoutSeconds: number;
  readonly promptOnWake: boolean;
  readonly promptOnUnlock: boolean;
  readonly ignoreLegacyEndpoints: boolean;
}

/** How one field is read, and what stands for it when it is not sent with a whole body. */
export interface FieldRule<T> {
  /** `current` is the stored value when only a part is being changed. */
  readonly read: (value: unknown, field: string, current: T | undefined) => T;
  /** Absent: the field has to be sent. */
  readonly fallback?: T;
}

const sortedSet = (values: readonly string[]): string[] => [...new Set(values)].sort();

const filledListAt = <T>(
  value: unknown,
  field: string,
  entryAt: (entry: unknown, field: string) => T,
): T[] => {
  const entries = listAt(value, field, entryAt);
  if (entries.length === 0) throw invalidField(field, 'must not be empty', value);
  return entries;
};

/** A list that may be left out or null. */
const textsAt = (value: unknown, field: string): string[] =>
  isSent(value) ? listAt(value, field, textAt) : [];

function rangeAt(value: unknown, field: string): string {
  const range = textAt(value, field).trim();
  if (!parseVersionRange(range)) throw invalidField(field, 'must be a version range', value);
  return range;
}

/** An operating system named twice counts as named last. */
function operatingSystemsAt(value: unknown, field: string): OperatingSystem[] {
  const entries = filledListAt(value, field, (entry, at): OperatingSystem => {
    const { type, versions } = objectAt(entry, at);
    const os = choiceAt(osTypes, type, `${at}.type`);
    return {
      type: os,
      versions: isSent(versions) ? listAt(versions, `${field}[${os}]`, rangeAt) : [],
    };
  });
  return [...new Map(entries.map((entry) => [entry.type, entry])).values()];
}

function macAddressAt(value: unknown, field: string): string {
  const digits = textAt(value, field)
    .toLowerCase()
    .replaceAll(/[^0-9a-f]/g, '');
  if (digits.length !== 12) throw invalidField(field, 'must have 12 hexadecimal digits', value);
  return digits;
}

/** The members that both kinds of process checks share. */
function binaryAt(
  sent: Record<string, unknown>,
  field: string,
): Omit<PostureProcess, 'signerFingerprint'> {
  return {
    osType: choiceAt(osTypes, sent['osType'], `${field}.osType`),
    path: textAt(sent['path'], `${field}.path`),
    hashes: textsAt(sent['hashes'], `${field}.hashes`),
  };
}

const sentMembers = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => isSent(member)));

function processAt(value: unknown, field: string, current?: PostureProcess): PostureProcess {
  const sent = { ...current, ...sentMembers(objectAt(value, field)) };
  const { signerFingerprint } = sent;
  const isSigned = isSent(signerFingerprint) && signerFingerprint !== '';
  return {
    ...binaryAt(sent, field),
    signerFingerprint: isSigned ? textAt(signerFingerprint, `${field}.signerFingerprint`) : '',
  };
}

function processOfManyAt(value: unknown, field: string): PostureProcessOfMany {
  const sent = objectAt(value, field);
  return {
    ...binaryAt(sent, field),
    signerFingerprints: textsAt(sent['signerFingerprints'], `${field}.signerFingerprints`),
  };
}

/** Zero and below mean that MFA does not time out. */
function timeoutAt(value: unknown, field: string): number {
  const seconds = integerAt(value, field);
  return seconds > 0 ? seconds : -1;
}

const flag: FieldRule<boolean> = { read: booleanAt, fallback: false };

export const fieldRules: {
  readonly [K in keyof PostureCheckFields]: FieldRule<PostureCheckFields[K]>;
} = {
  operatingSystems: { read: operatingSystemsAt },
  domains: { read: (value, field) => sortedSet(filledListAt(value, field, textAt)) },
  macAddresses: { read: (value, field) => sortedSet(filledListAt(value, field, macAddressAt)) },
  process: { read: processAt },
  processes: { read: (value, field) => filledListAt(value, field, processOfManyAt) },
  semantic: { read: (value, field) => choiceAt(postureSemantics, value, field) },
  timeoutSeconds: { read: timeoutAt, fallback: -1 },
  promptOnWake: flag,
  promptOnUnlock: flag,
  ignoreLegacyEndpoints: flag,
};
