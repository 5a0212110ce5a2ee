import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected } from '../../prisma/models.js';

const MUTE = { id: true, findingId: true } as const;

type FindingMute = Selected<'FindingMute', typeof MUTE>;

/** Gives the mutes that have not ended. */
export const inForce = (rows: Rows, now: Date): Promise<FindingMute[]> =>
  rows.readModel((models) =>
    models.findingMute.findMany({
      where: { OR: [{ mutedUntil: null }, { mutedUntil: { gt: now } }] },
      select: MUTE,
    }),
  );
