import { isShown, isStored, isWritable, type Attribute } from '../kernel/declare/attribute.js';
import type { Catalog } from '../kernel/declare/catalog.js';
import type { Resource } from '../kernel/declare/resource.js';

/** Where a document or a row names other entities, and how. */
export interface Reference {
  /** Path in the document; there `@name` stands for an entity. */
  readonly written: readonly string[];
  /** Path in the stored row; there ids stand for entities. */
  readonly stored: readonly string[];
  /** `keys`: the keys of an object. */
  readonly form: 'one' | 'list' | 'roles' | 'keys';
  readonly target: string;
}

/** A stored value that no two entities share, and the member of the document that it comes from. */
export interface UniqueValue {
  readonly attribute: string;
  readonly member: string;
}

interface Declaration {
  readonly name: string;
  readonly resource: string;
  /** References inside nested values; those that are attributes follow from the catalog. */
  readonly nested?: readonly Reference[];
  /** Attributes that an entity keeps for life; a document that says otherwise is refused. */
  readonly fixed?: readonly string[];
  /** Beside the name. */
  readonly unique?: readonly UniqueValue[];
}

const inside = (path: string, form: Reference['form'], target: string): Reference => ({
  written: path.split('.'),
  stored: path.split('.'),
  form,
  target,
});

/** The sections of a document in the order in which they are applied: what is named comes first. */
const DECLARATIONS: readonly Declaration[] = [
  {
    name: 'externalJwtSigners',
    resource: 'ExternalJwtSigner',
    unique: [
      { attribute: 'issuer', member: 'issuer' },
      { attribute: 'kid', member: 'kid' },
      { attribute: 'fingerprint', member: 'certPem' },
    ],
  },
  {
    name: 'authPolicies',
    resource: 'AuthPolicy',
    nested: [
      inside('primary.extJwt.allowedSigners', 'list', 'ExternalJwtSigner'),
      inside('secondary.requireExtJwtSigner', 'one', 'ExternalJwtSigner'),
    ],
  },
  {
    name: 'certificateAuthorities',
    resource: 'CertificateAuthority',
    fixed: ['certPem'],
    unique: [{ attribute: 'fingerprint', member: 'certPem' }],
  },
  { name: 'configTypes', resource: 'ConfigType', fixed: ['target'] },
  { name: 'configs', resource: 'Config', fixed: ['configTypeId'] },
  { name: 'postureChecks', resource: 'PostureCheck' },
  { name: 'edgeRouters', resource: 'EdgeRouter' },
  { name: 'services', resource: 'Service', fixed: ['encryptionRequired'] },
  {
    name: 'identities',
    resource: 'Identity',
    nested: [
      inside('serviceHostingCosts', 'keys', 'Service'),
      inside('serviceHostingPrecedences', 'keys', 'Service'),
    ],
    unique: [{ attribute: 'externalId', member: 'externalId' }],
  },
  { name: 'edgeRouterPolicies', resource: 'EdgeRouterPolicy' },
  { name: 'serviceEdgeRouterPolicies', resource: 'ServiceEdgeRouterPolicy' },
  { name: 'servicePolicies', resource: 'ServicePolicy' },
];

export const sectionNames: readonly string[] = DECLARATIONS.map(({ name }) => name);

const TARGETS: ReadonlySet<string> = new Set(DECLARATIONS.map(({ resource }) => resource));

/** One section of a document, over the resource that it holds. */
export interface Section {
  readonly name: string;
  readonly resource: Resource;
  /** What a document carries of an entity: all that can be written, and nothing secret. */
  readonly attributes: readonly Attribute[];
  readonly references: readonly Reference[];
  readonly fixed: readonly string[];
  readonly unique: readonly UniqueValue[];
}

export const sectionsOf = (catalog: Catalog): Section[] =>
  DECLARATIONS.map(({ name, resource: called, nested = [], fixed = [], unique = [] }) => {
    const resource = catalog.get(called);
    const attributes = [...resource.attributes.values()].filter(isCarried);
    return {
      name,
      resource,
      attributes,
      references: [...attributes.flatMap((a) => referenceOf(resource, a)), ...nested],
      fixed,
      unique,
    };
  });

const isCarried = (a: Attribute): boolean => isStored(a) && isShown(a) && isWritable(a, 'create');

/** References to what documents do not carry (kinds of identities, say) are ids of every network. */
function referenceOf(resource: Resource, { name, type }: Attribute): Reference[] {
  if (!('target' in type) || !TARGETS.has(type.target)) return [];
  const { target } = type;
  if (type.kind === 'references')
    return [{ written: [name], stored: [name], form: 'list', target }];
  if (type.kind === 'roles') return [{ written: [name], stored: [name], form: 'roles', target }];
  const edge = [...resource.edges.values()].find((e) => e.attribute === name)?.name ?? name;
  return [{ written: [edge], stored: [name], form: 'one', target }];
}
