import type { Row } from '../../../src/base/row.js';
import type { InProcess } from '../../support/in-process.js';

let count = 0;

/** A new directory with its prefix. */
export async function newDirectory(
  on: InProcess,
  input: Row = {},
): Promise<{ readonly id: string; readonly name: string; readonly prefix: string }> {
  count += 1;
  const name = `directory ${String(count)}`;
  const prefix = `idp${String(count)}:`;
  const id = await on.create('Directory', { name, roleAttributePrefix: prefix, ...input });
  return { id, name, prefix };
}

/** Issues a token and gives its secret with its id. */
export async function issueToken(
  on: InProcess,
  id: string,
  input: Row = {},
): Promise<{ readonly id: string; readonly token: string }> {
  const { issued } = await on.read<{ issued: { id: string; token: string } }>(
    `mutation ($id: ID!, $note: String, $expiresAt: DateTime) {
      issued: issueDirectoryToken(id: $id, note: $note, expiresAt: $expiresAt) { id token } }`,
    { id, ...input },
  );
  return issued;
}
