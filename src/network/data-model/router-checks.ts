import { isObject, textsOf, type JsonObject } from '../../base/row.js';
import { digestText, plainRange } from '../../trust/posture/index.js';
import type { DataStatePostureCheck, DataStateProcess, Encodable } from '../messages/index.js';
import { objectsOf, textOf } from './row-values.js';

/*
 * Posture checks in the form that routers can compare: they compare texts as they are, refuse a range that is not
 * of full versions, and let no version pass where no range is listed.
 */

const ANY_VERSION = plainRange('*');

type Check = Partial<Encodable<DataStatePostureCheck>>;

/** The part of a check that depends on its type. */
export const checkOf = (state: JsonObject): Check => CHECKS[textOf(state.typeId)]?.(state) ?? {};

/** Whether a router can read how the programs of a check count. Without a semantic all must run. */
export const hasRouterSemantic = ({ typeId, semantic }: JsonObject): boolean =>
  typeId !== 'PROCESS_MULTI' ||
  ['AllOf', 'AnyOf'].includes(
    semantic === null || semantic === undefined ? 'AllOf' : textOf(semantic),
  );

const CHECKS: Readonly<Record<string, (state: JsonObject) => Check>> = {
  OS: ({ operatingSystems }) => ({
    osList: {
      osList: objectsOf(operatingSystems).map(({ type, versions }) => ({
        OsType: textOf(type),
        OsVersions: rangesOf(textsOf(versions)),
      })),
    },
  }),
  DOMAIN: ({ domains }) => ({ domains: { domains: textsOf(domains) } }),
  MAC: ({ macAddresses }) => ({ mac: { macAddresses: textsOf(macAddresses) } }),
  PROCESS: ({ process }) => ({
    process: isObject(process) ? processOf(process, [textOf(process.signerFingerprint)]) : {},
  }),
  PROCESS_MULTI: ({ semantic, processes }) => ({
    processMulti: {
      // Another text ends the process of a router.
      semantic: semantic === 'AnyOf' ? 'AnyOf' : 'AllOf',
      processes: objectsOf(processes).map((process) =>
        processOf(process, textsOf(process.signerFingerprints)),
      ),
    },
  }),
  MFA: ({ timeoutSeconds, promptOnWake, promptOnUnlock, ignoreLegacyEndpoints }) => ({
    mfa: {
      TimeoutSeconds: typeof timeoutSeconds === 'number' ? timeoutSeconds : -1,
      PromptOnWake: promptOnWake === true,
      PromptOnUnlock: promptOnUnlock === true,
      IgnoreLegacyEndpoints: ignoreLegacyEndpoints === true,
    },
  }),
};

const rangesOf = (versions: readonly string[]): string[] =>
  versions.length === 0 ? [ANY_VERSION] : versions.map(plainRange);

/** A text without a digest stays as it is, and matches none. */
const comparable = (text: string): string => digestText(text) || text;

/** Empty texts are no fingerprints: a router would look for them. */
const processOf = (
  { osType, path, hashes }: JsonObject,
  fingerprints: readonly string[],
): Encodable<DataStateProcess> => ({
  OsType: textOf(osType),
  Path: textOf(path),
  Hashes: textsOf(hashes).map(comparable),
  Fingerprints: fingerprints.map(comparable).filter((fingerprint) => fingerprint !== ''),
});
