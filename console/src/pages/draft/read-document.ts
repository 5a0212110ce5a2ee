import { parse } from 'yaml';
import { piecesOf, type YamlPiece } from './yaml-pieces.js';

/** Why a text is neither JSON nor YAML, and where. */
export interface DocumentFault {
  /** Undefined: the text is too large to be read at once. */
  readonly reason: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

export class UnreadableDocument extends Error {
  constructor(readonly fault: DocumentFault) {
    super(fault.reason);
  }
}

/** The memory of a browser may not suffice to read more as one piece of YAML. */
const MAX_AT_ONCE = 16 * 1024 * 1024;

/**
 * Reads JSON or YAML as JSON; an empty text is `null`.
 * @param progress takes the share that is read
 * @throws UnreadableDocument
 */
export function readDocument(text: string, progress: (share: number) => void): string {
  // JSON is YAML as well, and much faster read as what it is.
  if (/^\s*[{[]/.test(text)) {
    try {
      JSON.parse(text);
      return text;
    } catch (fault) {
      // YAML may begin so, too.
      if (text.length > MAX_AT_ONCE) throw unreadable(fault);
    }
  }
  return JSON.stringify(readYaml(text, progress) ?? null);
}

function readYaml(text: string, progress: (share: number) => void): unknown {
  const pieces = piecesOf(text);
  try {
    if (pieces && pieces.length > 0) return joined(pieces, text.length, progress);
  } catch (fault) {
    // One piece may use what another one has named.
    if (!(fault instanceof ReferenceError)) throw fault;
  }
  return parsed(text, 1);
}

/** Reads the pieces; the lists of one member are joined. */
function joined(
  pieces: readonly YamlPiece[],
  length: number,
  progress: (share: number) => void,
): unknown {
  const members = new Map<string, unknown>();
  let read = 0;
  for (const { key, text, line } of pieces) {
    const value = (parsed(text, line) as Readonly<Record<string, unknown>>)[key];
    const before = members.get(key);
    if (Array.isArray(before) && Array.isArray(value))
      for (const entry of value) before.push(entry);
    else members.set(key, value);
    read += text.length;
    progress(read / length);
  }
  return Object.fromEntries(members);
}

/** @param line the line of the document where the text begins */
function parsed(text: string, line: number): unknown {
  if (text.length > MAX_AT_ONCE) throw new UnreadableDocument(TOO_LARGE);
  try {
    return parse(text, { logLevel: 'error' }) as unknown;
  } catch (fault) {
    if (fault instanceof ReferenceError) throw fault;
    throw unreadable(fault, line);
  }
}

const TOO_LARGE: DocumentFault = { reason: undefined, line: undefined, column: undefined };

/** The place at the end of messages of both readers. */
const PLACE = /(?: in JSON)? at (?:position \d+ \()?line (\d+),? column (\d+)[\s\S]*$/;

function unreadable(fault: unknown, firstLine = 1): UnreadableDocument {
  const message = fault instanceof Error ? fault.message : String(fault);
  const place = PLACE.exec(message);
  return new UnreadableDocument({
    reason: message.replace(PLACE, ''),
    line: place ? Number(place[1]) + firstLine - 1 : undefined,
    column: place ? Number(place[2]) : undefined,
  });
}
