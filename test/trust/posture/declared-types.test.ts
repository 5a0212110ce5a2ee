import { expect, test } from '@jest/globals';
import { readerOf } from '../../../src/base/schema-reader.js';
import { anyText } from '../../../src/base/typed-schema.js';
import { attribute, text } from '../../../src/kernel/declare/attribute.js';
import { textAnswer } from '../../../src/trust/posture/types/answer-members.js';
import {
  definePosture,
  defineResponse,
  type LatestReport,
} from '../../../src/trust/posture/types/posture-type.js';
import { PostureReport } from '../../../src/trust/posture/types/report.js';

/*
 * The compiler is the test: where a line is marked as an error that is expected, it must not compile,
 * or the step `types` of the check fails.
 */

class DeviceColour extends PostureReport {
  @attribute(text(), { description: 'Its colour.' })
  colour!: string;
}

const response = defineResponse({
  typeId: 'COLOUR',
  members: { paint: textAnswer('the paint') },
  report: {
    member: 'colour',
    description: 'The colour.',
    shape: DeviceColour,
    read: ({ paint }) => ({ colour: paint }),
  },
});

const fields = { wanted: { type: text(), description: 'The colour', read: readerOf(anyText()) } };

const type = definePosture({
  id: 'COLOUR',
  meaning: 'The colour of the device.',
  answeredOn: [],
  fields,
  response,
  rule: {
    passes: ({ wanted }, { data: { colour } }: LatestReport<typeof response>) =>
      colour?.colour === wanted,
    failure: ({ wanted }, { data: { colour } }) => ({
      actualValue: colour?.colour ?? '',
      expectedValue: wanted ?? '',
    }),
  },
});

const check = { id: 'c', typeId: 'COLOUR', wanted: 'red' };
const red = { postureCheckId: 'c', lastUpdatedAt: 0, colour: 'red' };

test('the types of a check, its reports and its failures follow from the declaration', () => {
  const id: 'COLOUR' = type.id;
  const { actualValue }: { actualValue: string } = type.rule.failure(check, { data: {} }, 0);
  expect([id, actualValue]).toStrictEqual(['COLOUR', '']);
  expect(type.rule.passes(check, { data: { colour: red } }, 0)).toBe(true);
  // @ts-expect-error -- a colour is a text
  expect(type.rule.passes({ ...check, wanted: 1 }, { data: { colour: red } }, 0)).toBe(false);
  // @ts-expect-error -- misspelt
  expect(type.rule.passes(check, { data: { color: red } }, 0)).toBe(false);
});

test('a report has every member that administrators see', () => {
  const { typeId } = defineResponse({
    typeId: 'COLOUR',
    members: { paint: textAnswer('the paint') },
    report: {
      member: 'colour',
      description: 'The colour.',
      shape: DeviceColour,
      // @ts-expect-error -- without its colour
      read: ({ paint }) => ({ paint }),
    },
  });
  expect(typeId).toBe('COLOUR');
});

test('fields whose types the compiler does not infer are refused', () => {
  const { id } = definePosture({
    id: 'COLOUR',
    meaning: 'The colour of the device.',
    answeredOn: [],
    // @ts-expect-error -- a reader that is made inside the call
    fields: { wanted: { type: text(), description: 'The colour', read: readerOf(anyText()) } },
    rule: {
      passes: ({ id }) => id !== '',
      failure: () => ({ actualValue: '', expectedValue: '' }),
    },
  });
  expect(id).toBe('COLOUR');
});
