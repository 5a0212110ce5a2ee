import { byteSorted } from '../../base/byte-order.js';
import type { JsonObject } from '../../base/row.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { nameTranslation, namesOf } from './export-network.js';
import { toWritten } from './references.js';
import { sectionsOf, type Section } from './section.js';

/** An entity for a document, with the attributes that the document sets. */
export interface EntityPart {
  /** The name of its resource. */
  readonly resource: string;
  readonly id: string;
  /** The name by which an import finds it. */
  readonly name: string;
  /** The values by attribute. References are ids. */
  readonly values: Readonly<JsonObject>;
  /** Whether the import creates it. Its id then stands for its name in other parts. */
  readonly isNew: boolean;
}

/** Writes entities into a document, section by section. */
export async function documentOf(
  ctx: RequestContext,
  parts: readonly EntityPart[],
): Promise<Record<string, JsonObject[]>> {
  const bySection = new Map<Section, readonly EntityPart[]>();
  for (const section of sectionsOf(ctx.catalog)) {
    const own = parts.filter(({ resource }) => resource === section.resource.name);
    if (own.length > 0) bySection.set(section, own);
  }
  const names = await namesOf(
    ctx,
    new Map([...bySection].map(([section, own]) => [section, own.map(({ values }) => values)])),
  );
  for (const { resource, id, name, isNew } of parts) {
    if (isNew) names.set(resource, new Map([...(names.get(resource) ?? []), [id, name]]));
  }
  const translate = nameTranslation(names);
  return Object.fromEntries(
    [...bySection].map(([section, own]) => [
      section.name,
      own.map(({ name, values }) => {
        const written = toWritten({ ...values, name }, section.references, translate);
        return Object.fromEntries(byteSorted(Object.keys(written)).map((m) => [m, written[m]]));
      }),
    ]),
  );
}
