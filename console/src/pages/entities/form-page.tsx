import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import type { Row } from '../../description/documents.js';
import { kindOfList } from '../../description/fields.js';
import { isEditable } from '../../description/kept-entities.js';
import { wordsOf } from '../../description/names.js';
import { useAnswer } from '../../graph/use-answer.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { IfPermitted } from '../../parts/if-permitted.js';
import { PageHeading } from '../../parts/page-heading.js';
import { textOfValue } from '../../parts/value.js';
import { texts } from '../../texts.js';
import { EntityForm } from './entity-form.js';
import { editedOperation } from './form-operations.js';

const createRoute = getRouteApi('/create/$list');
const editRoute = getRouteApi('/edit/$list/$id');

/** A form for a new entity. */
export function CreatePage() {
  const { list } = createRoute.useParams();
  const kind = kindOfList(list);
  if (kind?.createInput === undefined) return <div className="notice">{texts.shell.notFound}</div>;
  return (
    <div className="stack">
      <PageHeading text={texts.form.create(wordsOf(kind.type))} />
      <IfPermitted operation={kind.create}>
        <EntityForm key={list} kind={kind} input={kind.createInput} entity={undefined} />
      </IfPermitted>
    </div>
  );
}

/** A form for an entity as it is now. */
export function EditPage() {
  const { list, id } = editRoute.useParams();
  const kind = kindOfList(list);
  const input = kind?.updateInput;
  if (!kind || input === undefined) return <div className="notice">{texts.shell.notFound}</div>;
  return <Edit key={`${list} ${id}`} id={id} kind={kind} input={input} />;
}

type EditProps = Omit<Parameters<typeof EntityForm>[0], 'entity'> & { readonly id: string };

function Edit({ kind, input, id }: EditProps) {
  const { data, failure } = useAnswer(editedOperation(kind, input), { id });
  // After a new login it is read again. What was typed is about the one that was read first: changes
  // of others since then refuse it.
  const first = useRef<Row>(undefined);
  first.current ??= data?.entity ?? undefined;
  const entity = first.current;
  return (
    <div className="stack">
      <PageHeading text={texts.form.edit(entity ? textOfValue(entity.name ?? id) : id)} />
      <FailureNotice failure={failure} />
      {entity ? (
        <IfPermitted operation={kind.update}>
          {isEditable(kind, entity) ? (
            <EntityForm kind={kind} input={input} entity={entity} />
          ) : (
            <div className="notice">{texts.form.notEditable}</div>
          )}
        </IfPermitted>
      ) : null}
    </div>
  );
}
