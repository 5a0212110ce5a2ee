/** Writes the types and codecs of the messages of routers, from their description. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { root, say } from './run.mjs';

const PROTO = join(root, 'src/network/messages/proto');
const EMITTED = 'src/network/messages/emitted/messages.ts';

/** Writes the emitted source, or compares it; gives whether it is fresh. */
export function emitMessages({ check }) {
  const source = messagesSource();
  const path = join(root, EMITTED);
  if (!check) writeFileSync(path, source);
  else if (readFileSync(path, 'utf8') !== source) {
    say(`${EMITTED} is stale: run \`npm run emit\` and commit what it writes`);
    return false;
  }
  return true;
}

const SCALARS = {
  string: 'string',
  bytes: 'Buffer',
  bool: 'boolean',
  double: 'number',
  uint32: 'number',
  int32: 'number',
  uint64: 'number',
  int64: 'number',
};

const HEAD = `/* Emitted by \`npm run emit\` from ../proto. */
import { codecs } from '../codec.js';
`;

function messagesSource() {
  const description = new protobuf.Root();
  const files = readdirSync(PROTO).filter((name) => name.endsWith('.proto'));
  for (const file of files.sort()) {
    const text = readFileSync(join(PROTO, file), 'utf8');
    protobuf.parse(text, description, { keepCase: true, alternateCommentMode: true });
  }
  description.resolveAll();
  const types = description.nestedArray.filter((member) => member instanceof protobuf.Type);
  const enums = description.nestedArray.filter((member) => member instanceof protobuf.Enum);
  return [
    HEAD,
    ...enums.map(enumSource),
    ...types.map(typeSource),
    `const codec = codecs(${JSON.stringify(description.toJSON())});\n`,
    '/** The messages by their names. */',
    'export const messages = {',
    ...types.map(({ name }) => `  ${name}: codec<${name}>('${name}'),`),
    '};\n',
  ].join('\n');
}

function enumSource({ name, values, comment }) {
  const names = Object.keys(values).map((value) => `'${value}'`);
  return `${documentation(comment, '')}export type ${name} = ${names.join(' | ')};\n`;
}

function typeSource({ name, fieldsArray, comment }) {
  const members = fieldsArray.map(
    (field) => `${documentation(field.comment, '  ')}  ${memberSource(field)};`,
  );
  return [`${documentation(comment, '')}export interface ${name} {`, ...members, '}\n'].join('\n');
}

/** Of several fields of which a message has one, the others are absent. */
const memberSource = (field) =>
  field.partOf ? `${field.name}?: ${field.type}` : `${field.name}: ${memberType(field)}`;

function memberType(field) {
  const { resolvedType, type } = field.resolve();
  const item = SCALARS[type] ?? type;
  if (field instanceof protobuf.MapField) return `Record<string, ${item}>`;
  if (field.repeated) return `${item}[]`;
  return resolvedType instanceof protobuf.Type ? `${item} | null` : item;
}

const documentation = (comment, indent) =>
  comment === null ? '' : `${indent}/** ${comment.replaceAll('\n', ' ')} */\n`;
