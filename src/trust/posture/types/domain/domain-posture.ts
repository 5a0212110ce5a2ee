import { readerOf } from '../../../../base/schema-reader.js';
import { filledListOf, filledText } from '../../../../base/typed-schema.js';
import { attribute, described, text, textSet } from '../../../../kernel/declare/attribute.js';
import { isSameName, sortedSet } from '../../normal-form.js';
import { textAnswer, type AnswerOf } from '../answer-members.js';
import type {
  ComparedValues,
  PostureResponseType,
  PostureType,
  ValuesOf,
} from '../posture-type.js';
import { PostureReport, type ReportStamp } from '../report.js';

const fields = {
  domains: {
    type: textSet(),
    description: 'Allowed domains',
    read: readerOf(filledListOf(filledText()), sortedSet),
  },
};

const members = { domain: textAnswer('the Windows domain', { required: true }) };

type DomainAnswer = AnswerOf<typeof members>;

type DomainReport = ReportStamp & DomainAnswer;

interface DomainSubject {
  readonly data: { readonly domain?: DomainReport };
}

@described('The Windows domain of a device.')
class PostureDomain extends PostureReport {
  @attribute(text(), { description: 'Its name.' })
  domain!: string;
}

/** The device has joined one of the allowed Windows domains. */
export const domainPosture: PostureType<
  'DOMAIN',
  ValuesOf<typeof fields>,
  DomainSubject,
  ComparedValues<string, readonly string[]>,
  object,
  PostureResponseType<'DOMAIN', DomainAnswer, DomainReport>
> = {
  id: 'DOMAIN',
  meaning: 'The Windows domain that the device has joined.',
  answeredOn: ['Windows', 'WindowsServer'],
  fields,
  response: {
    typeId: 'DOMAIN',
    members,
    report: {
      member: 'domain',
      description: 'The Windows domain.',
      shape: PostureDomain,
      read: ({ domain }) => ({ domain }),
    },
  },
  rule: {
    passes: ({ domains }, { data: { domain } }) =>
      domain !== undefined && (domains ?? []).some((allowed) => isSameName(allowed, domain.domain)),
    failure: ({ domains }, { data: { domain } }) => ({
      actualValue: domain?.domain ?? '',
      expectedValue: domains ?? [],
    }),
  },
};
