import { readerOf } from '../../../../base/schema-reader.js';
import { filledListOf, filledText } from '../../../../base/typed-schema.js';
import { attribute, described, text, textSet } from '../../../../kernel/declare/attribute.js';
import { isSameName, sortedSet } from '../../normal-form.js';
import { textAnswer } from '../answer-members.js';
import { definePosture, defineResponse, type LatestReport } from '../posture-type.js';
import { PostureReport } from '../report.js';

const fields = {
  domains: {
    type: textSet(),
    description: 'Allowed domains',
    read: readerOf(filledListOf(filledText()), sortedSet),
  },
};

@described('The Windows domain of a device.')
class PostureDomain extends PostureReport {
  @attribute(text(), { description: 'Its name.' })
  domain!: string;
}

const response = defineResponse({
  typeId: 'DOMAIN',
  members: { domain: textAnswer('the Windows domain', { required: true }) },
  report: {
    member: 'domain',
    description: 'The Windows domain.',
    shape: PostureDomain,
    read: ({ domain }) => ({ domain }),
  },
});

/** The device has joined one of the allowed Windows domains. */
export const domainPosture = definePosture({
  id: 'DOMAIN',
  meaning: 'The Windows domain that the device has joined.',
  answeredOn: ['Windows', 'WindowsServer'],
  fields,
  response,
  rule: {
    passes: ({ domains }, { data: { domain } }: LatestReport<typeof response>) =>
      domain !== undefined && (domains ?? []).some((allowed) => isSameName(allowed, domain.domain)),
    failure: ({ domains }, { data: { domain } }) => ({
      actualValue: domain?.domain ?? '',
      expectedValue: domains ?? [],
    }),
  },
});
