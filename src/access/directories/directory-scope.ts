import { failure } from '../../base/errors.js';
import { directories, sourceOf, type DirectoryRow } from '../../data/rows/directory/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Origin } from '../../kernel/request/store-port.js';
import { originOf } from '../../kernel/write/write.js';
import { directoryOfToken } from './directory-tokens.js';

/** The directory of a request: all that the request may read and write. */
export interface DirectoryScope {
  readonly ctx: RequestContext;
  readonly directory: DirectoryRow;
  /** The source of its role assignments. */
  readonly source: string;
  /** The author of its changes is the directory. */
  readonly origin: Origin;
}

/**
 * Opens the directory of a token, if it is of this kind.
 * @throws ApiError UNAUTHORIZED
 */
export async function openDirectory(
  ctx: RequestContext,
  token: string | undefined,
  kind: DirectoryRow['kind'],
): Promise<DirectoryScope> {
  const id = token === undefined ? undefined : await directoryOfToken(ctx, token);
  const directory = id === undefined ? null : await directories.byId(ctx.store, id);
  if (directory?.kind !== kind) throw failure('UNAUTHORIZED');
  const reason = `the directory ${directory.name}`;
  const origin = { ...originOf(ctx), actorId: directory.id, reason, overridesRules: false };
  return { ctx, directory, source: sourceOf(directory.id), origin };
}
