import type { JsonObject } from '../../../src/base/row.js';
import type {
  DataStatePostureCheck,
  DataStateProcess,
} from '../../../src/network/messages/emitted/messages.js';
import {
  noPostureData,
  noSessionPosture,
  type IdentityPosture,
} from '../../../src/trust/posture/index.js';
import { pick } from '../../kill/random.js';
import { inStrictRange } from '../../trust/posture/strict-range.js';

/*
 * Devices, what they report to the controller, and how a router of version 2.0.3 judges the same reports by its
 * model alone. Domains are in one case: such a router compares them as they are.
 */

interface Program {
  readonly isRunning: boolean;
  readonly hash: string;
  readonly signers: readonly string[];
}

export interface Device {
  readonly os: { readonly type: string; readonly version: string };
  readonly domain: string;
  readonly macs: readonly string[];
  /** By path. */
  readonly programs: Readonly<Record<string, Program>>;
  readonly passedMfaAt?: number;
  readonly wokenAt?: number;
  readonly unlockedAt?: number;
}

const MINUTE = 60_000;
const OS_TYPES = ['Linux', 'Windows', 'macOS'];
const VERSIONS = ['5.15.0-91-generic', '5.4.0', '10.0.19041', '4.19.128', '6.1.0-rc.1'];
const RANGES = ['5.15', '>=5.4', '5.15.x', '!5.4', '>=1.0.0 <6', '10.0.19041', '*', '4 || >6'];
const DOMAINS = ['corp.example', 'lab.example'];
const MACS = ['0a1b2c3d4e5f', '0a1b2c3d4e60', '0a1b2c3d4e61'];
const HASHES = ['ab12', 'cd34'];

type Random = () => number;

const some = <T>(random: Random, from: readonly T[]): T[] => from.filter(() => random() < 0.5);
const pathOn = (osType: string, random: Random): string => `/${osType}/${pick(random, ['a', 'b'])}`;

/** The fields of a posture check of a random type, as the controller stores them. */
export function randomCheck(random: Random, typeId: string): JsonObject {
  const process = (): JsonObject => {
    const osType = pick(random, OS_TYPES);
    // Administrators write digests in several forms.
    const hashes = some(random, ['AB:12', 'cd34']);
    return { osType, path: pathOn(osType, random), hashes };
  };
  const fields: Readonly<Record<string, () => JsonObject>> = {
    OS: () => ({
      operatingSystems: some(random, OS_TYPES).map((type) => ({
        type,
        versions: random() < 0.3 ? [] : [pick(random, RANGES), pick(random, RANGES)],
      })),
    }),
    DOMAIN: () => ({ domains: some(random, DOMAINS) }),
    MAC: () => ({ macAddresses: some(random, MACS) }),
    PROCESS: () => ({
      process: { ...process(), signerFingerprint: pick(random, ['', 'EE:01', 'ee02']) },
    }),
    PROCESS_MULTI: () => ({
      semantic: pick(random, ['AllOf', 'AnyOf']),
      processes: [process(), process()].map((one) => ({
        ...one,
        signerFingerprints: some(random, ['EE:01', 'ee02']),
      })),
    }),
    MFA: () => ({
      timeoutSeconds: pick(random, [-1, 60, 600]),
      promptOnWake: random() < 0.5,
      promptOnUnlock: random() < 0.5,
      ignoreLegacyEndpoints: random() < 0.5,
    }),
  };
  return { typeId, ...fields[typeId]?.() };
}

export function randomDevice(random: Random, now: number): Device | undefined {
  if (random() < 0.1) return undefined;
  const ago = (odd: number): number => now - Math.floor(random() * 12) * MINUTE - odd;
  const type = pick(random, OS_TYPES);
  const program = (): Program => ({
    isRunning: random() < 0.8,
    hash: pick(random, HASHES),
    signers: some(random, ['ee01', 'ee02']),
  });
  return {
    os: { type, version: pick(random, VERSIONS) },
    domain: pick(random, [...DOMAINS, '']),
    macs: some(random, MACS),
    programs: { [`/${type}/a`]: program(), [`/${type}/b`]: program() },
    // Instants that differ: both sides draw the line at another side of the same one.
    ...(random() < 0.7 && { passedMfaAt: ago(7) }),
    ...(random() < 0.5 && { wokenAt: ago(11) }),
    ...(random() < 0.5 && { unlockedAt: ago(13) }),
  };
}

/** The posture data that the controller stores for the answers of a device to these checks. */
export function reportedTo(
  device: Device | undefined,
  checks: readonly JsonObject[],
  now: number,
): IdentityPosture {
  if (!device) return { data: noPostureData, sessions: new Map() };
  const { os, domain, macs, passedMfaAt, wokenAt, unlockedAt } = device;
  const report = { postureCheckId: 'any', lastUpdatedAt: now };
  const asked = checks.flatMap(({ id, process, processes }) =>
    [process, ...((processes as JsonObject[] | undefined) ?? [])].flatMap((one) =>
      one ? [{ id, path: (one as { path: string }).path }] : [],
    ),
  );
  const processes = asked.map(({ id, path }) => {
    const program = device.programs[path];
    return {
      ...{ postureCheckId: id as string, lastUpdatedAt: now, path },
      isRunning: program?.isRunning ?? false,
      binaryHash: program?.hash ?? '',
      signerFingerprints: [...(program?.signers ?? [])],
    };
  });
  const session = {
    ...noSessionPosture,
    ...(passedMfaAt !== undefined && { passedMfaAt }),
    ...(wokenAt !== undefined && { wokenAt }),
    ...(unlockedAt !== undefined && { unlockedAt }),
  };
  return {
    data: {
      ...noPostureData,
      os: { ...report, ...os, build: '' },
      domain: { ...report, domain },
      mac: { ...report, addresses: [...macs] },
      processes,
    },
    sessions: new Map([['session', session]]),
  };
}

/** Whether a router lets a device pass a check. */
export function passesAtRouter(
  check: DataStatePostureCheck,
  device: Device | undefined,
  now: number,
): boolean {
  if (!device) return false;
  const { osList, domains, mac, mfa, process, processMulti } = check;
  const passes = (one: DataStateProcess): boolean => passesProcess(one, device);
  if (osList) return passesOs(osList.osList, device);
  if (domains) return domains.domains.includes(device.domain);
  if (mac) return mac.macAddresses.some((address) => device.macs.includes(address));
  if (mfa) return passesMfa(mfa, device, now);
  if (process) return passes(process);
  if (!processMulti) throw new Error('a router knows no such check');
  return processMulti.semantic === 'AnyOf'
    ? processMulti.processes.some(passes)
    : processMulti.processes.every(passes);
}

type OsList = NonNullable<DataStatePostureCheck['osList']>['osList'];

/** The first entry of the system counts. Without a range nothing passes. */
function passesOs(list: OsList, { os }: Device): boolean {
  const entry = list.find(({ OsType }) => OsType.toLowerCase() === os.type.toLowerCase());
  return entry?.OsVersions.some((range) => inStrictRange(os.version, range)) ?? false;
}

function passesProcess(
  { OsType, Path, Hashes, Fingerprints }: DataStateProcess,
  { os, programs }: Device,
): boolean {
  const program = programs[Path];
  return (
    program?.isRunning === true &&
    OsType.toLowerCase() === os.type.toLowerCase() &&
    (Hashes.length === 0 || Hashes.includes(program.hash)) &&
    (Fingerprints.length === 0 || program.signers.some((one) => Fingerprints.includes(one)))
  );
}

type Mfa = NonNullable<DataStatePostureCheck['mfa']>;

function passesMfa(mfa: Mfa, { passedMfaAt, wokenAt, unlockedAt }: Device, now: number): boolean {
  if (passedMfaAt === undefined) return false;
  const isTimedOut = mfa.TimeoutSeconds !== -1 && passedMfaAt + mfa.TimeoutSeconds * 1_000 < now;
  const isAsked = (isWanted: boolean, at: number | undefined): boolean =>
    isWanted && at !== undefined && at > passedMfaAt && now > at + 5 * MINUTE;
  return !(
    isTimedOut ||
    isAsked(mfa.PromptOnWake, wokenAt) ||
    isAsked(mfa.PromptOnUnlock, unlockedAt)
  );
}
