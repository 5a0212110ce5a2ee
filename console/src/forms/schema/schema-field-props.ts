import type { FormFaults } from '../faults.js';
import type { JsonSchema } from './json-schema.js';

export interface SchemaFieldProps {
  /** The whole schema, which references lead into. */
  readonly root: JsonSchema;
  /** That of this field. */
  readonly schema: unknown;
  /** The name of the member, where the schema has no title. */
  readonly label: string;
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly path: string;
  readonly faults: FormFaults;
  /** Without a value the member is removed. */
  readonly change: (value: unknown) => void;
}
