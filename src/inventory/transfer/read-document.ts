import { invalidField } from '../../base/errors.js';
import { isObject } from '../../base/row.js';
import { placeText, type Entry, type Faults } from './fault.js';
import type { Section } from './section.js';
import { walkEntity } from './storable-entities.js';

/** Reads the entities of a document, section by section in the order of application. */
export function readDocument(
  document: unknown,
  sections: readonly Section[],
  faults: Faults,
): Entry[] {
  if (!isObject(document)) {
    faults.add({}, null, `a document is an object of sections: ${namesOf(sections)}`);
    return [];
  }
  for (const name of Object.keys(document)) {
    if (sections.some((section) => section.name === name)) continue;
    faults.add({ section: name }, null, `there is no such section; there are ${namesOf(sections)}`);
  }
  return sections.flatMap((section) => readSection(document[section.name], section, faults));
}

const namesOf = (sections: readonly Section[]): string =>
  sections.map(({ name }) => name).join(', ');

function readSection(value: unknown, section: Section, faults: Faults): Entry[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    faults.add({ section: section.name }, null, 'must be a list');
    return [];
  }
  const indexByName = new Map<string, number>();
  return value.flatMap((data: unknown, index) => {
    const entry = readEntity(data, section, index, faults);
    if (!entry) return [];
    const first = indexByName.get(entry.name);
    if (first === undefined) {
      indexByName.set(entry.name, index);
      return [entry];
    }
    const place = placeText({ section: section.name, index: first }) ?? '';
    faults.add({ ...entry, section: section.name }, 'name', `is already that of ${place}`);
    return [];
  });
}

function readEntity(
  data: unknown,
  section: Section,
  index: number,
  faults: Faults,
): Entry | undefined {
  const place = { section: section.name, index };
  if (!isObject(data)) {
    faults.add(place, null, 'must be an object');
    return undefined;
  }
  const { name } = data;
  const { size, fault } = walkEntity(data);
  if (typeof name !== 'string' || name === '' || fault?.field === 'name') {
    faults.add(place, 'name', fault?.field === 'name' ? fault.reason : 'must be text, not empty');
    return undefined;
  }
  if (fault) faults.add({ ...place, name }, fault.field, fault.reason);
  return { section, index, name, data, size, isFaulty: fault !== undefined };
}

/** Gives the requested sections, by their names or the names of their resources in any spelling. */
export function askedSections(
  types: readonly string[] | null | undefined,
  sections: readonly Section[],
): Section[] {
  if (!types || types.length === 0 || types.some((type) => plain(type) === 'all')) {
    return [...sections];
  }
  const requestedSections = new Set(types.map((type) => sectionCalled(type, sections)));
  return sections.filter((section) => requestedSections.has(section));
}

function sectionCalled(type: string, sections: readonly Section[]): Section {
  const section = sections.find(({ name, resource }) =>
    [name, resource.name, resource.options.path, resource.label].some(
      (called) => plain(called) === plain(type),
    ),
  );
  if (section) return section;
  throw invalidField('types', `no section is called so; there are ${namesOf(sections)}`, type);
}

/** `service-policy`, `servicePolicy` and `ServicePolicy` are equal. */
const plain = (name: string): string => name.replaceAll(/[-_ ]/g, '').toLowerCase();
