import { Button } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../texts.js';

interface CopyButtonProps {
  readonly text: string;
  /** Default: the word for copying. */
  readonly label?: string;
}

/** Copies a text, and says how it went: a browser may refuse. */
export function CopyButton({ text, label = texts.actions.copy }: CopyButtonProps) {
  const [outcome, setOutcome] = useState('');
  return (
    <>
      <Button
        onClick={() => {
          void copy(text).then(setOutcome);
        }}
      >
        {label}
      </Button>
      <span role="status">{outcome}</span>
    </>
  );
}

async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return texts.actions.copied;
  } catch {
    return texts.actions.notCopied;
  }
}
