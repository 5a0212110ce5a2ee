import { DEFAULT_NODES, type MapSearch } from '../../addresses/map-search.js';
import type { DraftChange } from '../../draft/draft.js';
import { modelChanges } from '../../draft/model-changes.js';
import type { AccessType, ModelChangeInput } from '../../emitted/operations.js';
import type { Pair } from '../../parts/access/pair.js';

/** The identity and the service between which paths are wanted, when both are chosen. */
export function pairOf({ identity, service, lens }: MapSearch): Pair | undefined {
  if (identity === undefined || service === undefined) return undefined;
  return { identityId: identity, serviceId: service, type: lens ?? 'Dial' };
}

/** The question to the controller. */
export interface MapVariables {
  readonly type?: AccessType | undefined;
  readonly identityFilter?: string | undefined;
  readonly serviceFilter?: string | undefined;
  readonly at?: string | undefined;
  readonly changes?: readonly ModelChangeInput[] | undefined;
  readonly maxNodes: number;
}

/** Takes the draft of this tab. Changes of the past can not be simulated. */
export const mapVariables = (search: MapSearch, draft: readonly DraftChange[]): MapVariables => ({
  type: search.lens,
  identityFilter: search.identities,
  serviceFilter: search.services,
  at: search.at,
  changes: isWithDraft(search, draft) ? modelChanges(draft) : undefined,
  maxNodes: search.nodes ?? DEFAULT_NODES,
});

const isWithDraft = ({ at, draft }: MapSearch, changes: readonly DraftChange[]): boolean =>
  draft === true && at === undefined && changes.length > 0;
