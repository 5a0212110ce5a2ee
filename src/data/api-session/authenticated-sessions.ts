import type { Rows } from '../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';

/** Gives the token of the latest API session that an identity has by an authenticator. */
export async function latestToken(
  rows: Rows,
  { identityId, authenticatorId }: Pick<TableRow<'ApiSession'>, 'identityId' | 'authenticatorId'>,
): Promise<string | undefined> {
  const [session] = await rows.readModel((models) =>
    models.apiSession.findMany({
      where: { identityId, authenticatorId },
      select: { token: true },
      orderBy: { id: 'desc' },
      take: 1,
    }),
  );
  return session?.token;
}
