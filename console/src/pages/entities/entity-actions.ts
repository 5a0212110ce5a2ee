import type { Row } from '../../description/documents.js';
import {
  DeleteWithUsers,
  DisableIdentity,
  EnableIdentity,
  EndGrant,
  EndSessions,
  IssueToken,
  ReviewEmergency,
} from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { texts } from '../../texts.js';

const words = texts.actions;

/** What the caller says about an action. */
interface Said {
  readonly text: string | undefined;
  readonly isChecked: boolean;
}

/** What can be done with an entity beside changing and deleting it, after a question. */
export interface EntityAction {
  /** The mutation that it runs. */
  readonly needs: string;
  /** `label` is that of the field, if it has one. */
  readonly words: {
    readonly text: string;
    readonly question: string;
    readonly label?: string;
    readonly now: string;
    /** What it says about the secret that it gives. */
    readonly result?: string;
  };
  readonly field?: 'text' | 'check';
  readonly isOffered?: (entity: Row) => boolean;
  /** Whether the entity is gone afterwards. */
  readonly removes?: true;
  /** Gives a secret that nothing shows again. */
  readonly run: (id: string, said: Said) => Promise<string | undefined>;
}

const withoutSecret = (work: Promise<unknown>): Promise<undefined> => work.then(() => undefined);

/** By the types of entities. */
export const ENTITY_ACTIONS: Readonly<Record<string, readonly EntityAction[]>> = {
  Identity: [
    {
      needs: 'disableIdentity',
      words: words.disable,
      isOffered: ({ disabledAt }) => disabledAt === null,
      run: (id) => withoutSecret(ask(DisableIdentity, { id })),
    },
    {
      needs: 'enableIdentity',
      words: words.enable,
      isOffered: ({ disabledAt }) => disabledAt !== null,
      run: (id) => withoutSecret(ask(EnableIdentity, { id })),
    },
    {
      needs: 'revoke',
      words: words.endSessions,
      run: (id) => withoutSecret(ask(EndSessions, { id })),
    },
  ],
  Directory: [
    {
      needs: 'issueDirectoryToken',
      words: words.issueToken,
      field: 'text',
      run: async (id, { text: note }) =>
        (await ask(IssueToken, { id, note })).issueDirectoryToken?.token,
    },
    {
      needs: 'deleteDirectoryWithUsers',
      words: words.deleteWithUsers,
      field: 'check',
      removes: true,
      run: (id, { isChecked: deletesIdentities }) =>
        withoutSecret(ask(DeleteWithUsers, { id, deletesIdentities })),
    },
  ],
  AccessRequest: [
    {
      // For administrators; approvers have the page of their own access.
      needs: 'reviewAccessRequest',
      words: words.endGrant,
      field: 'text',
      isOffered: ({ state }) => state === 'GRANTED',
      run: (id, { text: comment }) => withoutSecret(ask(EndGrant, { id, comment })),
    },
    {
      needs: 'reviewAccessRequest',
      words: words.review,
      field: 'text',
      isOffered: ({ approval, reviewedAt }) => approval === 'BREAK_GLASS' && reviewedAt === null,
      run: (id, { text: comment }) => withoutSecret(ask(ReviewEmergency, { id, comment })),
    },
  ],
};
