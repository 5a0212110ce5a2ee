import { attribute, objects, oneOf, text, textSet } from '../kernel/attribute.js';
import { osTypes } from '../posture/index.js';
import { resource } from '../kernel/resource.js';
import { NamedEntity } from './entity.js';

/** An operating system with versions. */
export class OperatingSystem {
  @attribute(oneOf('OsType', [...osTypes]), {
    description: 'The operating system.',
    required: true,
  })
  type!: string;

  @attribute(textSet(), { description: 'Versions, as ranges; empty: any.' })
  versions!: string[];
}

@resource({
  description: 'A kind of posture check, with what it can look at.',
  plural: 'PostureCheckTypes',
  path: 'posture-check-types',
  permission: 'posture-check',
  counted: true,
  verbs: [],
})
export class PostureCheckType extends NamedEntity {
  @attribute(text(), { description: 'Version of the check.', write: 'never' })
  version!: string;

  @attribute(objects(() => OperatingSystem), {
    description: 'Where clients can answer it.',
    write: 'never',
  })
  operatingSystems!: OperatingSystem[];
}
