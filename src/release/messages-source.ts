import { readdir, readFile } from 'node:fs/promises';
import protobuf from 'protobufjs';

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  bytes: 'Buffer',
  bool: 'boolean',
  uint32: 'number',
  int32: 'number',
  uint64: 'number',
  int64: 'number',
};

const HEAD = `/* Emitted by \`npm run emit\` from ../proto. */
import { codecs } from '../codec.js';
`;

/** Gives the source of the types and codecs of all messages that are described in a folder. */
export async function messagesSource(folder: URL): Promise<string> {
  const root = new protobuf.Root();
  const files = (await readdir(folder)).filter((name) => name.endsWith('.proto')).sort();
  for (const file of files) {
    const text = await readFile(new URL(file, folder), 'utf8');
    protobuf.parse(text, root, { keepCase: true, alternateCommentMode: true });
  }
  root.resolveAll();
  const types = root.nestedArray.filter((member) => member instanceof protobuf.Type);
  const enums = root.nestedArray.filter((member) => member instanceof protobuf.Enum);
  return [
    HEAD,
    ...enums.map(enumSource),
    ...types.map(typeSource),
    `const codec = codecs(${JSON.stringify(root.toJSON())});\n`,
    '/** The messages by their names. */',
    'export const messages = {',
    ...types.map(({ name }) => `  ${name}: codec<${name}>('${name}'),`),
    '};\n',
  ].join('\n');
}

const enumSource = ({ name, values, comment }: protobuf.Enum): string => {
  const names = Object.keys(values).map((value) => `'${value}'`);
  return `${documentation(comment, '')}export type ${name} = ${names.join(' | ')};\n`;
};

function typeSource({ name, fieldsArray, comment }: protobuf.Type): string {
  const members = fieldsArray.map(
    (field) => `${documentation(field.comment, '  ')}  ${field.name}: ${memberType(field)};`,
  );
  return [`${documentation(comment, '')}export interface ${name} {`, ...members, '}\n'].join('\n');
}

function memberType(field: protobuf.Field): string {
  const { resolvedType, type } = field.resolve();
  const item = SCALARS[type] ?? type;
  if (field instanceof protobuf.MapField) return `Record<string, ${item}>`;
  if (field.repeated) return `${item}[]`;
  return resolvedType instanceof protobuf.Type ? `${item} | null` : item;
}

const documentation = (comment: string | null, indent: string): string =>
  comment === null ? '' : `${indent}/** ${comment.replaceAll('\n', ' ')} */\n`;
