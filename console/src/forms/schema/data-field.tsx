import { Input, Switch } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../../texts.js';
import { faultBelow, type FormFaults } from '../faults.js';
import { JsonField } from '../json-field.js';
import { BrokenJson, isObject } from '../json-value.js';
import type { JsonSchema } from './json-schema.js';
import { ObjectMembers } from './schema-field.js';
import { beginningOf, shownPart } from './shape.js';

interface DataFieldProps {
  readonly schema: JsonSchema;
  readonly label: string;
  readonly description: string;
  readonly value: unknown;
  readonly path: string;
  readonly faults: FormFaults;
  readonly change: (value: unknown) => void;
}

/** Edits an object by its JSON schema, or as JSON. */
export function DataField({ schema, label, description, path, faults, ...props }: DataFieldProps) {
  const value = props.value ?? beginningOf(schema, schema);
  const { shape } = shownPart(schema, schema);
  const [wantsJson, setWantsJson] = useState(() => !isShort(value));
  const canShowForm = shape.control === 'object' && isObject(value);
  const isJson = wantsJson || !canShowForm;
  const error = faults[path];
  return (
    <section className="stack data" aria-label={label}>
      <div className="row">
        <h2 className="grow">{label}</h2>
        {shape.control === 'object' ? (
          <Switch
            label={texts.form.asJson}
            checked={isJson}
            disabled={!canShowForm}
            onChange={(event) => {
              setWantsJson(event.currentTarget.checked);
            }}
          />
        ) : null}
      </div>
      {isJson ? (
        <JsonField
          label={label}
          description={description}
          error={faultBelow(faults, path)}
          isRequired
          value={value}
          change={(next) => {
            // Without a text there is no object yet.
            props.change(next ?? new BrokenJson(''));
            setWantsJson(true);
          }}
        />
      ) : (
        <>
          {error === undefined ? null : <Input.Error>{error}</Input.Error>}
          <ObjectMembers
            root={schema}
            shape={shape}
            value={value}
            path={path}
            faults={faults}
            change={props.change}
          />
        </>
      )}
    </section>
  );
}

const MAX_CHARACTERS = 20_000;

/** Longer values have more fields than a page can hold. */
const isShort = (value: unknown): boolean => JSON.stringify(value ?? null).length < MAX_CHARACTERS;
