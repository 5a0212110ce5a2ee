import { attribute, objects, oneOf, text, textSet } from '../kernel/declare/attribute.js';
import type { OsType } from '../posture/index.js';
import { resource } from '../kernel/declare/resource.js';
import { NamedEntity } from './entity.js';

/** The operating systems that checks know. */
export const OS_TYPE = oneOf('OsType', {
  Windows: 'Windows of a workstation.',
  WindowsServer: 'Windows of a server.',
  Android: 'Android.',
  iOS: 'iOS of a phone or tablet.',
  Linux: 'Linux, whatever its distribution.',
  macOS: 'macOS.',
} satisfies Record<OsType, string>);

/** An operating system with versions. */
export class OperatingSystem {
  @attribute(OS_TYPE, {
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
