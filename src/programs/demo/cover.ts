import { AssignRole, PresentAssignment } from '../emitted/operations.js';
import type { Client } from '../cli/client.js';
import { idOf } from './demo-change.js';
import { OPERATORS } from './people.js';
import { readAgainIfRefused } from './read-again.js';

const REASON = 'helps with the payroll while a colleague is away';
const THREE_DAYS = 3 * 86_400_000;

/** Gives an operator access to finance for three days. A finding says that it ends. */
export const coverForColleague = (admin: Client): Promise<void> =>
  readAgainIfRefused(async () => {
    const { roleAssignments } = await admin.run(PresentAssignment, { reason: REASON });
    if (roleAssignments.totalCount > 0) return;
    await admin.run(AssignRole, {
      input: {
        identityId: idOf('identity', OPERATORS[2]),
        roleAttribute: 'finance',
        reason: REASON,
        activeUntil: new Date(Date.now() + THREE_DAYS).toISOString(),
      },
    });
  });
