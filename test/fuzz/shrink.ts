import { isObject } from '../../src/base/row.js';
import type { Body, FuzzRequest } from './fuzz-request.js';

const MAX_TRIES = 120;

/** A smaller request that still fails, as far as some tries lead. */
export async function shrunk(
  request: FuzzRequest,
  fails: (candidate: FuzzRequest) => Promise<boolean>,
): Promise<FuzzRequest> {
  let smallest = request;
  let tries = 0;
  for (let hasShrunk = true; hasShrunk && tries < MAX_TRIES;) {
    hasShrunk = false;
    for (const candidate of smaller(smallest)) {
      tries += 1;
      if (tries > MAX_TRIES) break;
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      hasShrunk = true;
      break;
    }
  }
  return smallest;
}

function* smaller(request: FuzzRequest): Generator<FuzzRequest> {
  const { query, headers, body } = request;
  for (const i of query.keys()) yield { ...request, query: query.toSpliced(i, 1) };
  for (const i of headers.keys()) yield { ...request, headers: headers.toSpliced(i, 1) };
  for (const [i, [name, value]] of query.entries()) {
    for (const text of shorter(value)) {
      yield { ...request, query: query.toSpliced(i, 1, [name, text]) };
    }
  }
  for (const less of smallerBodies(body)) yield { ...request, body: less };
}

function* smallerBodies(body: Body): Generator<Body> {
  if (body.kind === 'json') {
    for (const value of smallerValues(body.value)) yield { kind: 'json', value };
  }
  if (body.kind === 'text') for (const text of shorter(body.text)) yield { kind: 'text', text };
}

/** Without a member or entry, or with one that is smaller. */
function* smallerValues(value: unknown): Generator {
  if (typeof value === 'string') yield* shorter(value);
  if (Array.isArray(value)) {
    if (value.length > 4) yield value.slice(0, value.length / 2);
    for (const [i, entry] of value.entries()) {
      yield value.toSpliced(i, 1);
      for (const less of smallerValues(entry)) yield value.toSpliced(i, 1, less);
    }
  }
  if (!isObject(value)) return;
  const members = Object.entries(value);
  for (const [i] of members.entries()) yield Object.fromEntries(members.toSpliced(i, 1));
  for (const [i, [name, member]] of members.entries()) {
    for (const less of smallerValues(member)) {
      yield Object.fromEntries(members.toSpliced(i, 1, [name, less]));
    }
  }
}

const PARTS = 4;

/** Without a half, or a quarter. */
function* shorter(text: string): Generator<string> {
  if (text.length < 2) return;
  yield text.slice(0, text.length / 2);
  yield text.slice(text.length / 2);
  const size = Math.ceil(text.length / PARTS);
  for (let at = 0; at < text.length; at += size) yield text.slice(0, at) + text.slice(at + size);
}
