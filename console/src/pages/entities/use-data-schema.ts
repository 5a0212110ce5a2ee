import type { Kind } from '../../description/description.js';
import type { Row } from '../../description/documents.js';
import type { InputField } from '../../description/inputs.js';
import {
  DataSchema,
  type DataSchemaResult,
  type DataSchemaVariables,
} from '../../emitted/operations.js';
import type { FormValues } from '../../forms/form-values.js';
import { isObject, type JsonObject } from '../../forms/json-value.js';
import { useAnswer } from '../../graph/use-answer.js';

/** The member with data whose schema another entity has. */
interface DescribedData {
  readonly member: string;
  /** Whether it is not known yet which schema it is. */
  readonly isAwaited: boolean;
  readonly schema: JsonObject | undefined;
}

const DATA = 'data';
const TYPE = 'configTypeId';

/** Reads the JSON schema of the data of a config. Kinds without such data have none. */
export function useDataSchema(
  { type }: Kind,
  entity: Row | undefined,
  values: FormValues,
): DescribedData | undefined {
  const isConfig = type === 'Config';
  const chosen = typeof values[TYPE] === 'string' ? values[TYPE] : '';
  const variables = { config: entity?.id ?? '', type: chosen, isNew: entity === undefined };
  const isKnown = entity !== undefined || chosen !== '';
  const { data, isLoading } = useAnswer(DataSchema, variables, { when: isConfig && isKnown });
  if (!isConfig) return undefined;
  const schema = schemaIn(data, variables);
  return {
    member: DATA,
    // After a new login the answer comes again; the field stays.
    isAwaited: !isKnown || (isLoading && schema === undefined),
    schema: isFilled(schema) ? schema : undefined,
  };
}

/** The schema in an answer, undefined when the answer is about another choice. */
function schemaIn(data: DataSchemaResult | undefined, { isNew, type }: DataSchemaVariables) {
  const configType = isNew ? data?.configType : data?.config?.configType;
  return configType && (!isNew || configType.id === type) ? configType.schema : undefined;
}

/** Any object fits an empty schema. */
const isFilled = (schema: unknown): schema is JsonObject =>
  isObject(schema) && Object.keys(schema).length > 0;

/** The fields, of which the one with the data comes when its schema is known. */
export function withDataSchema(
  fields: readonly InputField[],
  data: DescribedData | undefined,
): readonly InputField[] {
  if (!data) return fields;
  const { member, isAwaited, schema } = data;
  if (isAwaited) return fields.filter(({ name }) => name !== member);
  return schema
    ? fields.map((each) => (each.name === member ? { ...each, schema } : each))
    : fields;
}
