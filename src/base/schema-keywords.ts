import { _, Ajv, type Code, type CodeKeywordDefinition, type KeywordCxt } from 'ajv';
import { instantOf } from './instant.js';
import { isObject } from './row.js';
import type { JsonSchema } from './json-schema.js';
import { isDeeperThan, isStorable, isStorableText, MAX_STORED_LEVELS } from './storable.js';

/*
 * Keywords of input schemas beyond draft 07:
 * - `properties` treats null as absent and includes `required`; it reports the first fault in the
 * declared order.
 * - `notNull` beside `properties`: members that may be absent but not null.
 * - `onlyIf` in a member: objects of other kinds do not have it, so it is not checked.
 * - `storable`, `storableJson`, `storableMap`: values that the database can store.
 * - `unprefixed`: role attributes without the prefix `#` or `@` of roles.
 * - `notEmpty`: no empty text; a text as its value is the field that a fault names.
 * - The formats are `byte` and `date-time`; a `date-time` may also be a `Date`.
 */

/** The member exists only in objects whose `member` is one of these texts, or is not a text. */
interface OnlyIf {
  readonly member: string;
  readonly is: readonly string[];
}

const FORMATS: Readonly<Record<string, (value: unknown) => boolean>> = {
  byte: (value) => typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value),
  'date-time': (value) => !Number.isNaN(instantOf(value).getTime()),
};

export const isPrefixed = (text: unknown): boolean =>
  typeof text === 'string' && (text.startsWith('#') || text.startsWith('@'));

const isStorableJson = (value: unknown): boolean =>
  !isDeeperThan(MAX_STORED_LEVELS, value) && isStorable(value);

const namesIn = (names: unknown): readonly string[] =>
  Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];

/** Code that tests whether the member exists in this kind of object. */
function isOfKind(data: Code, member: unknown): Code {
  const onlyIf = isObject(member) ? (member.onlyIf as OnlyIf | undefined) : undefined;
  if (onlyIf === undefined) return _`true`;
  const kind = _`${data}[${onlyIf.member}]`;
  return onlyIf.is.reduce(
    (code, is) => _`${code} || ${kind} === ${is}`,
    _`typeof ${kind} != "string"`,
  );
}

function refuseMember(cxt: KeywordCxt, member: string, why: 'required' | 'notNull'): void {
  cxt.setParams({ member, why });
  cxt.error();
}

function refuseAbsent(cxt: KeywordCxt, name: string, value: Code): void {
  const parent = cxt.parentSchema as JsonSchema;
  if (namesIn(parent.required).includes(name)) refuseMember(cxt, name, 'required');
  else if (namesIn(parent.notNull).includes(name)) {
    cxt.gen.if(_`${value} === null`, () => {
      refuseMember(cxt, name, 'notNull');
    });
  }
}

/** Generates the check of one member; null and undefined are absent. */
function checkMember(cxt: KeywordCxt, name: string, member: unknown): void {
  const { gen, data } = cxt;
  const value = _`${data}[${name}]`;
  const isOwn = isOfKind(data, member);
  const valid = gen.name('valid');
  gen.if(
    _`${value} !== undefined && ${value} !== null && (${isOwn})`,
    () => cxt.subschema({ keyword: 'properties', schemaProp: name, dataProp: name }, valid),
    () => {
      gen.var(valid, true);
      gen.if(isOwn, () => {
        refuseAbsent(cxt, name, value);
      });
    },
  );
  cxt.ok(valid);
}

const properties: CodeKeywordDefinition = {
  keyword: 'properties',
  type: 'object',
  schemaType: 'object',
  error: {
    message: '',
    params: ({ params }) => _`{member: ${params.member}, why: ${params.why}}`,
  },
  code: (cxt) => {
    for (const [name, member] of Object.entries(cxt.schema as JsonSchema)) {
      checkMember(cxt, name, member);
    }
  },
};

function failUnless(cxt: KeywordCxt, test: (value: unknown) => boolean): void {
  cxt.fail(_`!${cxt.gen.scopeValue('func', { ref: test })}(${cxt.data})`);
}

/** Makes a keyword from a test of values. */
const tested = (
  definition: Omit<CodeKeywordDefinition, 'code'>,
  test: (value: unknown) => boolean,
): CodeKeywordDefinition => ({
  ...definition,
  code: (cxt) => {
    failUnless(cxt, test);
  },
});

const KEYWORDS: readonly CodeKeywordDefinition[] = [
  properties,
  {
    keyword: 'format',
    code: (cxt) => {
      const test = FORMATS[String(cxt.schema)];
      if (!test) throw new Error(`there is no format ${String(cxt.schema)}`);
      failUnless(cxt, test);
    },
  },
  tested({ keyword: 'notEmpty', before: 'enum' }, (value) => value !== ''),
  // An unstorable text is refused before its length is checked.
  tested({ keyword: 'storable', type: 'string', before: 'maxLength' }, (text) =>
    isStorableText(String(text)),
  ),
  tested({ keyword: 'storableJson' }, isStorableJson),
  // The same test for a map, after its type is checked.
  tested(
    { keyword: 'storableMap', type: 'object', before: 'additionalProperties' },
    isStorableJson,
  ),
  tested(
    { keyword: 'unprefixed', type: 'array' },
    (texts) => !Array.isArray(texts) || !texts.some(isPrefixed),
  ),
];

/**
 * Makes a compiler that stops at the first fault and counts the UTF-16 units of texts, as clients
 * do.
 */
export function newCompiler(): Ajv {
  const compiler = new Ajv({
    meta: false,
    strict: false,
    strictNumbers: true,
    validateSchema: false,
    logger: false,
    verbose: true,
    messages: false,
    unicode: false,
  });
  for (const replaced of ['properties', 'required', 'format']) compiler.removeKeyword(replaced);
  for (const keyword of KEYWORDS) compiler.addKeyword(keyword);
  return compiler;
}
