import type { Attribute, RestShape } from '../../src/kernel/declare/attribute.js';
import type { Resource } from '../../src/kernel/declare/resource.js';

/** The members of a resource in the bodies of the fabric interface. */
export interface FabricMembers {
  /** Names in bodies -> attributes. */
  readonly members: Readonly<Record<string, string>>;
  /** Members that show other entities -> the resources that describe them. */
  readonly edges?: Readonly<Record<string, string>>;
  readonly shapes?: Readonly<Record<string, RestShape>>;
  readonly links?: readonly string[];
}

const BASE = ['id', 'createdAt', 'updatedAt', 'tags'];

/**
 * A view of a resource: the fabric interface shows and takes fewer members of entities than the
 * management interface, some under other names.
 */
export function fabricView(
  resource: Resource,
  { members, edges = {}, shapes = {}, links = [] }: FabricMembers,
): Resource {
  const attributes = [
    ...BASE.map((name) => attributeOf(resource, name)),
    ...Object.entries(members).map(([name, attribute]): Attribute => {
      const declared = attributeOf(resource, attribute);
      const restShape = shapes[name];
      return {
        ...declared,
        graphOnly: false,
        ...(name === attribute ? {} : { restName: name, inputName: name }),
        ...(restShape && { restShape, nullable: true }),
      };
    }),
  ];
  return {
    ...resource,
    attributes: new Map(attributes.map((attribute) => [attribute.name, attribute])),
    edges: new Map(
      [...resource.edges].flatMap(([name, edge]) => {
        const target = edges[name];
        return target === undefined ? [] : [[name, { ...edge, target }]];
      }),
    ),
    options: {
      ...resource.options,
      links,
      rest: {},
      listArguments: [],
      interfaces: ['fabric'],
    },
  };
}

function attributeOf({ name, attributes }: Resource, attribute: string): Attribute {
  const declared = attributes.get(attribute);
  if (!declared) throw new Error(`${name} has no attribute ${attribute}`);
  return declared;
}
