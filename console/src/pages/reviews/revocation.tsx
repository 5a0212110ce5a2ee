import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { rowsOperation } from '../../description/documents.js';
import { kindOfType, typeOfModel } from '../../description/fields.js';
import { addToDraft } from '../../draft/draft.js';
import { ReviewRevocation } from '../../emitted/operations.js';
import { askPartly } from '../../graph/ask.js';
import { useAnswer } from '../../graph/use-answer.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Panel } from '../../parts/panel.js';
import { textOfValue } from '../../parts/value.js';
import { useMay } from '../../shell/caller-context.js';
import { texts } from '../../texts.js';

interface RevocationProps {
  readonly id: string;
  /** Grows when decisions were stored. */
  readonly round: number;
}

/** What takes the revoked access away, to be added to the draft. */
export function Revocation({ id, round }: RevocationProps) {
  const [wanted, setWanted] = useState(-1);
  const mayDraft = useMay()('Query', 'simulate');
  if (!mayDraft) return null;
  return (
    <Panel title={texts.reviews.revocation}>
      {wanted === round ? (
        <Changes id={id} />
      ) : (
        <Button
          variant="default"
          onClick={() => {
            setWanted(round);
          }}
        >
          {texts.reviews.findChanges}
        </Button>
      )}
    </Panel>
  );
}

/** It takes an analysis, so it is asked for by hand. */
function Changes({ id }: { id: string }) {
  const { data, failure } = useAnswer(ReviewRevocation, { id });
  const navigate = useNavigate();
  const revocation = data?.accessReview?.revocation;
  if (!revocation) {
    return failure ? <FailureNotice failure={failure} /> : <span>{texts.loading}</span>;
  }
  const { changes, grantedCount, lost, warning } = revocation;
  const add = async (): Promise<void> => {
    const names = await namesOf(changes.flatMap(({ entityId }) => entityId ?? []));
    for (const { operation, type, entityId, input } of changes) {
      const id = entityId ?? undefined;
      addToDraft({
        operation,
        type: typeOfModel(type),
        id,
        name: names.get(id ?? '') ?? id ?? typeOfModel(type),
        input: input ?? undefined,
        revision: undefined,
      });
    }
    await navigate({ to: '/draft' });
  };
  return (
    <div className="stack">
      <div>{texts.reviews.takesAway(changes.length, lost, grantedCount)}</div>
      {warning === null ? null : <div className="notice warn">{warning}</div>}
      {changes.length === 0 ? null : (
        <div>
          <Button onClick={() => void add()}>{texts.form.draft}</Button>
        </div>
      )}
    </div>
  );
}

/** The names of policies by their ids. */
async function namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const kind = kindOfType('ServicePolicy');
  if (!kind || ids.length === 0) return new Map();
  const filter = `id in [${ids.map((id) => JSON.stringify(id)).join(', ')}]`;
  const variables = { filter, sort: undefined, first: MOST_NAMES, offset: 0 };
  const { data } = await askPartly(rowsOperation(kind, []), variables);
  return new Map((data?.rows?.nodes ?? []).map(({ id, name }) => [id, textOfValue(name)]));
}

const MOST_NAMES = 500;
