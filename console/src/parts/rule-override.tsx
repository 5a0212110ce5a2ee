import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Failure } from '../graph/failure.js';
import { useCaller } from '../graph/caller-context.js';
import { texts } from '../texts.js';

interface RuleOverrideProps {
  readonly failure: Failure | undefined;
  /** The reason, where the form has a field for it already. */
  readonly reason?: string;
  readonly override: (reason: string) => void;
}

/** Lets an administrator make what access rules have refused, with a reason. */
export function RuleOverride({ failure, reason, override }: RuleOverrideProps) {
  const { isAdmin } = useCaller();
  const [typed, setTyped] = useState('');
  const given = (reason ?? typed).trim();
  if (failure?.isOfAccessRules !== true || !isAdmin) return null;
  return (
    <div className="notice warn stack tight">
      <div>{texts.rules.overrideHelp}</div>
      {reason === undefined ? (
        <TextInput
          label={texts.rules.reason}
          value={typed}
          maxLength={MAX_REASON_LENGTH}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // It would send the form around it.
            event.preventDefault();
            if (given !== '') override(given);
          }}
        />
      ) : null}
      <div>
        <Button
          variant="default"
          disabled={given === ''}
          onClick={() => {
            override(given);
          }}
        >
          {texts.rules.override}
        </Button>
      </div>
    </div>
  );
}

/** The longest reason that the change log keeps. */
const MAX_REASON_LENGTH = 500;
