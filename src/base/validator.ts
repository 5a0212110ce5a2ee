import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { bodyWords, type Fault, type Wording } from './fault-words.js';
import { stepsOfPointer } from './json-pointer.js';
import type { JsonSchema } from './json-schema.js';
import { newCompiler } from './schema-keywords.js';

/*
 * JSON schemas that are data: those of resources follow from declarations and stand in the OpenAPI
 * documents as well. Shapes that are written by hand are in `typed-schema.ts`.
 */

/** Checks a value; throws COULD_NOT_VALIDATE with the first fault in the declared order. */
export type Validator = (value: unknown, place?: string) => void;

interface ValidatorOptions {
  /** The wording of errors. Default: that of bodies of resources. */
  readonly words?: Wording;
}

let compiler: Ajv | undefined;

/** The path of member names and positions to a part of a value. */
function stepsTo(pointer: string, root: unknown): (string | number)[] {
  let current = root;
  return stepsOfPointer(pointer).map((name) => {
    const isPosition = Array.isArray(current);
    current = Reflect.get(Object(current) as object, name);
    return isPosition ? Number(name) : name;
  });
}

function faultOf(error: ErrorObject, root: unknown): Fault {
  const steps = stepsTo(error.instancePath, root);
  const { keyword, data: value, parentSchema: schema = {} } = error;
  if (keyword !== 'properties') return { keyword, steps, value, schema };
  const { member, why } = error.params as { readonly member: string; readonly why: string };
  return { keyword: why, steps: [...steps, member], value: null, schema };
}

const membersOf = (schema: JsonSchema): [string, unknown][] =>
  Object.entries((schema.properties ?? {}) as JsonSchema);

/** Makes a function that gives the first fault of each member of an object, in the declared order. */
export function faultsOf(
  schema: JsonSchema,
  options?: ValidatorOptions,
): (value: unknown) => unknown[] {
  const whole = validatorOf(schema, options);
  let members: readonly Validator[] | undefined;
  return (value) => {
    if (refusalOf(whole, value) === undefined) return [];
    members ??= membersOf(schema).map(([name, member]) =>
      validatorOf({ ...schema, properties: { [name]: member } }, options),
    );
    return members
      .map((validate) => refusalOf(validate, value))
      .filter((fault) => fault !== undefined);
  };
}

function refusalOf(validate: Validator, value: unknown): unknown {
  try {
    validate(value);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Makes the validator of a schema; it is compiled at its first use. */
export function validatorOf(
  schema: JsonSchema,
  { words = bodyWords }: ValidatorOptions = {},
): Validator {
  let conforms: ValidateFunction | undefined;
  return (value, place = '') => {
    conforms ??= (compiler ??= newCompiler()).compile(schema);
    if (conforms(value)) return;
    const [error] = conforms.errors ?? [];
    // The errors refer to the whole value, which could not be freed.
    conforms.errors = null;
    throw error ? words.errorOf(faultOf(error, value), place) : new Error('no fault is told');
  };
}
