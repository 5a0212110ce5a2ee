import { Button, Tabs } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState, type ComponentType } from 'react';
import type { Kind } from '../../description/description.js';
import { entityOperation, type Row } from '../../description/documents.js';
import { kindOfList, relationsOf, fieldsOfPage, type Relation } from '../../description/fields.js';
import { deletionObstacle, isEditable, keptMembers } from '../../description/kept-entities.js';
import { wordsOf } from '../../description/names.js';
import { useAnswer } from '../../graph/use-answer.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { PageHeading } from '../../parts/page-heading.js';
import { Attributes, textOfValue } from '../../parts/value.js';
import { useMay, useMayRead } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { ChangeTable } from '../../parts/changes/change-table.js';
import { TrafficLink } from '../../parts/traffic-link.js';
import { ActionButton } from './action-button.js';
import { DeleteDialog } from './delete-dialog.js';
import { columnsOf } from './entity-columns.js';
import { ENTITY_ACTIONS } from './entity-actions.js';
import { EntityTable } from './entity-table.js';
import { ownValues } from './own-values.js';
import { RoleAttributes } from './role-attributes.js';

const route = getRouteApi('/entities/$list/$id');

/** The page of an entity: its members, its relations, its history. */
export function EntityPage() {
  const { list, id } = route.useParams();
  const kind = kindOfList(list);
  if (!kind) return <div className="notice">{texts.shell.notFound}</div>;
  return <Entity key={`${list} ${id}`} kind={kind} id={id} />;
}

function Entity({ kind, id }: { kind: Kind; id: string }) {
  const operation = entityOperation(kind, useMayRead());
  const { data, failure, isLoading, reload } = useAnswer(operation, { id });
  const entity = data?.entity;
  const title = entity ? textOfValue(entity.name ?? entity.id) : id;
  return (
    <div className="stack fill">
      <div className="head">
        <div>
          <Link to="/entities/$list" params={{ list: kind.list }}>
            {wordsOf(kind.list)}
          </Link>
          <PageHeading text={title} />
        </div>
        <div className="grow" />
        {entity ? <AskLink type={kind.type} id={id} /> : null}
        {entity ? <EntityActions kind={kind} entity={entity} reload={reload} /> : null}
      </div>
      <FailureNotice failure={failure} />
      {entity ? <EntityTabs kind={kind} entity={entity} reload={reload} /> : null}
      {!entity && !failure ? (
        <div className="dim">{isLoading ? texts.loading : texts.entity.gone}</div>
      ) : null}
    </div>
  );
}

function EntityActions({ kind, entity, reload }: EntityTabsProps) {
  const [isDeleting, setDeleting] = useState(false);
  const may = useMay();
  const { list } = kind;
  return (
    <>
      <TrafficLink type={kind.type} id={entity.id} />
      <OwnActions kind={kind} entity={entity} reload={reload} />
      {may('Mutation', kind.update) && isEditable(kind, entity) ? (
        <Link to="/edit/$list/$id" params={{ list, id: entity.id }} className="button">
          {texts.entity.edit}
        </Link>
      ) : null}
      {may('Mutation', kind.remove) && deletionObstacle(kind, entity) === undefined ? (
        <Button
          variant="default"
          onClick={() => {
            setDeleting(true);
          }}
        >
          {texts.entity.remove}
        </Button>
      ) : null}
      {isDeleting ? (
        <DeleteDialog
          kind={kind}
          entity={entity}
          close={() => {
            setDeleting(false);
          }}
        />
      ) : null}
    </>
  );
}

function OwnActions({ kind, entity, reload }: EntityTabsProps) {
  const may = useMay();
  const navigate = route.useNavigate();
  const offered = (ENTITY_ACTIONS[kind.type] ?? []).filter(
    ({ needs, isOffered }) => may('Mutation', needs) && (isOffered?.(entity) ?? true),
  );
  return offered.map((action) => (
    <ActionButton
      key={action.words.text}
      action={action}
      entity={entity}
      done={() => {
        if (action.removes) void navigate({ to: '/entities/$list', params: { list: kind.list } });
        else reload();
      }}
    />
  ));
}

interface OwnTab {
  readonly name: string;
  readonly title: string;
  /** The list that it reads. */
  readonly needs: string;
  readonly Content: ComponentType<OwnTabProps>;
}

interface OwnTabProps {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
}

const ENROLLMENT: OwnTab = {
  name: 'enrollments',
  title: texts.enrollment.title,
  needs: 'enrollments',
  Content: lazyPart(async () => (await import('./enrollment-tab.js')).EnrollmentTab),
};

/** Tabs that a kind has beside those that follow from the schema, or in place of the one of that name. */
const OWN_TABS: Readonly<Record<string, readonly OwnTab[]>> = {
  AccessRule: [
    {
      name: 'violations',
      title: texts.rules.violations,
      needs: 'accessRules',
      Content: lazyPart(
        async () => (await import('../../parts/rule-violations.js')).RuleViolations,
      ),
    },
  ],
  AccessReview: [
    {
      name: 'lines',
      title: texts.reviews.lines,
      needs: 'accessReviews',
      Content: lazyPart(
        async () => (await import('../../parts/reviews/review-lines.js')).ReviewLines,
      ),
    },
  ],
  EdgeRouter: [ENROLLMENT],
  ExternalJwtSigner: [
    {
      name: 'preview',
      title: texts.tokenPreview.title,
      needs: 'previewExternalJwt',
      Content: lazyPart(async () => (await import('./token-preview.js')).TokenPreview),
    },
  ],
  Identity: [ENROLLMENT],
  TransitRouter: [ENROLLMENT],
};

/** Leads from an end of access to the other ends. */
function AskLink({ type, id }: { type: string; id: string }) {
  const may = useMay();
  const question = QUESTIONS[type];
  if (!question || !may('Query', 'accesses')) return null;
  return (
    <Link to="/ask" search={{ [question.end]: id }}>
      {question.text}
    </Link>
  );
}

const QUESTIONS: Readonly<Record<string, { end: 'identity' | 'service'; text: string }>> = {
  Identity: { end: 'identity', text: texts.ask.fromIdentity },
  Service: { end: 'service', text: texts.ask.fromService },
};

const ATTRIBUTES = 'attributes';
const HISTORY = 'history';
const ROLE_ATTRIBUTES = 'roleAttributes';

interface EntityTabsProps {
  readonly kind: Kind;
  readonly entity: Row;
  readonly reload: () => void;
}

function EntityTabs({ kind, entity, reload }: EntityTabsProps) {
  const { tab = ATTRIBUTES } = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const own = (OWN_TABS[kind.type] ?? []).filter(({ needs }) => may('Query', needs));
  const relations = relationsOf(kind.type).filter(
    (relation) =>
      may('Query', relation.kind.list) && !own.some(({ name }) => name === relation.name),
  );
  const hasHistory = may('Query', 'changes');
  return (
    <Tabs
      className="fill"
      keepMounted={false}
      value={tab}
      onChange={(next) => {
        void navigate({ search: { tab: next === ATTRIBUTES ? undefined : (next ?? undefined) } });
      }}
    >
      <Tabs.List>
        <Tabs.Tab value={ATTRIBUTES}>{texts.entity.attributes}</Tabs.Tab>
        {own.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name}>
            {title}
          </Tabs.Tab>
        ))}
        {relations.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {wordsOf(name)}
          </Tabs.Tab>
        ))}
        {hasHistory ? <Tabs.Tab value={HISTORY}>{texts.entity.history}</Tabs.Tab> : null}
      </Tabs.List>
      <Tabs.Panel value={ATTRIBUTES} className="tab">
        <EntityAttributes kind={kind} entity={entity} reload={reload} />
      </Tabs.Panel>
      {own.map(({ name, Content }) => (
        <Tabs.Panel key={name} value={name} className="tab fill">
          <Content kind={kind} id={entity.id} name={textOfValue(entity.name ?? entity.id)} />
        </Tabs.Panel>
      ))}
      {relations.map((relation) => (
        <Tabs.Panel key={relation.name} value={relation.name} className="tab fill">
          <Related owner={kind} id={entity.id} relation={relation} />
        </Tabs.Panel>
      ))}
      <Tabs.Panel value={HISTORY} className="tab fill">
        <ChangeTable
          label={texts.entity.history}
          filter={`type = "${kind.type}" and entityId = ${JSON.stringify(entity.id)}`}
        />
      </Tabs.Panel>
    </Tabs>
  );
}

function EntityAttributes({ kind, entity, reload }: EntityTabsProps) {
  const may = useMay();
  const mayRead = useMayRead();
  const isChangeable =
    may('Mutation', kind.addRoleAttributes) && !keptMembers(kind, entity).includes(ROLE_ATTRIBUTES);
  const roleAttributes = <RoleAttributes kind={kind} entity={entity} changed={reload} />;
  return (
    <Attributes
      fields={fieldsOfPage(kind.type, mayRead)}
      values={entity}
      inPlace={{
        ...ownValues(kind.type, entity),
        ...(isChangeable ? { [ROLE_ATTRIBUTES]: roleAttributes } : {}),
      }}
    />
  );
}

function Related({ owner, id, relation }: { owner: Kind; id: string; relation: Relation }) {
  const { name, kind, description } = relation;
  return (
    <>
      <p className="dim">{description}</p>
      <EntityTable
        kind={kind}
        label={wordsOf(name)}
        fields={columnsOf(kind, undefined, useMayRead())}
        owner={{ kind: owner, id, relation: name }}
      />
    </>
  );
}
