import { attribute, described, objects, text } from '../../../../kernel/declare/attribute.js';
import { isSameName } from '../../normal-form.js';
import { OperatingSystem, osTypes } from '../../operating-system.js';
import { parseStrictVersion, satisfiesRange } from '../../satisfies-range.js';
import { textAnswer } from '../answer-members.js';
import { definePosture, defineResponse, type LatestReport } from '../posture-type.js';
import { PostureReport } from '../report.js';
import { readOperatingSystems } from './read-operating-systems.js';

const fields = {
  operatingSystems: {
    type: objects(() => OperatingSystem),
    description: 'Allowed operating systems',
    read: readOperatingSystems,
  },
};

@described('The operating system of a device.')
class PostureOs extends PostureReport {
  @attribute(text(), { description: 'Its kind.' })
  type!: string;

  @attribute(text(), { description: 'Its version.' })
  version!: string;

  @attribute(text(), { description: 'Its build.' })
  build!: string;
}

const response = defineResponse({
  typeId: 'OS',
  members: {
    type: textAnswer('the operating system', { required: true }),
    version: textAnswer('its version', { required: true }),
    build: textAnswer('its build'),
  },
  report: {
    member: 'os',
    description: 'The operating system.',
    shape: PostureOs,
    read: ({ type, version, build }) => ({ type, version, build }),
  },
});

/** No versions listed: any will do, even one that is no version. */
function isAllowed(os: { readonly version: string }, { versions }: OperatingSystem): boolean {
  if (versions.length === 0) return true;
  const version = parseStrictVersion(os.version);
  return version !== undefined && versions.some((range) => satisfiesRange(version, range));
}

/** The device runs one of the allowed operating systems, in an allowed version. */
export const osPosture = definePosture({
  id: 'OS',
  meaning: 'The operating system and its version.',
  answeredOn: osTypes,
  fields,
  response,
  rule: {
    passes: ({ operatingSystems }, { data: { os } }: LatestReport<typeof response>) => {
      // A system that is declared twice counts as declared last.
      const allowed = os && operatingSystems?.findLast(({ type }) => isSameName(type, os.type));
      return allowed ? isAllowed(os, allowed) : false;
    },
    failure: ({ operatingSystems }, { data: { os } }) => ({
      actualValue: { type: os?.type ?? '', version: os?.version ?? '' },
      expectedValue: operatingSystems ?? [],
    }),
  },
});
