import { Button } from '@mantine/core';
import { useState } from 'react';
import { linkOf, type DraftChange } from '../../draft/draft.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';

/** Mail and chat programs cut addresses that are longer. */
const MAX_LINK_LENGTH = 30_000;

/** Copies the address of the draft, if it is short enough. */
export function CopyLink({ changes }: { changes: readonly DraftChange[] }) {
  const may = useMay();
  const { failure, attempt } = useAttempt();
  const [copied, setCopied] = useState<string>();
  const { origin, pathname } = window.location;
  const link = `${origin}${pathname}#${linkOf(changes)}`;
  if (link.length > MAX_LINK_LENGTH) {
    const { tooLong, tooLongForFile } = texts.draft.link;
    return <div>{may('Query', 'exportChanges') ? tooLongForFile : tooLong}</div>;
  }
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          attempt(async () => {
            await navigator.clipboard.writeText(link);
            setCopied(link);
          });
        }}
      >
        {texts.draft.link.copy}
      </Button>
      <span role="status">{copied === link ? texts.draft.link.copied : null}</span>
      <FailureNotice failure={failure} />
    </>
  );
}
