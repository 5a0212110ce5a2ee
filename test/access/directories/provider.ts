import {
  createGroup,
  createUser,
  openDirectory,
  type DirectoryScope,
  type WrittenUser,
} from '../../../src/access/directories/index.js';
import type { Row } from '../../../src/base/row.js';
import type { InProcess } from '../../support/in-process.js';
import { issueToken, newDirectory } from './new-directory.js';

/* The provider of a directory at a controller in this process. */

let count = 0;

/** Opens a new directory, as the SCIM interface does for a request with its token. */
export async function openedDirectory(
  on: InProcess,
  input: Row = {},
): Promise<DirectoryScope & { readonly token: string }> {
  const { id } = await newDirectory(on, input);
  const { token } = await issueToken(on, id);
  return { ...(await openDirectory(on.anonymous(), token, 'identityProvider')), token };
}

const writtenUser = (input: Partial<WrittenUser> = {}): WrittenUser => {
  count += 1;
  const userName = `user ${String(count)}`;
  return {
    userName,
    externalId: `external ${String(count)}`,
    active: true,
    attributes: {},
    ...input,
  };
};

export const newUser = (scope: DirectoryScope, input: Partial<WrittenUser> = {}): Promise<string> =>
  createUser(scope, writtenUser(input));

export const newGroup = (
  scope: DirectoryScope,
  displayName: string,
  memberIds: readonly string[] = [],
): Promise<string> =>
  createGroup(scope, { displayName, externalId: null, attributes: {} }, memberIds);
