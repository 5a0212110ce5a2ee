import {
  attribute,
  attributeSet,
  bool,
  int,
  object,
  objects,
  reference,
  text,
  textSet,
} from '../kernel/declare/attribute.js';
import { resource, SEMANTIC, type Write } from '../kernel/declare/resource.js';
import { checkPosture, type StoredPostureCheck } from '../posture/index.js';
import { NamedEntity } from './entity.js';
import { OperatingSystem, OS_TYPE } from './posture-check-type.js';
import { roleFilterArguments } from './role-filter.js';

/** A program that must run. */
class PostureProcess {
  @attribute(OS_TYPE, { description: 'Operating system.', required: true })
  osType!: string;

  @attribute(text(), { description: 'Where the program lies.', required: true })
  path!: string;

  @attribute(textSet(), { description: 'Hashes of the program; empty: any.' })
  hashes!: string[];

  @attribute(text(), { description: 'SHA-1 of its signer; empty: any.' })
  signerFingerprint!: string;
}

/** One of several programs. */
class PostureProcessOfMany {
  @attribute(OS_TYPE, { description: 'Operating system.', required: true })
  osType!: string;

  @attribute(text(), { description: 'Where the program lies.', required: true })
  path!: string;

  @attribute(textSet(), { description: 'Hashes of the program; empty: any.' })
  hashes!: string[];

  @attribute(textSet(), { description: 'SHA-1 of its signers; empty: any.' })
  signerFingerprints!: string[];
}

const SUBTYPE_FIELDS = [
  'domains',
  'macAddresses',
  'operatingSystems',
  'process',
  'processes',
  'semantic',
  'timeoutSeconds',
  'promptOnWake',
  'promptOnUnlock',
  'ignoreLegacyEndpoints',
];

/** The members of the type at hand, checked and normalised; those of other types are dropped. */
function validate({ verb, values, input, current }: Write): void {
  const fields = checkPosture(
    input.typeId ?? current.typeId,
    input,
    verb === 'update' ? 'patch' : verb === 'replace' ? 'replace' : 'create',
    verb === 'create' ? undefined : (current as unknown as StoredPostureCheck),
  );
  for (const name of SUBTYPE_FIELDS) values[name] = undefined;
  Object.assign(values, fields);
  values.typeId = input.typeId ?? current.typeId;
  values.version = Number(current.version ?? 0) + 1;
}

/** A member of checks of one type. */
const ofType = (type: string, description: string) => ({
  description: `${description}, of type ${type}.`,
  nullable: true,
  omitEmpty: true,
  onlyIf: { member: 'typeId', is: [type] },
});

@resource({
  description: 'A condition on the device of an identity.',
  plural: 'PostureChecks',
  path: 'posture-checks',
  permission: 'posture-check',
  counted: true,
  listArguments: roleFilterArguments,
  hooks: { validate },
})
export class PostureCheck extends NamedEntity {
  @attribute(reference('PostureCheckType', { as: 'type', onDelete: 'restrict', onRest: false }), {
    description:
      'Kind of check: OS, PROCESS, DOMAIN, MAC, MFA or PROCESS_MULTI; fixed at creation.',
    required: 'create',
    filter: true,
  })
  typeId!: string;

  @attribute(int(), {
    description: 'Counts the changes, from 1.',
    write: 'never',
    column: { default: 1 },
  })
  version!: number;

  @attribute(attributeSet(), { description: 'What policies select it by.', filter: true })
  roleAttributes!: string[];

  @attribute(textSet(), ofType('DOMAIN', 'Allowed domains'))
  domains!: string[];

  @attribute(textSet(), ofType('MAC', 'Allowed MAC addresses'))
  macAddresses!: string[];

  @attribute(objects(() => OperatingSystem), ofType('OS', 'Allowed operating systems'))
  operatingSystems!: OperatingSystem[];

  @attribute(object(() => PostureProcess), ofType('PROCESS', 'The program'))
  process!: PostureProcess;

  @attribute(objects(() => PostureProcessOfMany), ofType('PROCESS_MULTI', 'The programs'))
  processes!: PostureProcessOfMany[];

  @attribute(SEMANTIC, ofType('PROCESS_MULTI', 'Whether all or any must run'))
  semantic!: string;

  @attribute(int(), ofType('MFA', 'Seconds that a passed code counts (-1: no end)'))
  timeoutSeconds!: number;

  @attribute(bool(), { ...ofType('MFA', 'Ask again after the device wakes'), filter: true })
  promptOnWake!: boolean;

  @attribute(bool(), {
    ...ofType('MFA', 'Ask again after the device is unlocked'),
    filter: true,
  })
  promptOnUnlock!: boolean;

  @attribute(bool(), ofType('MFA', 'Spare clients that can not be asked'))
  ignoreLegacyEndpoints!: boolean;
}
