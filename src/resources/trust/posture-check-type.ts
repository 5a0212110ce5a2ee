import { attribute, objects, text } from '../../kernel/declare/attribute.js';
import { resource } from '../../kernel/declare/resource.js';
import { OperatingSystem } from '../../trust/posture/index.js';
import { NamedEntity } from '../entity.js';

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
