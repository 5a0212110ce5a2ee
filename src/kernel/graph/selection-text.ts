import { attributesOf, type Attribute } from '../declare/attribute.js';

/** What a document selects of attributes, nested ones with all that they have. */
export const selectionText = (attributes: readonly Attribute[]): string =>
  attributes
    .map(({ name, type }) =>
      type.kind === 'object' || type.kind === 'objects'
        ? `${name} { ${selectionText(attributesOf(type.of()))} }`
        : name,
    )
    .join(' ');
