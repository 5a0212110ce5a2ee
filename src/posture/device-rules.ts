import { macDigits } from './normal-form.js';
import { parseStrictVersion, satisfiesRange } from './satisfies-range.js';
import type { OsReport } from './posture-data.js';
import type { OperatingSystem } from './posture-check-types.js';
import type { CheckRule } from './verdict.js';

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** No versions listed: any will do, even one that is no version. */
function isAllowed(os: OsReport, { versions }: OperatingSystem): boolean {
  if (versions.length === 0) return true;
  const version = parseStrictVersion(os.version);
  return version !== undefined && versions.some((range) => satisfiesRange(version, range));
}

export const osRule: CheckRule<'OS'> = {
  passes: ({ operatingSystems }, { data: { os } }) => {
    // A system that is declared twice counts as declared last.
    const allowed = os && operatingSystems?.findLast(({ type }) => isSame(type, os.type));
    return allowed ? isAllowed(os, allowed) : false;
  },
  failure: ({ operatingSystems }, { data: { os } }) => ({
    actualValue: { type: os?.type ?? '', version: os?.version ?? '' },
    expectedValue: operatingSystems ?? [],
  }),
};

export const domainRule: CheckRule<'DOMAIN'> = {
  passes: ({ domains }, { data: { domain } }) =>
    domain !== undefined && (domains ?? []).some((allowed) => isSame(allowed, domain.domain)),
  failure: ({ domains }, { data: { domain } }) => ({
    actualValue: domain?.domain ?? '',
    expectedValue: domains ?? [],
  }),
};

export const macRule: CheckRule<'MAC'> = {
  passes: ({ macAddresses }, { data: { mac } }) => {
    const allowed = new Set((macAddresses ?? []).map(macDigits).filter(Boolean));
    return mac !== undefined && mac.addresses.some((address) => allowed.has(macDigits(address)));
  },
  failure: ({ macAddresses }, { data: { mac } }) => ({
    actualValue: mac?.addresses ?? [],
    expectedValue: macAddresses ?? [],
  }),
};
