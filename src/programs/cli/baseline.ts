import { parseDocument } from 'yaml';
import { isObject } from '../../base/row.js';
import { usageError } from './command-error.js';
import { contentOf } from './document.js';

/** The findings that were known before: their kinds by their ids. */
export type Baseline = ReadonlyMap<string, string>;

const WANTED = 'a baseline is what "overgraph findings --json" writes';

/** Reads a file (`-`: the standard input), or tells the place at which it is no baseline. */
export async function readBaseline(file: string): Promise<Baseline> {
  const findings = parsed(file, await contentOf(file));
  if (!Array.isArray(findings)) throw usageError(`${file}: is no list; ${WANTED}`);
  return new Map(
    findings.map((finding: unknown, i): [string, string] => [
      textOf(file, finding, i, 'id'),
      textOf(file, finding, i, 'kind'),
    ]),
  );
}

function textOf(file: string, finding: unknown, i: number, member: string): string {
  const value = isObject(finding) ? finding[member] : undefined;
  if (typeof value === 'string' && value !== '') return value;
  throw usageError(`${file}: [${String(i)}].${member} must be a text; ${WANTED}`);
}

function parsed(file: string, content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch (error) {
    throw usageError(`${file}${placeIn(content)}: ${(error as Error).message}; ${WANTED}`);
  }
}

/** Node names a place in some of its messages alone; JSON is YAML as well. */
function placeIn(content: string): string {
  try {
    const [at] = parseDocument(content).errors[0]?.linePos ?? [];
    return at ? `:${String(at.line)}:${String(at.col)}` : '';
  } catch {
    return '';
  }
}
