import {
  Lexer,
  parse,
  Source,
  TokenKind,
  type DocumentNode,
  type ParseOptions,
  type Token,
} from 'graphql';
import { failure, invalidField } from '../../base/errors.js';
import { isStorableText, UNSTORABLE } from '../../base/storable.js';
import { MAX_DEPTH, MAX_TOKENS } from './limits.js';

/** Braces, brackets and parentheses within each other; selections have a lower limit of their own. */
const MAX_OPEN_BRACKETS = 64;

const OPENING: ReadonlySet<string> = new Set([
  TokenKind.BRACE_L,
  TokenKind.BRACKET_L,
  TokenKind.PAREN_L,
]);
const CLOSING: ReadonlySet<string> = new Set([
  TokenKind.BRACE_R,
  TokenKind.BRACKET_R,
  TokenKind.PAREN_R,
]);

const TEXT: ReadonlySet<string> = new Set([TokenKind.STRING, TokenKind.BLOCK_STRING]);

/**
 * Parses a document after checking its size, depth and texts token by token: the parser and the later
 * steps are recursive.
 * @throws ApiError QUERY_TOO_COMPLEX or COULD_NOT_VALIDATE
 * @throws GraphQLError for a text that is no document
 */
export function parseDocument(
  text: string,
  options: ParseOptions = { noLocation: true },
): DocumentNode {
  refuseHarmfulDocument(text);
  return parse(text, options);
}

function refuseHarmfulDocument(text: string): void {
  const lexer = new Lexer(new Source(text));
  let levels = 0;
  for (let tokens = 0; lexer.advance().kind !== TokenKind.EOF; tokens += 1) {
    if (tokens >= MAX_TOKENS) throw tooComplex(`has more than ${String(MAX_TOKENS)} tokens`);
    const { kind, value } = lexer.token;
    if (OPENING.has(kind)) levels += 1;
    else if (CLOSING.has(kind)) levels -= 1;
    if (levels > MAX_OPEN_BRACKETS) throw tooDeep();
    if (TEXT.has(kind) && !isStorableText(value)) throw unstorable(lexer.token);
  }
}

function unstorable({ line, column }: Token): Error {
  const place = `at line ${String(line)}, column ${String(column)}`;
  return invalidField('query', `the string ${place} ${UNSTORABLE}`, '');
}

const tooDeep = (): Error =>
  tooComplex(
    `has more than ${String(MAX_OPEN_BRACKETS)} braces, brackets and parentheses within each other; ` +
      `its fields may nest ${String(MAX_DEPTH)} levels deep`,
  );

const tooComplex = (fault: string): Error => failure('QUERY_TOO_COMPLEX', `the document ${fault}`);
