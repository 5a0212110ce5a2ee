import { choice, filledText, listOf, orElse, schemaOf } from '../../../../base/typed-schema.js';
import { attribute, text, textSet } from '../../../../kernel/declare/attribute.js';
import { OS_TYPE, osTypes, type OsType } from '../../operating-system.js';

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

export const OPTIONAL_TEXTS = orElse(listOf(filledText()), []);

/** The members of both types of checks. */
export const PROGRAM_FILE = {
  osType: choice(osTypes),
  path: filledText(),
  hashes: OPTIONAL_TEXTS,
};

export const PROCESS = schemaOf({
  ...PROGRAM_FILE,
  signerFingerprint: orElse(filledText(), '', 'empty'),
});
