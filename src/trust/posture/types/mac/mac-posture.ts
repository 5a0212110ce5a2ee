import { readerOf } from '../../../../base/schema-reader.js';
import { filledListOf, filledText, ruled } from '../../../../base/typed-schema.js';
import { attribute, described, textSet } from '../../../../kernel/declare/attribute.js';
import { distinct, macDigits, sortedSet } from '../../normal-form.js';
import { desktopOsTypes } from '../../operating-system.js';
import { textsAnswer } from '../answer-members.js';
import { definePosture, defineResponse, type LatestReport } from '../posture-type.js';
import { PostureReport } from '../report.js';

const MAX_ADDRESSES = 256;

const macAddressFault = (address: string): string | undefined =>
  macDigits(address).length === 12 ? undefined : 'must have 12 hexadecimal digits';

const fields = {
  macAddresses: {
    type: textSet(),
    description: 'Allowed MAC addresses',
    read: readerOf(filledListOf(ruled(filledText(), macAddressFault)), (addresses) =>
      sortedSet(addresses.map(macDigits)),
    ),
  },
};

@described('The hardware addresses of a device.')
class PostureMac extends PostureReport {
  @attribute(textSet(), { description: 'In lower-case hex without separators.' })
  addresses!: readonly string[];
}

const response = defineResponse({
  typeId: 'MAC',
  members: {
    macAddresses: textsAnswer('the hardware addresses', { required: true, most: MAX_ADDRESSES }),
  },
  report: {
    member: 'mac',
    description: 'The hardware addresses.',
    shape: PostureMac,
    read: ({ macAddresses }) => ({ addresses: distinct(macAddresses.map(macDigits)) }),
  },
});

/** One of the hardware addresses of the device is allowed. */
export const macPosture = definePosture({
  id: 'MAC',
  meaning: 'A MAC address of the device.',
  answeredOn: desktopOsTypes,
  fields,
  response,
  rule: {
    passes: ({ macAddresses }, { data: { mac } }: LatestReport<typeof response>) => {
      const allowed = new Set((macAddresses ?? []).map(macDigits).filter(Boolean));
      return mac !== undefined && mac.addresses.some((address) => allowed.has(macDigits(address)));
    },
    failure: ({ macAddresses }, { data: { mac } }) => ({
      actualValue: mac?.addresses ?? [],
      expectedValue: macAddresses ?? [],
    }),
  },
});
