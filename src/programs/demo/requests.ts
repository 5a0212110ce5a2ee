import {
  AskForAccess,
  CreateOffer,
  PresentOffer,
  PresentRequest,
  type CreateAccessOfferInput,
} from '../emitted/operations.js';
import type { Client } from '../cli/client.js';
import type { Connection } from '../cli/controller-connection.js';
import { idOf } from './demo-change.js';
import { logInAs } from './demo-login.js';
import { makeSetting } from './make-settings.js';
import { OPERATORS, usernameOf } from './people.js';
import { readAgainIfRefused } from './read-again.js';
import type { Setting } from './settings.js';

/** An access offer, and a request of an operator for it. */
interface RequestedOffer {
  readonly offer: CreateAccessOfferInput;
  readonly operator: string;
  readonly reason: string;
  readonly minutes: number;
}

const REQUESTED: readonly RequestedOffer[] = [
  {
    offer: {
      name: 'Support tools in an emergency',
      description: 'When a plant stands still and nobody of support answers',
      roleAttribute: 'support',
      requesterRoles: ['#it'],
      approval: 'BREAK_GLASS',
      maxMinutes: 240,
    },
    operator: OPERATORS[1],
    reason: 'the line in Porto stands still',
    minutes: 120,
  },
  {
    offer: {
      name: 'Finance for an audit',
      description: 'For the days of an audit',
      roleAttribute: 'finance',
      requesterRoles: ['#it'],
      approverRoles: ['#finance'],
      maxMinutes: 5 * 24 * 60,
    },
    operator: OPERATORS[0],
    reason: 'the auditors ask for logs of the ledger',
    minutes: 480,
  },
];

const settingOf = (input: CreateAccessOfferInput): Setting<CreateAccessOfferInput> => ({
  find: PresentOffer,
  create: CreateOffer,
  input,
});

/** Makes offers: an operator has used one in an emergency, and a request for the other one waits for a decision. */
export async function askForAccess(admin: Client, connection: Connection): Promise<void> {
  for (const { offer, operator, ...request } of REQUESTED) {
    const offerId = await makeSetting(admin, settingOf(offer));
    await readAgainIfRefused(async () => {
      const { accessRequests } = await admin.run(PresentRequest, { offerId });
      if (accessRequests.totalCount > 0) return;
      const id = idOf('identity', operator);
      const client = await logInAs(admin, connection, id, usernameOf({ name: operator }));
      await client.run(AskForAccess, { offerId, ...request });
      await client.logout();
    });
  }
}
