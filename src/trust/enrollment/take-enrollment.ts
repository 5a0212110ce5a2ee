import type { RequestContext } from '../../kernel/request/context.js';
import { failure } from '../../base/errors.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { deleteIn } from '../../kernel/write/write.js';
import { enrollments } from '../../data/rows/enrollment/index.js';
import type { EnrollmentMethod } from './enrollment-tokens.js';

const TOKEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Consumes an enrollment within the transaction that uses it: the second of two users finds none, and
 * a failed use leaves the token unused.
 * @throws ApiError INVALID_ENROLLMENT_TOKEN, INVALID_ENROLL_METHOD, ENROLLMENT_EXPIRED
 */
export async function consumeEnrollment(
  ctx: RequestContext,
  tx: Transaction,
  token: string,
  method: EnrollmentMethod,
): Promise<RowOf<'Enrollment'>> {
  if (!TOKEN.test(token)) throw failure('INVALID_ENROLLMENT_TOKEN');
  const id = await enrollments.lock(tx, token);
  const [enrollment] =
    id === undefined ? [] : await tx.find(ctx.catalog.resources.Enrollment, { id });
  if (!enrollment) throw failure('INVALID_ENROLLMENT_TOKEN');
  if (enrollment.method !== method) throw failure('INVALID_ENROLL_METHOD');
  if (enrollment.expiresAt <= ctx.now()) throw failure('ENROLLMENT_EXPIRED');
  await deleteIn(ctx, tx, ctx.catalog.resources.Enrollment, [enrollment]);
  return enrollment;
}

/** Gives a member of an enrollment; the method decides which members are filled. */
export function memberOf(
  enrollment: RowOf<'Enrollment'>,
  name: 'identityId' | 'edgeRouterId' | 'transitRouterId' | 'caId' | 'username',
): string {
  const value = enrollment[name];
  if (value === null) throw failure('INVALID_ENROLLMENT_TOKEN');
  return value;
}

/**
 * Gives the method of a one-time token, for clients that do not name one.
 * @throws ApiError INVALID_ENROLLMENT_TOKEN
 */
export async function enrollmentMethod(ctx: RequestContext, token: string): Promise<string> {
  const method = TOKEN.test(token) ? await enrollments.methodOf(ctx.store, token) : undefined;
  if (method === undefined) throw failure('INVALID_ENROLLMENT_TOKEN');
  return method;
}

/** Whether the token can be consumed. */
export async function isOutstanding(ctx: RequestContext, token: string): Promise<boolean> {
  return TOKEN.test(token) && (await enrollments.exists(ctx.store, token));
}
