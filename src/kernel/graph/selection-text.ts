import { attributesOf, type Attribute } from '../declare/attribute.js';

/** The GraphQL selection of attributes; nested objects with all their members. */
export const selectionText = (attributes: readonly Attribute[]): string =>
  attributes
    .map(({ name, type }) =>
      type.kind === 'object' || type.kind === 'objects'
        ? `${name} { ${selectionText(attributesOf(type.of()))} }`
        : name,
    )
    .join(' ');
