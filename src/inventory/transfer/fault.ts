import type { JsonObject } from '../../base/row.js';
import { attribute, described, int, text } from '../../kernel/declare/attribute.js';
import type { Section } from './section.js';

@described('A fault of a document and its place.')
export class ImportFault {
  @attribute(text(), { nullable: true, description: 'Section.' })
  readonly section!: string | null;

  @attribute(int(), { nullable: true, description: 'Place in the section, from 0.' })
  readonly index!: number | null;

  @attribute(text(), { nullable: true, description: 'Name of the entity.' })
  readonly name!: string | null;

  @attribute(text(), { nullable: true, description: 'Path of the member.' })
  readonly field!: string | null;

  @attribute(text(), { description: 'The reason.' })
  readonly reason!: string;

  /** Such as `services[3] "web": configs: no config is called "x"`. */
  @attribute(text(), { description: 'The fault in one line.' })
  readonly message!: string;
}

export interface Place {
  readonly section?: string;
  readonly index?: number;
  readonly name?: string;
}

const MAX_LISTED = 1_000;

/** Collects the faults of one document; it stores the first ones and counts the rest. */
export class Faults {
  readonly listed: ImportFault[] = [];
  count = 0;

  add(place: Place, field: string | null, reason: string): void {
    this.count += 1;
    if (this.listed.length === MAX_LISTED) return;
    const { section = null, index = null, name = null } = place;
    const message = [placeText(place), field, reason].filter((part) => part !== null).join(': ');
    this.listed.push({ section, index, name, field, reason, message });
  }
}

/** Gives the known parts of the place, e.g. `services[3] "web"`. */
export function placeText({ section, index, name }: Place): string | null {
  if (section === undefined) return null;
  const at = index === undefined ? section : `${section}[${String(index)}]`;
  return name === undefined ? at : `${at} ${JSON.stringify(name)}`;
}

/** One entity of a document. */
export interface Entry {
  readonly section: Section;
  readonly index: number;
  readonly name: string;
  readonly data: Readonly<JsonObject>;
  /** The approximate size in characters. */
  readonly size: number;
  /** Whether a fault has been reported; the name still counts as known. */
  readonly isFaulty: boolean;
}

export const placeOf = ({ section, index, name }: Entry): Required<Place> => ({
  section: section.name,
  index,
  name,
});
