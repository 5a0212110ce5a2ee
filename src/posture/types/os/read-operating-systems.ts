import { invalidField } from '../../../base/errors.js';
import { choiceAt, isSent, listAt, objectAt, textAt } from '../../../base/values.js';
import { osTypes, type OperatingSystem } from '../../operating-system.js';
import { parseVersionRange } from '../../version-range.js';
import { filledListAt } from '../field-readers.js';

function rangeAt(value: unknown, field: string): string {
  const range = textAt(value, field).trim();
  if (!parseVersionRange(range)) throw invalidField(field, 'must be a version range', value);
  return range;
}

/** An operating system that is named twice counts as named last. */
export function operatingSystemsAt(value: unknown, field: string): OperatingSystem[] {
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
