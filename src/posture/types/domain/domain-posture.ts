import { textAt } from '../../../base/values.js';
import { attribute, described, text, textSet } from '../../../kernel/declare/attribute.js';
import { isSameName } from '../../normal-form.js';
import { textAnswer } from '../answer-members.js';
import { filledListAt, sortedSet } from '../field-readers.js';
import type { ComparedValues, PostureResponseType, PostureType } from '../posture-type.js';
import { PostureReport, type ReportStamp } from '../report.js';

interface DomainFields {
  readonly domains: readonly string[];
}

type DomainAnswer = {
  readonly domain: string;
};

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
  DomainFields,
  DomainSubject,
  ComparedValues<string, readonly string[]>,
  object,
  PostureResponseType<'DOMAIN', DomainAnswer, DomainReport>
> = {
  id: 'DOMAIN',
  meaning: 'The Windows domain that the device has joined.',
  answeredOn: ['Windows', 'WindowsServer'],
  fields: {
    domains: {
      type: textSet(),
      description: 'Allowed domains',
      read: (value, field) => sortedSet(filledListAt(value, field, textAt)),
    },
  },
  response: {
    typeId: 'DOMAIN',
    members: { domain: textAnswer('the Windows domain', { required: true }) },
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
