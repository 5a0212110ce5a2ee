import { attribute, described, objects, text } from '../../../../kernel/declare/attribute.js';
import { isSameName } from '../../normal-form.js';
import { OperatingSystem, osTypes } from '../../operating-system.js';
import { parseStrictVersion, satisfiesRange } from '../../satisfies-range.js';
import { textAnswer, type AnswerOf } from '../answer-members.js';
import type {
  ComparedValues,
  PostureResponseType,
  PostureType,
  ValuesOf,
} from '../posture-type.js';
import { PostureReport, type ReportStamp } from '../report.js';
import { readOperatingSystems } from './read-operating-systems.js';

const fields = {
  operatingSystems: {
    type: objects(() => OperatingSystem),
    description: 'Allowed operating systems',
    read: readOperatingSystems,
  },
};

const members = {
  type: textAnswer('the operating system', { required: true }),
  version: textAnswer('its version', { required: true }),
  build: textAnswer('its build'),
};

type OsAnswer = AnswerOf<typeof members>;

type OsReport = ReportStamp & OsAnswer;

interface OsSubject {
  readonly data: { readonly os?: OsReport };
}

@described('The operating system of a device.')
class PostureOs extends PostureReport {
  @attribute(text(), { description: 'Its kind.' })
  type!: string;

  @attribute(text(), { description: 'Its version.' })
  version!: string;

  @attribute(text(), { description: 'Its build.' })
  build!: string;
}

/** No versions listed: any will do, even one that is no version. */
function isAllowed(os: OsReport, { versions }: OperatingSystem): boolean {
  if (versions.length === 0) return true;
  const version = parseStrictVersion(os.version);
  return version !== undefined && versions.some((range) => satisfiesRange(version, range));
}

/** The device runs one of the allowed operating systems, in an allowed version. */
export const osPosture: PostureType<
  'OS',
  ValuesOf<typeof fields>,
  OsSubject,
  ComparedValues<{ type: string; version: string }, readonly OperatingSystem[]>,
  object,
  PostureResponseType<'OS', OsAnswer, OsReport>
> = {
  id: 'OS',
  meaning: 'The operating system and its version.',
  answeredOn: osTypes,
  fields,
  response: {
    typeId: 'OS',
    members,
    report: {
      member: 'os',
      description: 'The operating system.',
      shape: PostureOs,
      read: ({ type, version, build }) => ({ type, version, build }),
    },
  },
  rule: {
    passes: ({ operatingSystems }, { data: { os } }) => {
      // A system that is declared twice counts as declared last.
      const allowed = os && operatingSystems?.findLast(({ type }) => isSameName(type, os.type));
      return allowed ? isAllowed(os, allowed) : false;
    },
    failure: ({ operatingSystems }, { data: { os } }) => ({
      actualValue: { type: os?.type ?? '', version: os?.version ?? '' },
      expectedValue: operatingSystems ?? [],
    }),
  },
};
