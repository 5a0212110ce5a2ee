import { Autocomplete, Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useRef, useState, type RefObject } from 'react';
import type { Kind } from '../../description/description.js';
import type { Row } from '../../description/documents.js';
import { useAttributesInUse } from '../../forms/use-attributes-in-use.js';
import { ask } from '../../graph/ask.js';
import type { Failure } from '../../graph/failure.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Icon } from '../../parts/icon.js';
import { RuleOverride } from '../../parts/rule-override.js';
import { texts } from '../../texts.js';
import { roleAttributesOperation } from './form-operations.js';

interface RoleAttributesProps {
  readonly kind: Kind;
  readonly entity: Row;
  /** Called when the entity has other role attributes. */
  readonly changed: () => void;
}

/** The role attributes of an entity, which are added and removed one by one in their place. */
export function RoleAttributes(props: RoleAttributesProps) {
  const { kind, entity } = props;
  const attributes = entity.roleAttributes as readonly string[];
  const field = useRef<HTMLInputElement>(null);
  const { isBusy, failure, outcomeText, change, again } = useChange(props);
  return (
    <div className="stack tight">
      {attributes.length === 0 ? null : (
        <span className="tags">
          {attributes.map((attribute) => (
            <RemovableAttribute
              key={attribute}
              attribute={attribute}
              remove={() => {
                change('remove', attribute, () => {
                  // The button that had the focus goes with its attribute.
                  field.current?.focus();
                });
              }}
            />
          ))}
        </span>
      )}
      <NewAttribute
        kind={kind}
        attributes={attributes}
        field={field}
        isBusy={isBusy}
        add={(attribute, added) => {
          change('add', attribute, added);
        }}
      />
      <span className="hidden" role="status">
        {outcomeText}
      </span>
      <FailureNotice failure={failure} />
      <RuleOverride failure={failure} override={again} />
    </div>
  );
}

type Verb = 'add' | 'remove';

interface ChangeState {
  readonly isBusy: boolean;
  readonly failure: Failure | undefined;
  /** The last change, in words. */
  readonly outcomeText: string;
  readonly change: (verb: Verb, attribute: string, done: () => void) => void;
  /** Does what access rules have refused, with a reason. */
  readonly again: (overrideReason: string) => void;
}

const OUTCOME_TEXTS = { add: texts.entity.attributeAdded, remove: texts.entity.attributeRemoved };

function useChange({ kind, entity: { id }, changed }: RoleAttributesProps): ChangeState {
  const { isBusy, failure, attempt } = useAttempt();
  const [outcomeText, setOutcomeText] = useState('');
  const last = useRef<(overrideReason?: string) => void>(() => undefined);
  const change: ChangeState['change'] = (verb, attribute, done) => {
    last.current = (overrideReason) => {
      attempt(async () => {
        const variables = { id, roleAttributes: [attribute] };
        await ask(roleAttributesOperation(kind, verb), variables, { overrideReason });
        setOutcomeText(OUTCOME_TEXTS[verb](attribute));
        changed();
        done();
      });
    };
    last.current();
  };
  const again = (overrideReason: string): void => {
    last.current(overrideReason);
  };
  return { isBusy, failure, outcomeText, change, again };
}

function RemovableAttribute({ attribute, remove }: { attribute: string; remove: () => void }) {
  return (
    <span className="tag removable">
      <span title={attribute}>{attribute}</span>
      <button
        type="button"
        className="plain"
        aria-label={texts.form.takeOut(attribute)}
        onClick={remove}
      >
        <Icon name="close" size={10} />
      </button>
    </span>
  );
}

interface NewAttributeProps {
  readonly kind: Kind;
  readonly attributes: readonly string[];
  readonly field: RefObject<HTMLInputElement | null>;
  readonly isBusy: boolean;
  readonly add: (attribute: string, added: () => void) => void;
}

const PAUSE_MS = 250;

/** Offers the role attributes that other entities of the kind have. */
function NewAttribute({ kind, attributes, field, isBusy, add }: NewAttributeProps) {
  const [typed, setTyped] = useState('');
  const [part] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const inUse = useAttributesInUse(kind, part, part !== '');
  const attribute = typed.trim();
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (attribute === '') return;
        add(attribute, () => {
          setTyped('');
        });
      }}
    >
      <Autocomplete
        ref={field}
        aria-label={texts.entity.addAttribute}
        placeholder={texts.entity.addAttribute}
        data={inUse.filter((each) => !attributes.includes(each))}
        openOnFocus={false}
        value={typed}
        onChange={setTyped}
      />
      <Button type="submit" variant="default" loading={isBusy} disabled={attribute === ''}>
        {texts.form.add}
      </Button>
    </form>
  );
}
