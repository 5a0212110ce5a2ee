import { choiceAt, isSent, objectAt, textAt } from '../../../base/values.js';
import { attribute, text, textSet } from '../../../kernel/declare/attribute.js';
import { OS_TYPE, osTypes, type OsType } from '../../operating-system.js';
import { optionalTextsAt } from '../field-readers.js';

/** Which program it is, for both types of checks that look at programs. */
export abstract class ProgramFile {
  @attribute(OS_TYPE, { description: 'Operating system.', required: true })
  readonly osType!: OsType;

  @attribute(text(), { description: 'Where the program lies.', required: true })
  readonly path!: string;

  @attribute(textSet(), { description: 'Hashes of the program; empty: any.' })
  readonly hashes!: readonly string[];
}

/** A program that must run. */
export class PostureProcess extends ProgramFile {
  @attribute(text(), { description: 'SHA-1 of its signer; empty: any.' })
  readonly signerFingerprint!: string;
}

export const programFileAt = (
  sent: Record<string, unknown>,
  field: string,
): Pick<ProgramFile, keyof ProgramFile> => ({
  osType: choiceAt(osTypes, sent.osType, `${field}.osType`),
  path: textAt(sent.path, `${field}.path`),
  hashes: optionalTextsAt(sent.hashes, `${field}.hashes`),
});

const sentMembers = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => isSent(member)));

/** Members of `current` stay where nothing is sent. */
export function processAt(value: unknown, field: string, current?: PostureProcess): PostureProcess {
  const sent: Record<string, unknown> = Object.assign(
    {},
    current,
    sentMembers(objectAt(value, field)),
  );
  const { signerFingerprint } = sent;
  const isSigned = isSent(signerFingerprint) && signerFingerprint !== '';
  return {
    ...programFileAt(sent, field),
    signerFingerprint: isSigned ? textAt(signerFingerprint, `${field}.signerFingerprint`) : '',
  };
}
