import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected } from '../../prisma/models.js';

/* The second factors of identities: one-time codes. Their secrets are sealed. */

const FACTOR = {
  ...{ id: true, identityId: true, createdAt: true, updatedAt: true, isVerified: true },
  ...{ secret: true, recoveryCodes: true, lastStep: true },
  identity: { select: { name: true } },
} as const;

/** The second factor of an identity. */
export type SecondFactor = Selected<'Mfa', typeof FACTOR>;

export const find = (rows: Rows, identityId: string): Promise<SecondFactor | null> =>
  rows.readModel((models) => models.mfa.findUnique({ where: { identityId }, select: FACTOR }));

/** A second factor that its owner has not confirmed yet. */
interface PendingFactor {
  readonly identityId: string;
  readonly id: string;
  readonly secret: string;
  readonly recoveryCodes: string;
}

/** Stores a factor and replaces an earlier one. */
export const put = (
  tx: Rows,
  { identityId, ...factor }: PendingFactor,
  at: Date,
): Promise<unknown> => {
  const values = { ...factor, createdAt: at, updatedAt: at };
  return tx.writeModel((models) =>
    models.mfa.upsert({
      where: { identityId },
      create: { identityId, ...values },
      update: { ...values, lastStep: 0 },
      select: { id: true },
    }),
  );
};

export const confirm = (tx: Rows, identityId: string, at: Date): Promise<unknown> =>
  change(tx, identityId, { isVerified: true, updatedAt: at });

/** Stores the time step of the last used one-time code. */
export const useStep = (tx: Rows, identityId: string, step: number): Promise<unknown> =>
  change(tx, identityId, { lastStep: step });

/** Replaces all recovery codes. */
export const putRecoveryCodes = (
  tx: Rows,
  identityId: string,
  recoveryCodes: string,
  at: Date,
): Promise<unknown> => change(tx, identityId, { recoveryCodes, updatedAt: at });

export const remove = (tx: Rows, identityId: string): Promise<unknown> =>
  tx.writeModel((models) => models.mfa.deleteMany({ where: { identityId } }));

interface FactorChange {
  readonly isVerified?: boolean;
  readonly lastStep?: number;
  readonly recoveryCodes?: string;
  readonly updatedAt?: Date;
}

const change = (tx: Rows, identityId: string, data: FactorChange): Promise<unknown> =>
  tx.writeModel((models) => models.mfa.updateMany({ where: { identityId }, data }));
