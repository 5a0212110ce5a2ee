import type { Logger } from 'pino';
import { isChangeOf, type ChangeListener } from '../../kernel/request/store-port.js';

/** Logs each use of an access offer for emergencies, on every controller. */
export const logEmergencyUses =
  (log: Pick<Logger, 'warn'>): ChangeListener =>
  (changes) => {
    for (const change of changes) {
      if (!isChangeOf('AccessRequest', change) || change.operation !== 'create') continue;
      const { approval, identityId, offerName, reason } = change.after ?? {};
      if (approval !== 'BREAK_GLASS') continue;
      const use = { accessRequest: change.id, identity: identityId, offer: offerName, reason };
      log.warn(use, 'an access offer for emergencies was used');
    }
  };
