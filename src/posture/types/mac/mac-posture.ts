import { invalidField } from '../../../base/errors.js';
import { textAt } from '../../../base/values.js';
import { attribute, described, textSet } from '../../../kernel/declare/attribute.js';
import { distinct, macDigits } from '../../normal-form.js';
import { desktopOsTypes } from '../../operating-system.js';
import { textsAnswer } from '../answer-members.js';
import { filledListAt, sortedSet } from '../field-readers.js';
import type { ComparedValues, PostureResponseType, PostureType } from '../posture-type.js';
import { PostureReport, type ReportStamp } from '../report.js';

interface MacFields {
  /** Twelve lower-case hexadecimal digits each. */
  readonly macAddresses: readonly string[];
}

type MacAnswer = {
  readonly macAddresses: readonly string[];
};

interface MacReport extends ReportStamp {
  /** Lower-case hexadecimal digits. */
  readonly addresses: readonly string[];
}

interface MacSubject {
  readonly data: { readonly mac?: MacReport };
}

@described('The hardware addresses of a device.')
class PostureMac extends PostureReport {
  @attribute(textSet(), { description: 'In lower-case hex without separators.' })
  addresses!: readonly string[];
}

const MAX_ADDRESSES = 256;

function macAddressAt(value: unknown, field: string): string {
  const digits = macDigits(textAt(value, field));
  if (digits.length !== 12) throw invalidField(field, 'must have 12 hexadecimal digits', value);
  return digits;
}

/** One of the hardware addresses of the device is allowed. */
export const macPosture: PostureType<
  'MAC',
  MacFields,
  MacSubject,
  ComparedValues<readonly string[], readonly string[]>,
  object,
  PostureResponseType<'MAC', MacAnswer, MacReport>
> = {
  id: 'MAC',
  meaning: 'A MAC address of the device.',
  answeredOn: desktopOsTypes,
  fields: {
    macAddresses: {
      type: textSet(),
      description: 'Allowed MAC addresses',
      read: (value, field) => sortedSet(filledListAt(value, field, macAddressAt)),
    },
  },
  response: {
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
  },
  rule: {
    passes: ({ macAddresses }, { data: { mac } }) => {
      const allowed = new Set((macAddresses ?? []).map(macDigits).filter(Boolean));
      return mac !== undefined && mac.addresses.some((address) => allowed.has(macDigits(address)));
    },
    failure: ({ macAddresses }, { data: { mac } }) => ({
      actualValue: mac?.addresses ?? [],
      expectedValue: macAddresses ?? [],
    }),
  },
};
