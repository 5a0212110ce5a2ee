import { Fieldset } from '@mantine/core';
import type { InputField } from '../description/inputs.js';
import type { FormFaults } from './faults.js';
import { FormFields } from './form-field.js';
import type { FormSection } from './form-sections.js';
import type { FormValues } from './form-values.js';

interface SectionedFieldsProps {
  readonly sections: readonly FormSection[];
  readonly fields: readonly InputField[];
  readonly values: FormValues;
  readonly faults: FormFaults;
  readonly change: (values: FormValues) => void;
}

/** The fields of an entity: first those without a section. */
export function SectionedFields({ sections, fields, change, ...shown }: SectionedFieldsProps) {
  const placed = sections.flatMap(({ members }) => members);
  const changeAll = (values: FormValues): void => {
    change(sections.reduce((changed, { complete }) => complete?.(changed) ?? changed, values));
  };
  return (
    <>
      <FormFields
        {...shown}
        fields={fields.filter(({ name }) => !placed.includes(name))}
        change={changeAll}
      />
      {sections.map(({ title, members, Note, idle }) => (
        <Fieldset key={title} legend={title}>
          <div className="stack">
            {Note ? (
              <div role="note">
                <Note values={shown.values} />
              </div>
            ) : null}
            <FormFields
              {...shown}
              fields={members
                .filter((member) => !idle?.(shown.values).includes(member))
                .flatMap((member) => fields.filter(({ name }) => name === member))}
              change={changeAll}
            />
          </div>
        </Fieldset>
      ))}
    </>
  );
}
