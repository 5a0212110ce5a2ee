import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseDocument, stringify } from 'yaml';
import { commandFault, usageError } from './command-error.js';
import { codeOf } from './controller-connection.js';
import { ApiError } from '../../base/errors.js';
import { refuseDeepJson } from '../../base/json-text.js';

export type Format = 'yaml' | 'json';

/** The format that is asked for, or that the name of the file tells. */
export function formatOf(asked: string | undefined, file: string | undefined): Format {
  if (asked === 'yaml' || asked === 'json') return asked;
  if (asked !== undefined) throw usageError(`--format must be yaml or json, is "${asked}"`);
  return file?.toLowerCase().endsWith('.json') === true ? 'json' : 'yaml';
}

export const written = (document: unknown, format: Format): string =>
  format === 'json'
    ? `${JSON.stringify(document, null, 2)}\n`
    : stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });

/** The content of a file (`-`: the standard input), or the place at which it can not be read. */
export async function readDocument(file: string): Promise<unknown> {
  const content = await contentOf(file);
  try {
    return parsed(file, content);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw commandFault(`${file}: nests too deep`);
  }
}

function parsed(file: string, content: string): unknown {
  // JSON is YAML as well, and much faster read as what it is.
  if (/^\s*[{[]/.test(content)) {
    refuseDeepJson(content);
    try {
      return JSON.parse(content) as unknown;
    } catch (error) {
      if (file.toLowerCase().endsWith('.json')) {
        // Node 20 names no place, and most of what is no JSON is no YAML either.
        fromYaml(file, content);
        throw commandFault(`${file}: ${(error as Error).message}`);
      }
    }
  }
  return fromYaml(file, content);
}

function fromYaml(file: string, content: string): unknown {
  const document = parseDocument(content, { prettyErrors: true });
  const [error] = document.errors;
  if (error) {
    const [at] = error.linePos ?? [];
    const place = at ? `${file}:${String(at.line)}:${String(at.col)}` : file;
    const [message = ''] = error.message.split(/ at line \d+|\n/);
    throw commandFault(`${place}: ${message}`);
  }
  try {
    return document.toJS() as unknown;
  } catch (fault) {
    throw commandFault(`${file}: ${(fault as Error).message}`);
  }
}

/** `-` is the standard input. */
export async function contentOf(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw usageError(`${file} can not be read: ${codeOf(error)}`);
  }
}
